import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Size of which chunks are a multiple, except the last one. */
const CHUNK_UNIT = 256 * 1024;

/** An object of a bucket. */
interface CloudObject {
  readonly contentType: string;
  readonly content: Buffer;
}

/** The resumable uploads of the JSON API of Cloud Storage, and the token endpoint of a service account. */
export interface CloudStorageServer {
  readonly url: string;
  /** Complete objects by bucket and name, e.g. `bucket/folder/file`. */
  readonly objects: Map<string, CloudObject>;
  /** The only bucket that exists. */
  readonly bucket: string;
  /** Number of next chunks of which half is stored before the answer 503. */
  outages: number;
  /** Number of next requests of uploads that are answered with 503 and without effect. */
  refusals: number;
  /** Number of next chunks that are stored before the answer 503. */
  lostAnswers: number;
  /** Answers 403 to new uploads. */
  isForbidden: boolean;
  /** Number of chunks that were received. */
  readonly chunkCount: number;
  /** Number of connections that were opened. */
  readonly connectionCount: number;
  close(): Promise<void>;
}

interface Upload {
  readonly name: string;
  readonly contentType: string;
  content: Buffer;
}

type Answer = [status: number, headers?: Record<string, string>, body?: object];

export async function startCloudStorageServer(bucket = 'harbour'): Promise<CloudStorageServer> {
  const uploads: Upload[] = [];
  const objects = new Map<string, CloudObject>();
  let chunkCount = 0;
  let connectionCount = 0;
  const server = createServer((request, response) => {
    void answer(request).then(([status, headers = {}, body]) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body ?? {})),
    );
  });
  server.on('connection', () => (connectionCount += 1));
  const state: CloudStorageServer = {
    ...{ objects, bucket, outages: 0, refusals: 0, lostAnswers: 0, isForbidden: false },
    get chunkCount() {
      return chunkCount;
    },
    get connectionCount() {
      return connectionCount;
    },
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };

  async function answer(request: IncomingMessage): Promise<Answer> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://storage');
    const body = await buffer(request);
    if (pathname === '/token') return [200, {}, { access_token: 'token-1', expires_in: 3600, token_type: 'Bearer' }];
    const session = /^\/session\/(\d+)$/.exec(pathname)?.[1];
    if (session !== undefined) return receive(uploads[Number(session)], request.headers['content-range'], body);
    if (request.headers.authorization !== 'Bearer token-1') return [401];
    if (state.isForbidden) return [403, {}, { error: { message: 'no storage.objects.create' } }];
    if (pathname !== `/upload/storage/v1/b/${bucket}/o` || searchParams.get('uploadType') !== 'resumable') return [404];
    const contentType = String(request.headers['x-upload-content-type']);
    uploads.push({ name: `${bucket}/${searchParams.get('name')}`, contentType, content: Buffer.alloc(0) });
    return [200, { location: `${state.url}/session/${uploads.length - 1}` }];
  }

  function receive(upload: Upload | undefined, header: string | undefined, body: Buffer): Answer {
    const [, start, end, size] = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/.exec(header ?? '') ?? [];
    if (!upload || size === undefined) return [400];
    if (state.refusals > 0) {
      state.refusals -= 1;
      return [503];
    }
    if (start !== undefined) {
      chunkCount += 1;
      if (Number(start) !== upload.content.length || Number(end) - Number(start) + 1 !== body.length) return [400];
      if (Number(end) + 1 < Number(size) && body.length % CHUNK_UNIT > 0) return [400];
      if (state.outages > 0) {
        state.outages -= 1;
        const half = Math.floor(body.length / 2 / CHUNK_UNIT) * CHUNK_UNIT;
        upload.content = Buffer.concat([upload.content, body.subarray(0, half)]);
        return [503];
      }
      upload.content = Buffer.concat([upload.content, body]);
      if (state.lostAnswers > 0) {
        state.lostAnswers -= 1;
        return [503];
      }
    }
    if (upload.content.length === Number(size)) {
      objects.set(upload.name, { contentType: upload.contentType, content: upload.content });
      return [200, {}, { name: upload.name }];
    }
    return [308, upload.content.length > 0 ? { range: `bytes=0-${upload.content.length - 1}` } : {}];
  }

  await once(server.listen(0, '127.0.0.1'), 'listening');
  return state;
}
