import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { bytes, listAll } from '../conformance/byte-streams.ts';
import { startObjectServer } from '../conformance/object-server.fixture.ts';
import { transfersConformance } from '../conformance/transfers.conformance.ts';
import { createFolderStore } from '../folder/folder.store.ts';
import { createApiTransfers } from './api-transfers.ts';
import { verifyLink, signLink } from './signed-link.ts';

describe('transfers through the API', () => {
  const secret = randomBytes(32);
  let dir: string;
  let store: BlobStore;
  let server: Awaited<ReturnType<typeof startObjectServer>>;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'links-'));
    store = await createFolderStore(dir, systemClock);
    server = await startObjectServer(store, () => links());
  });
  afterAll(async () => {
    await server.close();
    await rm(dir, { recursive: true, force: true });
  });
  const links = (clock = systemClock) => createApiTransfers({ secret, baseUrl: server.url, clock });

  transfersConformance(async () => ({ store, transfers: (clock) => links(clock) }));

  test('a response is cacheable until its link expires, has all security headers and supports HEAD', async () => {
    await store.put('a/page.html', Buffer.from('<p>'), { contentType: 'text/html', maxBytes: 10 });
    const page = { name: 'page.html', contentType: 'text/html', expiresInSeconds: 100, inline: true };
    const { url } = await links().download('a/page.html', page);
    const { status, headers } = await fetch(url, { method: 'HEAD' });
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-length': '3',
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringMatching(/^attachment;/),
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'accept-ranges': 'bytes',
    });
    const [, seconds] = /^private, max-age=(\d+), immutable$/.exec(headers.get('cache-control') ?? '') ?? [];
    expect(Number(seconds)).toBeGreaterThan(90);
    expect(Number(seconds)).toBeLessThanOrEqual(100);
  });

  test.each(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'video/mp4', 'video/webm', 'application/pdf'])(
    '%s is shown inline with all security headers, also by range and from the cache',
    async (contentType) => {
      await store.put('a/shown', bytes(100), { contentType, maxBytes: 100 });
      const { url } = await links().download('a/shown', { name: 'a', contentType, expiresInSeconds: 60, inline: true });
      const complete = await fetch(url);
      await complete.arrayBuffer();
      expect(complete.headers.get('content-disposition')).toMatch(/^inline;/);
      expect(complete.headers.get('content-type')).toBe(contentType);
      const etag = complete.headers.get('etag') ?? '';
      const requestHeaders: Record<string, string>[] = [
        {},
        { range: 'bytes=0-9' },
        { range: 'bytes=900-' },
        { 'if-none-match': etag },
      ];
      for (const headers of requestHeaders) {
        const answer = await fetch(url, { headers });
        await answer.arrayBuffer();
        expect(Object.fromEntries(answer.headers)).toMatchObject({
          'x-content-type-options': 'nosniff',
          'content-security-policy': "sandbox; default-src 'none'",
          'cross-origin-resource-policy': 'same-origin',
        });
      }
    },
  );

  test('a range is only served of the version that the client began to read', async () => {
    await store.put('a/b', bytes(100), { contentType: 'image/png', maxBytes: 100 });
    const { url } = await links().download('a/b', { name: 'b', contentType: 'image/png', expiresInSeconds: 60 });
    const etag = (await fetch(url)).headers.get('etag') ?? '';
    const status = async (tag: string) =>
      (await fetch(url, { headers: { range: 'bytes=0-9', 'if-range': tag } })).status;
    expect(await status(etag)).toBe(206);
    expect(await status('"another"')).toBe(200);
  });

  test('a body without a length is stopped at the limit, and the sender receives the reason', async () => {
    const upload = { contentType: 'image/png', maxBytes: 1000, expiresInSeconds: 60 };
    const { url, headers } = await links().upload('a/long', upload);
    const answer = await new Promise<{ status?: number; body: string }>((resolve, reject) => {
      const sending = httpRequest(url, { method: 'PUT', headers }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        response.on('end', () => resolve({ status: response.statusCode, body }));
      });
      sending.on('error', reject);
      for (let n = 0; n < 10; n++) sending.write(bytes(1000));
      sending.end();
    });
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
    expect(await store.stat('a/long')).toBeNull();
  });

  test('an upload that is cut off leaves no object', async () => {
    const upload = { contentType: 'image/png', maxBytes: 1000, expiresInSeconds: 60 };
    const { url, headers } = await links().upload('a/half', upload);
    await new Promise<void>((resolve) => {
      const sending = httpRequest(url, { method: 'PUT', headers: { ...headers, 'content-length': '1000' } });
      sending.on('error', () => resolve());
      sending.write(bytes(10), () => sending.destroy(new Error('gone')));
    });
    // The server has no response to send: a later upload shows that it still works.
    expect((await fetch(url, { method: 'PUT', headers, body: new Uint8Array(bytes(20)) })).ok).toBe(true);
    expect(await store.stat('a/half')).toMatchObject({ size: 20 });
    expect(await listAll(store.list('a/half'))).toEqual(['a/half']);
  });

  test('links work below any base path of the API', () => {
    const link = { kind: 'upload', key: 'a/b', contentType: 'image/png', maxBytes: 1, expires: 2000 } as const;
    const url = `https://api.example/pilothouse${signLink(secret, link)}`;
    expect(verifyLink(secret, 'PUT', url, new Date(1000))).toEqual(link);
    expect(verifyLink(secret, 'PUT', new URL(url).pathname + new URL(url).search, new Date(1000))).toEqual(link);
    expect(() => verifyLink(randomBytes(32), 'PUT', url, new Date(1000))).toThrow(/not valid/);
    expect(() => verifyLink(secret, 'PUT', url, new Date(2000))).toThrow(/expired/);
    expect(() => verifyLink(secret, 'DELETE', url, new Date(1000))).toThrow(/not valid/);
    expect(() => verifyLink(secret, 'PUT', '/v1/runs', new Date(1000))).toThrow(/not valid/);
  });
});
