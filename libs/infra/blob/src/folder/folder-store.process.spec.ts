import { mkdtemp, readdir, readFile, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { bytes, listAll, readAll, errorCodeOf, byteStream } from '../conformance/byte-streams.ts';
import { storeConformance } from '../conformance/blob-store.conformance.ts';
import { toWriteError } from './durable-fs.ts';
import { createFolderStore } from './folder.store.ts';

const png = { contentType: 'image/png', maxBytes: 1000 };

describe('the folder store', () => {
  let dir: string;
  let store: BlobStore;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'objects-'));
    store = await createFolderStore(dir, systemClock);
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  storeConformance(() => createFolderStore(dir, systemClock));

  test('a failed write leaves no file', async () => {
    await errorCodeOf(store.put('failed/a', byteStream(bytes(5000)), png));
    await errorCodeOf(store.put('failed/b', byteStream(bytes(500), { breaksOff: true }), png));
    expect(await readdir(join(dir, '~tmp'))).toEqual([]);
    expect(await readdir(dir)).toEqual(['~tmp']);
  });

  test('removing the last object of a folder removes the folder', async () => {
    await store.put('deep/er/a', Buffer.from('x'), png);
    await store.put('deep/b', Buffer.from('x'), png);
    await store.delete(['deep/er/a']);
    expect(await readdir(join(dir, 'deep'))).toEqual(['b']);
    await store.delete(['deep/b']);
    expect(await readdir(dir)).toEqual(['~tmp']);
  });

  test('concurrent writes and removals in one folder do not interfere', async () => {
    await Promise.all(
      Array.from({ length: 200 }, async (_, n) => {
        await store.put(`busy/folder/${n}`, Buffer.from('x'), png);
        await store.delete([`busy/folder/${n}`]);
      }),
    );
    expect(await listAll(store.list('busy'))).toEqual([]);
  });

  test('symbolic links to files and folders are not followed', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'outside-'));
    // The target outside is a complete object, so only the link check can refuse it.
    await store.put('links/object', Buffer.from('secret'), png);
    await rename(join(dir, 'links', 'object'), join(outside, 'secret'));
    const secret = await readFile(join(outside, 'secret'));
    await symlink(join(outside, 'secret'), join(dir, 'links', 'file'));
    await symlink(outside, join(dir, 'links', 'folder'));
    expect(await store.stat('links/file')).toBeNull();
    expect(await store.stat('links/folder/secret')).toBeNull();
    expect(await errorCodeOf(store.get('links/folder/secret'))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await errorCodeOf(store.put('links/folder/new', Buffer.from('x'), png))).toMatchObject({
      code: 'UPLOAD_FAILED',
    });
    expect(await errorCodeOf(store.put('links/folder/sub/new', Buffer.from('x'), png))).toMatchObject({
      code: 'UPLOAD_FAILED',
    });
    await store.delete(['links/folder/secret']);
    expect(await listAll(store.list('links/'))).toEqual([]);
    expect(await readdir(outside)).toEqual(['secret']);
    // A link in the place of an object is replaced, not followed.
    await store.put('links/file', Buffer.from('own'), png);
    expect(await readFile(join(outside, 'secret'))).toEqual(secret);
    expect((await readAll(await store.get('links/file'))).toString()).toBe('own');
    await rm(join(dir, 'links'), { recursive: true });
    await rm(outside, { recursive: true });
  });

  test('a file without the footer is not an object', async () => {
    await writeFile(join(dir, 'foreign.txt'), 'dropped here by hand');
    await writeFile(join(dir, 'tiny'), 'x');
    expect(await store.stat('foreign.txt')).toBeNull();
    expect(await store.stat('tiny')).toBeNull();
    await rm(join(dir, 'foreign.txt'));
    await rm(join(dir, 'tiny'));
  });

  test('a start removes only temporary files that are older than a day', async () => {
    const old = join(dir, '~tmp', 'old');
    const recent = join(dir, '~tmp', 'fresh');
    await writeFile(old, 'half');
    await writeFile(recent, 'half');
    const dayAndHour = new Date(Date.now() - 25 * 3600 * 1000);
    await utimes(old, dayAndHour, dayAndHour);
    await createFolderStore(dir, systemClock);
    expect(await readdir(join(dir, '~tmp'))).toEqual(['fresh']);
    await rm(recent);
  });

  test('a key that is a folder, or lies below an object, is refused with a reason', async () => {
    await store.put('way/object', Buffer.from('x'), png);
    expect(await errorCodeOf(store.put('way', Buffer.from('x'), png))).toMatchObject({
      code: 'UPLOAD_FAILED',
      message: expect.stringContaining('folder of other objects'),
    });
    expect(await errorCodeOf(store.put('way/object/below', Buffer.from('x'), png))).toMatchObject({
      code: 'UPLOAD_FAILED',
    });
    await store.delete(['way/object']);
  });

  test('a full disk is reported with a readable message', async () => {
    // /dev/full produces a real ENOSPC.
    const full = await errorCodeOf(writeFile('/dev/full', 'x'));
    expect(toWriteError(full, 'a/b')).toMatchObject({
      code: 'UPLOAD_FAILED',
      message: 'The object a/b was not stored: the disk is full; make room or lower the retention',
    });
  });

  test('an unusable folder is UNAVAILABLE, at the start and in the health check', async () => {
    const file = join(dir, 'a-file');
    await writeFile(file, '');
    expect(await errorCodeOf(createFolderStore(file, systemClock))).toMatchObject({ code: 'UNAVAILABLE' });
    await rm(file);
    const removedDir = await mkdtemp(join(tmpdir(), 'gone-'));
    const store = await createFolderStore(removedDir, systemClock);
    await rm(removedDir, { recursive: true });
    expect(await errorCodeOf(store.check())).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining(removedDir),
    });
  });
});
