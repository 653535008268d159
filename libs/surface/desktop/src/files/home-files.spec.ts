import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { until } from '@pilothouse/testing/test-helpers';
import { link, mkdir, mkdtemp, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { collectFiles, homeFile, homePath, putFile } from './home-files.ts';

let root: string;
let home: string;
const inHome = (path: string) => join(home, path);
/** A minute after the files were written. */
const later = { clock: { ...systemClock, now: () => new Date(Date.now() + 60_000) }, timers: new ManualTimers() };
const collect = (pattern: string, isGlob = false, time = later) =>
  collectFiles(home, pattern, isGlob, join(root, 'out'), time);

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'pilothouse-home-'));
  home = join(root, 'home');
  await mkdir(join(home, 'docs/.cache'), { recursive: true });
  await writeFile(join(root, 'secret.txt'), 'secret');
  await writeFile(inHome('a.txt'), 'a');
  await writeFile(inHome('docs/b.txt'), 'bb');
  await writeFile(inHome('docs/.cache/c.txt'), 'ccc');
});
afterEach(() => rm(root, { recursive: true }));

test('a file is copied with its name, size and type', async () => {
  const [file] = await collect('docs/b.txt');
  expect(file).toMatchObject({ path: 'docs/b.txt', name: 'b.txt', size: 2, contentType: 'text/plain' });
  expect(await readFile(file?.copy ?? '', 'utf8')).toBe('bb');
});

test('a pattern matches in subfolders, but not in hidden ones', async () => {
  expect((await collect('*.txt', true)).map(({ path }) => path)).toEqual(['a.txt', 'docs/b.txt']);
  expect(await collect('*.pdf', true)).toEqual([]);
});

test('two files with one name are both copied', async () => {
  await writeFile(inHome('docs/a.txt'), 'another');
  const copies = (await collect('*a.txt', true)).map(({ copy }) => copy);
  expect(new Set(copies).size).toBe(2);
});

test('a missing file gives no result', async () => {
  expect(await collect('none.txt')).toEqual([]);
});

test.each([
  ['xyz', 'is not complete', []],
  ['x', 'is complete', [1]],
])('a file that was just written and has the text %s 300 ms later %s', async (text, _, sizes) => {
  await writeFile(inHome('growing.txt'), 'x');
  const timers = new ManualTimers();
  const { mtime } = await stat(inHome('growing.txt'));
  const collecting = collect('growing.txt', false, { clock: { ...systemClock, now: () => mtime }, timers });
  await until('the file is compared later', () => timers.delays.length > 0);
  expect(timers.delays).toEqual([300]);
  if (text !== 'x') await writeFile(inHome('growing.txt'), text);
  await timers.advance(300);
  expect((await collecting).map(({ size }) => size)).toEqual(sizes);
});

test.each(['../secret.txt', '/etc/passwd', 'docs/../../secret.txt', '~/../secret.txt', '.'])(
  'the path %s is refused',
  async (path) => {
    expect(() => homePath(home, path)).toThrow(
      expect.objectContaining({
        code: 'VALIDATION_FAILED',
        message: expect.stringContaining('is outside the home folder of the run'),
      }),
    );
    await expect(collect(path)).rejects.toThrow('is outside the home folder');
    await expect(putFile(home, join(root, 'secret.txt'), path)).rejects.toThrow('is outside the home folder');
    await expect(homeFile(home, path)).rejects.toThrow('is outside the home folder');
  },
);

test('a link is not followed: neither to a file nor through a folder', async () => {
  await symlink(join(root, 'secret.txt'), inHome('link.txt'));
  await symlink(root, inHome('folder'));
  await expect(collect('link.txt')).rejects.toThrow('link.txt is a link; name the file itself');
  await expect(collect('folder/secret.txt')).rejects.toThrow('secret.txt is outside the home folder of the run');
  expect(await collect('*secret.txt', true)).toEqual([]);
  // A dialog would follow the link.
  await expect(homeFile(home, 'folder/secret.txt')).rejects.toThrow('is outside the home folder');
  await expect(homeFile(home, 'folder/new.txt')).rejects.toThrow('is outside the home folder');
  await expect(homeFile(home, 'link.txt')).rejects.toThrow('link.txt is a link');
  await expect(putFile(home, inHome('a.txt'), 'folder/new.txt')).rejects.toThrow('is a link');
  await expect(putFile(home, inHome('a.txt'), 'link.txt')).rejects.toThrow('link.txt is a link');
  expect(await readFile(join(root, 'secret.txt'), 'utf8')).toBe('secret');
});

test('a folder is not a file', async () => {
  await expect(collect('docs')).rejects.toThrow('docs is not a file');
});

test('putFile replaces an existing file, and creates folders', async () => {
  const source = join(root, 'given.csv');
  await writeFile(source, 'x,y');
  expect(await putFile(home, source, 'new/deep/given.csv')).toEqual({ path: inHome('new/deep/given.csv') });
  expect(await readFile(inHome('new/deep/given.csv'), 'utf8')).toBe('x,y');
  await writeFile(inHome('a.txt'), 'a text that is longer');
  await putFile(home, source, '~/a.txt');
  expect(await readFile(inHome('a.txt'), 'utf8')).toBe('x,y');
});

test('a file above the limit is refused before it is copied', async () => {
  await writeFile(inHome('large.bin'), '');
  await truncate(inHome('large.bin'), 600 * 1024 * 1024);
  await expect(collect('large.bin')).rejects.toThrow('the limit is 512 MiB');
  await expect(stat(join(root, 'out/large.bin'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a second name of a file is a file of the home folder', async () => {
  await link(inHome('a.txt'), inHome('second.txt'));
  expect(await collect('second.txt')).toHaveLength(1);
});
