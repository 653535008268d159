import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { BlobStat, BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { isShownInline, servedTypeOf } from '../object-key.ts';
import { objectNotFound, parseRangeHeader } from '../byte-range.ts';
import type { ApiTransfers, VerifiedGrant } from './api-transfers.ts';

/** A request of node:http or Fastify. */
export interface ObjectRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** A request whose body is not read yet. */
export interface ObjectUpload extends ObjectRequest {
  readonly body: Readable;
  /** Aborts when the sender disconnects. */
  readonly signal?: AbortSignal;
}

export interface ObjectResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** null: no body. */
  readonly body: Readable | null;
}

/**
 * Creates the value of `Content-Disposition` (RFC 6266): an ASCII name for old clients and the full name. Both exclude
 * paths, control characters and characters that change the text direction.
 */
export function contentDisposition(fileName: string, inline: boolean): string {
  const name = fileName.replaceAll(/[\p{Cc}\p{Cf}/\\]/gu, '_');
  const ascii = name
    .normalize('NFKD')
    .replaceAll(/[^\x20-\x7e]/g, '_')
    .replaceAll(/["\\%]/g, '_');
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${inline ? 'inline' : 'attachment'}; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}

type Download = Extract<VerifiedGrant, { kind: 'download' }>;

/**
 * Origins whose pages may embed an object: `same-origin`, or `cross-origin` when objects have a separate origin.
 */
export type ResourcePolicy = 'same-origin' | 'cross-origin';

/**
 * Headers of every object. Files of a run come from untrusted pages. In the origin of the API they may not run a
 * script, load anything or be used as a script.
 */
export const objectGuards = (policy: ResourcePolicy = 'same-origin') => ({
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': policy,
});

/**
 * Responds to GET or HEAD on a signed link: complete, by range (`Range`), or 304.
 * @throws PilothouseError FORBIDDEN, GONE for the link; NOT_FOUND; UNAVAILABLE when the store is unavailable
 */
export async function serveObject(
  store: Pick<BlobStore, 'stat' | 'get'>,
  transfers: Pick<ApiTransfers, 'verify'>,
  request: ObjectRequest,
  policy?: ResourcePolicy,
): Promise<ObjectResponse> {
  const grant = transfers.verify(request);
  if (grant.kind !== 'download')
    throw new PilothouseError('FORBIDDEN', 'The link is for uploads: request a download link');
  const stat = await store.stat(grant.key);
  if (!stat) throw objectNotFound(grant.key);
  const headers = { ...headersOf(grant, stat), ...objectGuards(policy) };
  if (isNotModified(request, headers.etag)) return { status: 304, headers, body: null };

  const range = isStale(request, headers.etag) ? 'all' : parseRangeHeader(request.headers.range, stat.size);
  if (range === 'none') {
    return { status: 416, headers: { ...objectGuards(policy), 'content-range': `bytes */${stat.size}` }, body: null };
  }
  const { start, end } = range === 'all' ? { start: 0, end: stat.size - 1 } : range;
  const answer: ObjectResponse = {
    status: range === 'all' ? 200 : 206,
    headers: {
      ...headers,
      'content-length': String(end - start + 1),
      ...(range !== 'all' && { 'content-range': `bytes ${start}-${end}/${stat.size}` }),
    },
    body: null,
  };
  if (request.method === 'HEAD') return answer;
  return { ...answer, body: await store.get(grant.key, range === 'all' ? undefined : range) };
}

function headersOf(grant: Download, { size, modifiedAt }: BlobStat) {
  return {
    // Checked here as well as at signing: a link may be older than the rule.
    'content-type': servedTypeOf(grant.contentType),
    'content-disposition': contentDisposition(grant.name, grant.inline && isShownInline(grant.contentType)),
    'cache-control': `private, max-age=${grant.secondsLeft}, immutable`,
    'accept-ranges': 'bytes',
    etag: objectEtag({ size, modifiedAt }),
    'last-modified': modifiedAt.toUTCString(),
  };
}

/** A key is written once, so length and time identify the content. */
export const objectEtag = ({ size, modifiedAt }: Pick<BlobStat, 'size' | 'modifiedAt'>) =>
  `"${size.toString(36)}-${Math.floor(modifiedAt.getTime()).toString(36)}"`;

function isNotModified({ headers }: ObjectRequest, etag: string): boolean {
  const etags = headers['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return etags !== undefined && (etags.includes(etag) || etags.includes('*'));
}

/** `If-Range`: a range applies only to the version that the client began to read. */
function isStale({ headers }: ObjectRequest, etag: string): boolean {
  const tag = headers['if-range'];
  return tag !== undefined && tag !== etag;
}

/**
 * Responds to PUT on a signed link: stores exactly the object that the link names, once. Does not read a refused body,
 * so an error response has to close the connection.
 * @throws PilothouseError FORBIDDEN, GONE for the link; CONFLICT when it was used; UNSUPPORTED_MEDIA_TYPE,
 * PAYLOAD_TOO_LARGE for the body; UPLOAD_FAILED, UNAVAILABLE
 */
export async function receiveObject(
  store: Pick<BlobStore, 'put'>,
  transfers: Pick<ApiTransfers, 'verify'>,
  request: ObjectUpload,
): Promise<ObjectResponse> {
  const grant = transfers.verify(request);
  if (grant.kind !== 'upload')
    throw new PilothouseError('FORBIDDEN', 'The link is for downloads: request an upload link');
  const { key, contentType, maxBytes } = grant;
  const { headers, body, signal } = request;
  if (headers['content-type'] !== contentType) {
    throw new PilothouseError('UNSUPPORTED_MEDIA_TYPE', `The link is for \`Content-Type: ${contentType}\``);
  }
  if (headers['content-encoding']) {
    throw new PilothouseError('UNSUPPORTED_MEDIA_TYPE', 'Send the object as it is, without `Content-Encoding`');
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    throw new PilothouseError('PAYLOAD_TOO_LARGE', `The link is for at most ${maxBytes} bytes`);
  }
  const stat = await store.put(key, body, { contentType, maxBytes, signal, isNew: true });
  return { status: 200, headers: { etag: objectEtag(stat), 'content-length': '0' }, body: null };
}
