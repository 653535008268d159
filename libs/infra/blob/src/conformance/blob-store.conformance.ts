import { randomUUID } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { bytes, listAll, readAll, errorCodeOf, byteStream, stalledStream } from './byte-streams.ts';

const MIB = 1024 * 1024;
const png = { contentType: 'image/png', maxBytes: 100 };

/**
 * Conformance suite for object stores. The spec of each adapter runs it.
 * @param open creates the store under test
 */
export function storeConformance(open: () => Promise<BlobStore>): void {
  let store: BlobStore;
  let folder: string;
  beforeAll(async () => {
    store = await open();
  });
  beforeEach(() => {
    folder = `conformance/${randomUUID()}`;
  });
  afterEach(async () => store.delete(await listAll(store.list(`${folder}/`))));

  test('an object reads back as it was written, with its type and length', async () => {
    const body = bytes(100_000);
    const written = await store.put(`${folder}/shot.png`, body, { contentType: 'image/png', maxBytes: 100_000 });
    expect(written).toMatchObject({ size: 100_000, contentType: 'image/png' });
    expect(await readAll(await store.get(`${folder}/shot.png`))).toEqual(body);
    const stat = await store.stat(`${folder}/shot.png`);
    expect(stat).toMatchObject({ size: 100_000, contentType: 'image/png' });
    expect(Math.abs((stat?.modifiedAt.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  // The S3 adapter sends the second size in parts.
  test.each([5, 9 * MIB])('an object of %i bytes that has to be new replaces nothing', async (length) => {
    const options = { contentType: 'image/png', maxBytes: length, isNew: true };
    await store.put(`${folder}/once`, bytes(length), options);
    await expect(store.put(`${folder}/once`, Buffer.alloc(length), options)).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    expect((await readAll(await store.get(`${folder}/once`))).equals(bytes(length))).toBe(true);
    expect(await listAll(store.list(`${folder}/`))).toEqual([`${folder}/once`]);
  });

  test('objects are copied with their types; missing sources are returned', async () => {
    await store.put(`${folder}/a`, bytes(1000), { contentType: 'image/png', maxBytes: 1000 });
    await store.put(`${folder}/b`, bytes(10), { contentType: 'text/plain', maxBytes: 10 });
    const copies = [
      { source: `${folder}/a`, target: `${folder}/copies/1/a` },
      { source: `${folder}/none`, target: `${folder}/copies/2` },
      { source: `${folder}/a`, target: `${folder}/b` },
    ];
    expect(await store.copy(copies)).toEqual([`${folder}/none`]);
    expect(await store.copy(copies.slice(0, 1))).toEqual([]);
    await store.put(`${folder}/a`, bytes(5), { contentType: 'text/plain', maxBytes: 5 });
    for (const key of [`${folder}/copies/1/a`, `${folder}/b`]) {
      expect((await readAll(await store.get(key))).equals(bytes(1000))).toBe(true);
      expect(await store.stat(key)).toMatchObject({ size: 1000, contentType: 'image/png' });
    }
    await store.delete([`${folder}/a`]);
    expect(await listAll(store.list(`${folder}/`))).toEqual([`${folder}/b`, `${folder}/copies/1/a`]);
  });

  test('an empty object can be stored', async () => {
    await store.put(`${folder}/empty`, Buffer.alloc(0), { contentType: 'text/plain; charset=utf-8', maxBytes: 0 });
    expect(await store.stat(`${folder}/empty`)).toMatchObject({ size: 0, contentType: 'text/plain; charset=utf-8' });
    expect(await readAll(await store.get(`${folder}/empty`))).toEqual(Buffer.alloc(0));
  });

  // The S3 adapter sends objects from 8 MiB in parts.
  test.each([0, 1, 8 * MIB - 1, 8 * MIB, 8 * MIB + 1, 20 * MIB])(
    'a stream of %i bytes without a known length is stored completely',
    async (length) => {
      const body = bytes(length);
      await store.put(`${folder}/big`, byteStream(body, { piece: 100_000 }), {
        contentType: 'application/zip',
        maxBytes: length,
      });
      const stored = await readAll(await store.get(`${folder}/big`));
      expect(stored.length).toBe(length);
      expect(stored.equals(body)).toBe(true);
      expect(await store.stat(`${folder}/big`)).toMatchObject({ size: length, contentType: 'application/zip' });
    },
  );

  test('a second write replaces the bytes and the type of the first', async () => {
    await store.put(`${folder}/a`, Buffer.from('first and longer'), { contentType: 'text/plain', maxBytes: 100 });
    await store.put(`${folder}/a`, Buffer.from('{}'), { contentType: 'application/json', maxBytes: 100 });
    expect(await store.stat(`${folder}/a`)).toMatchObject({ size: 2, contentType: 'application/json' });
    expect((await readAll(await store.get(`${folder}/a`))).toString()).toBe('{}');
  });

  test('a part of an object can be read', async () => {
    const body = bytes(1000);
    await store.put(`${folder}/a`, body, { contentType: 'image/png', maxBytes: 1000 });
    const part = async (start: number, end?: number) => readAll(await store.get(`${folder}/a`, { start, end }));
    expect(await part(0, 0)).toEqual(body.subarray(0, 1));
    expect(await part(10, 19)).toEqual(body.subarray(10, 20));
    expect(await part(990)).toEqual(body.subarray(990));
    expect(await part(999, 5000)).toEqual(body.subarray(999));
    expect(await part(0)).toEqual(body);
    expect(await errorCodeOf(store.get(`${folder}/a`, { start: 1000 }))).toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  test('a missing object has no metadata and cannot be read', async () => {
    expect(await store.stat(`${folder}/none`)).toBeNull();
    expect(await errorCodeOf(store.get(`${folder}/none`))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await errorCodeOf(store.get(`${folder}/none`, { start: 1 }))).toMatchObject({ code: 'NOT_FOUND' });
    await store.put(`${folder}/a/b`, Buffer.from('x'), png);
    expect(await store.stat(`${folder}/a`)).toBeNull();
    expect(await store.stat(`${folder}/a/b/c`)).toBeNull();
  });

  test.each([100_000, 9 * MIB])(
    'more than maxBytes is refused after %i bytes, and nothing is left',
    async (maxBytes) => {
      const body = byteStream(bytes(2 * maxBytes + 1_000_000));
      const error = await errorCodeOf(store.put(`${folder}/big`, body, { contentType: 'image/png', maxBytes }));
      expect(error).toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
      expect(await store.stat(`${folder}/big`)).toBeNull();
      expect(await listAll(store.list(`${folder}/`))).toEqual([]);
      // The sender is still connected and can receive the response.
      expect(body.destroyed).toBe(false);
      body.destroy();
    },
  );

  test.each([1000, 9 * MIB])('a body that is cut off after %i bytes does not change the object', async (length) => {
    await store.put(`${folder}/a`, Buffer.from('before'), { contentType: 'text/plain', maxBytes: 100 });
    const broken = byteStream(bytes(length), { breaksOff: true });
    const error = await errorCodeOf(
      store.put(`${folder}/a`, broken, { contentType: 'image/png', maxBytes: 2 * length }),
    );
    expect(error).toMatchObject({ code: 'UPLOAD_FAILED', message: expect.stringContaining('the sender hung up') });
    expect(await store.stat(`${folder}/a`)).toMatchObject({ size: 6, contentType: 'text/plain' });
  });

  test('aborting the signal ends a write that waits for its body', async () => {
    const abort = new AbortController();
    const body = stalledStream();
    const writing = store.put(`${folder}/a`, body, { ...png, signal: abort.signal });
    body.once('resume', () => undefined);
    abort.abort(new PilothouseError('RUN_CANCELLED', 'Enough'));
    expect(await errorCodeOf(writing)).toMatchObject({ code: 'RUN_CANCELLED' });
    expect(await store.stat(`${folder}/a`)).toBeNull();
  });

  test('remove deletes the named object only', async () => {
    for (const name of ['a', 'b/c', 'b/d', 'e']) await store.put(`${folder}/${name}`, Buffer.from(name), png);
    await store.delete([`${folder}/a`, `${folder}/b/c`, `${folder}/never`, `${folder}/b`]);
    expect(await listAll(store.list(`${folder}/`))).toEqual([`${folder}/b/d`, `${folder}/e`]);
    await store.delete([]);
  });

  test('a list has every key with the prefix, in byte order', async () => {
    const names = ['a', 'a-b/x', 'a.txt', 'aa/1', 'aa/10', 'aa/9', 'b/c/d', 'b/c-d', 'z', 'Z', '007'];
    for (const name of [...names].reverse()) await store.put(`${folder}/${name}`, Buffer.from(name), png);
    const ordered = names.map((name) => `${folder}/${name}`).sort();
    expect(await listAll(store.list(`${folder}/`))).toEqual(ordered);
    expect(await listAll(store.list(folder))).toEqual(ordered);
    for (const [index, startKey] of ordered.entries())
      expect(await listAll(store.list(`${folder}/`, { startAfter: startKey }))).toEqual(ordered.slice(index + 1));
    expect(await listAll(store.list(`${folder}/aa/`))).toEqual([`${folder}/aa/1`, `${folder}/aa/10`, `${folder}/aa/9`]);
    expect(await listAll(store.list(`${folder}/aa/1`))).toEqual([`${folder}/aa/1`, `${folder}/aa/10`]);
    expect(await listAll(store.list(`${folder}/nothing`))).toEqual([]);
  });

  test('lists and removals cover more than one page', async () => {
    const names = Array.from({ length: 1003 }, (_, n) => `${folder}/many/${String(n).padStart(4, '0')}`);
    for (let start = 0; start < names.length; start += 50) {
      await Promise.all(names.slice(start, start + 50).map((name) => store.put(name, Buffer.from(name), png)));
    }
    expect(await listAll(store.list(`${folder}/many/`))).toEqual(names);
    await store.delete(names);
    expect(await listAll(store.list(`${folder}/`))).toEqual([]);
  });

  test.each([
    '',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    '../a',
    'a/./b',
    'a b',
    'a\\b',
    'a\0b',
    'a\nb',
    'ä',
    'a%2e',
    'a~b',
    `a/${'x'.repeat(201)}`,
    'a/'.repeat(600) + 'a',
  ])('the key %j is refused everywhere', async (key) => {
    const invalid = { code: 'VALIDATION_FAILED' };
    expect(await errorCodeOf(store.put(key, Buffer.from('x'), png))).toMatchObject(invalid);
    expect(await errorCodeOf(store.get(key))).toMatchObject(invalid);
    expect(await errorCodeOf(store.stat(key))).toMatchObject(invalid);
    expect(await errorCodeOf(store.delete([key]))).toMatchObject(invalid);
  });

  test.each(['../', '/', 'a/../', 'a b', 'a//'])('the prefix %j is refused', async (prefix) => {
    expect(await errorCodeOf(listAll(store.list(prefix)))).toMatchObject({ code: 'VALIDATION_FAILED' });
  });

  test.each(['', 'png', 'image/png\r\nx-evil: 1', 'image/', `a/${'x'.repeat(300)}`])(
    'the content type %j is refused',
    async (contentType) => {
      const error = await errorCodeOf(store.put(`${folder}/a`, Buffer.from('x'), { contentType, maxBytes: 10 }));
      expect(error).toMatchObject({ code: 'VALIDATION_FAILED' });
    },
  );

  test('concurrent writes to one key leave one complete object', async () => {
    const bodies = Array.from({ length: 8 }, (_, n) => bytes(50_000 + n, `writer ${n}`));
    await Promise.all(
      bodies.map((body) =>
        store.put(`${folder}/race`, byteStream(body), { contentType: 'image/png', maxBytes: 60_000 }),
      ),
    );
    const stored = await readAll(await store.get(`${folder}/race`));
    expect(bodies.some((body) => body.equals(stored))).toBe(true);
  });

  test('the health check passes and leaves no object', async () => {
    await store.check();
    expect(await listAll(store.list(`${folder}/`))).toEqual([]);
  });
}
