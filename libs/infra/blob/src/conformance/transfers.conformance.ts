import { randomUUID } from 'node:crypto';
import type { Transfer } from '@pilothouse/contract/run/artifact.schema';
import type { BlobStore, SignedTransfers } from '@pilothouse/core/ports/blob-store.port';
import { systemClock, type Clock } from '@pilothouse/core/ports/runtime.port';
import { bytes, listAll, readAll } from './byte-streams.ts';

export interface TransfersUnderTest {
  readonly store: BlobStore;
  /** Creates the transfers with a clock, so that links can be expired. */
  transfers(clock: Clock): SignedTransfers;
  /** Expected disposition of an image that a browser may show inline. Default: `inline`. */
  readonly inline?: 'attachment';
}

const yesterday: Clock = {
  now: () => new Date(Date.now() - 24 * 3600 * 1000),
  monotonic: () => systemClock.monotonic(),
};
const upload = { contentType: 'image/png', maxBytes: 1000, expiresInSeconds: 60 };
const download = { contentType: 'image/png', name: 'shot.png', expiresInSeconds: 60 };

/** Sends a body exactly as the transfer describes, like a worker or a client. */
export async function send(transfer: Transfer, body: Buffer): Promise<Response> {
  const { method, url, headers } = transfer;
  return fetch(url, { method, headers, ...(method !== 'GET' && { body: new Uint8Array(body) }) });
}

/** Replaces every occurrence of a text in the transfer. */
function replaceText(transfer: Transfer, search: string, replacement: string): Transfer {
  const replaced = JSON.stringify(transfer).replaceAll(search, replacement);
  if (replaced === JSON.stringify(transfer)) throw new Error(`${search} does not occur in the transfer`);
  return JSON.parse(replaced) as Transfer;
}

/** Conformance suite for transfers. The spec of each implementation runs it. */
export function transfersConformance(open: () => Promise<TransfersUnderTest>): void {
  let subject: TransfersUnderTest;
  let transfers: SignedTransfers;
  let key: string;
  beforeAll(async () => {
    subject = await open();
    transfers = subject.transfers(systemClock);
  });
  beforeEach(() => {
    key = `transfers/${randomUUID()}/shot.png`;
  });
  afterEach(async () => subject.store.delete(await listAll(subject.store.list('transfers/'))));

  const expectRefused = async (transfer: Transfer, body = bytes(10)) => {
    const { status } = await send(transfer, body);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    return status;
  };
  const expectNothingStored = async () => expect(await listAll(subject.store.list('transfers/'))).toEqual([]);

  test.each([0, 1, 1000])('an upload of %i bytes arrives whole and under its type', async (length) => {
    const transfer = await transfers.upload(key, { ...upload, maxBytes: length });
    expect((await send(transfer, bytes(length))).ok).toBe(true);
    expect(await subject.store.stat(key)).toMatchObject({ size: length, contentType: 'image/png' });
    expect(Math.abs(new Date(transfer.expiresAt).getTime() - Date.now() - 60_000)).toBeLessThan(5000);
  });

  test('an upload link works once and later attempts change nothing', async () => {
    const transfer = await transfers.upload(key, { ...upload, maxBytes: 5 });
    expect((await send(transfer, bytes(5))).ok).toBe(true);
    expect([409, 412]).toContain(await expectRefused(transfer, Buffer.from('other')));
    expect(await readAll(await subject.store.get(key))).toEqual(bytes(5));
    const { 'if-none-match': _, ...headers } = transfer.headers;
    await expectRefused({ ...transfer, headers }, Buffer.from('other'));
    await expectRefused({ ...transfer, headers: { ...headers, 'if-none-match': '"x"' } }, Buffer.from('other'));
    expect(await readAll(await subject.store.get(key))).toEqual(bytes(5));
  });

  test('one of several concurrent uploads by one link succeeds', async () => {
    const transfer = await transfers.upload(key, { ...upload, maxBytes: 1000 });
    const bodies = Array.from({ length: 6 }, (_, n) => Buffer.alloc(1000, n));
    const answers = await Promise.all(bodies.map((body) => send(transfer, body)));
    const acceptedBodies = answers.flatMap(({ ok }, n) => (ok ? [bodies[n]] : []));
    expect(acceptedBodies).toHaveLength(1);
    expect(await readAll(await subject.store.get(key))).toEqual(acceptedBodies[0]);
  });

  test('an upload with more bytes, another key or another type is refused', async () => {
    const transfer = await transfers.upload(key, upload);
    await expectRefused(transfer, bytes(1001));
    await expectRefused(transfer, bytes(3_000_000));
    await expectRefused(replaceText(transfer, 'shot.png', 'other.png'));
    await expectRefused(replaceText(transfer, 'image/png', 'text/html'));
    await expectNothingStored();
  });

  test('an expired or modified upload link is refused', async () => {
    await expectRefused(await subject.transfers(yesterday).upload(key, upload));
    const transfer = await transfers.upload(key, upload);
    const { searchParams } = new URL(transfer.url);
    const signature = searchParams.get('X-Amz-Signature') ?? searchParams.get('signature') ?? '';
    const last = signature.at(-1);
    await expectRefused(
      replaceText(transfer, signature, `${signature.slice(0, -1)}${last === 'A' || last === 'a' ? 'b' : 'A'}`),
    );
    await expectRefused(replaceText(transfer, signature, ''));
    await expectNothingStored();
  });

  test('an object is fetched with its name and type, completely and by range', async () => {
    await subject.store.put(key, bytes(1000), { contentType: 'image/png', maxBytes: 1000 });
    const transfer = await transfers.download(key, { ...download, name: 'Übersicht "1".png', inline: true });
    const complete = await fetch(transfer.url, { headers: transfer.headers });
    expect(complete.status).toBe(200);
    expect(Buffer.from(await complete.arrayBuffer())).toEqual(bytes(1000));
    expect(complete.headers.get('content-type')).toBe('image/png');
    expect(complete.headers.get('content-length')).toBe('1000');
    expect(complete.headers.get('content-disposition')).toBe(
      `${subject.inline ?? 'inline'}; filename="U_bersicht _1_.png"; filename*=UTF-8''%C3%9Cbersicht%20%221%22.png`,
    );
    const part = await fetch(transfer.url, { headers: { range: 'bytes=10-19' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe('bytes 10-19/1000');
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes(1000).subarray(10, 20));
    const outside = await fetch(transfer.url, { headers: { range: 'bytes=1000-' } });
    expect(outside.status).toBe(416);
    await outside.arrayBuffer();
    const etag = complete.headers.get('etag') ?? '';
    expect((await fetch(transfer.url, { headers: { 'if-none-match': etag } })).status).toBe(304);
  });

  test.each([
    'text/html',
    'text/xsl',
    'text/xml',
    'text/css',
    'text/javascript',
    'application/javascript',
    'application/xml',
    'application/xhtml+xml',
    'application/xslt+xml',
    'application/x-shockwave-flash',
    'application/wasm',
    'image/svg+xml',
    'image/svg',
    'multipart/x-mixed-replace; boundary=x',
    'message/rfc822',
    'application/vnd.mozilla.xul+xml',
    'image/png+xml',
    'TEXT/XSL; charset=utf-8',
  ])('%s is saved under no type that a browser runs', async (contentType) => {
    await subject.store.put(key, Buffer.from('<script>1</script>'), { contentType, maxBytes: 1000 });
    const transfer = await transfers.download(key, { ...download, contentType, inline: true });
    const { headers } = await send(transfer, Buffer.alloc(0));
    expect(headers.get('content-disposition')).toMatch(/^attachment;/);
    expect(headers.get('content-type')).toBe('application/octet-stream');
  });

  test('a fetch with another key, name, type or method, or an expired link, is refused', async () => {
    await subject.store.put(key, bytes(10), { contentType: 'image/png', maxBytes: 1000 });
    await subject.store.put(key.replace('shot', 'other'), bytes(10), { contentType: 'image/png', maxBytes: 1000 });
    const transfer = await transfers.download(key, { ...download, name: 'good.png' });
    expect((await send(transfer, Buffer.alloc(0))).ok).toBe(true);
    await expectRefused(replaceText(transfer, 'shot.png', 'other.png'));
    await expectRefused(replaceText(transfer, 'good.png', 'evil.exe'));
    await expectRefused(replaceText(transfer, 'image%2Fpng', 'text%2Fhtml'));
    if (transfer.url.includes('attachment')) await expectRefused(replaceText(transfer, 'attachment', 'inline'));
    await expectRefused(await subject.transfers(yesterday).download(key, download));
    await expectRefused({ ...transfer, method: 'PUT', headers: { 'content-type': 'image/png' } });
    expect(await subject.store.stat(key)).toMatchObject({ size: 10 });
  });

  test('a link to a missing object answers not found', async () => {
    const { status } = await send(await transfers.download(key, download), Buffer.alloc(0));
    expect(status).toBe(404);
  });

  test('an upload link cannot read', async () => {
    const transfer = await transfers.upload(key, { ...upload, maxBytes: 10 });
    await send(transfer, bytes(10));
    await expectRefused({ ...transfer, method: 'GET' });
  });

  test.each(['../x', 'a b', ''])('no link is made for the key %j', async (invalidKey) => {
    await expect(transfers.upload(invalidKey, upload)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
    await expect(transfers.download(invalidKey, download)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  });
}
