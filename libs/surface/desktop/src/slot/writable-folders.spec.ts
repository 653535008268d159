import { lstat, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyFolder, readMounts } from './writable-folders.ts';

const TABLE = `1 0 0:1 / / ro,relatime - overlay overlay rw,lowerdir=/a
2 1 0:2 / /proc rw,nosuid - proc proc rw
3 1 0:3 / /tmp rw,relatime - ext4 /dev/vda rw
4 1 0:4 / /run/pilothouse/slot-0 ro,relatime - tmpfs tmpfs rw
5 1 0:5 / /home/a\\040desktop rw,relatime shared:7 - tmpfs tmpfs rw,size=1k
6 1 0:6 / /dev/shm rw - tmpfs tmpfs rw
7 1 0:7 / /dev/shm ro - tmpfs tmpfs rw
8 1 0:8 / /data rw - ext4 /dev/vdb ro
`;

test('writable mounts are those that the mount and its file system allow, without those of the kernel', () => {
  const { all, writable } = readMounts(TABLE);
  expect(writable).toEqual(['/tmp', '/home/a desktop']);
  expect(all).toContain('/run/pilothouse/slot-0');
});

describe('a folder is emptied', () => {
  let root: string;
  let uid: number;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'pilothouse-writable-'));
    uid = (await lstat(root)).uid;
  });

  afterEach(() => rm(root, { recursive: true, force: true }));

  test('of folders with names of the largest length', async () => {
    for (const bytes of [254, 255]) {
      const name = 'x'.repeat(bytes);
      await mkdir(join(root, name, 'inner', 'innermost'), { recursive: true });
      await writeFile(join(root, name, 'inner', 'file'), 'x');
    }
    await emptyFolder(root, uid, new Set());
    expect(await readdir(root)).toEqual([]);
  });

  test('of folders that no path reaches', async () => {
    const name = 'y'.repeat(250);
    // Each level is made beside the tree, which then moves into it.
    for (let level = 0; level < 40; level += 1) {
      await mkdir(join(root, 'next'));
      if (level > 0) await rename(join(root, 'tree'), join(root, 'next', name));
      else await writeFile(join(root, 'next', 'file'), 'x');
      await rename(join(root, 'next'), join(root, 'tree'));
    }
    await emptyFolder(root, uid, new Set());
    expect(await readdir(root)).toEqual([]);
  });

  test('without mounts and files of other users', async () => {
    await mkdir(join(root, 'mount'));
    await writeFile(join(root, 'mount', 'kept'), 'x');
    await emptyFolder(root, uid, new Set([join(root, 'mount')]));
    expect(await readdir(join(root, 'mount'))).toEqual(['kept']);
    await emptyFolder(root, uid + 1, new Set());
    expect((await lstat(join(root, 'mount', 'kept'))).size).toBe(1);
  });
});
