import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { until } from '@pilothouse/testing/test-helpers';
import { link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionClient } from '../session/session-client.ts';
import { homeFile, HomePathError, matchingFiles, readChunk, writeChunk, type FileTime } from './home-files.ts';
import { collectFiles, putFile as putSessionFile } from '../session/session-files.ts';

let root: string;
let home: string;
const inHome = (path: string) => join(home, path);
/** A minute after the files were written. */
const later = { clock: { ...systemClock, now: () => new Date(Date.now() + 60_000) }, timers: new ManualTimers() };

/** The procedures of a session, without its process. */
const sessionWith = (time: FileTime) => {
  const procedures: Record<string, (args: never) => Promise<unknown>> = {
    matchingFiles: ({ pattern, isGlob }: { pattern: string; isGlob: boolean }) =>
      matchingFiles(home, pattern, isGlob, time),
    readFile: ({ path, position }: { path: string; position: number }) => readChunk(home, path, position),
    writeFile: ({ path, position, data }: { path: string; position: number; data: Uint8Array }) =>
      writeChunk(home, path, position, data),
  };
  const call = async (name: string, args: never) => procedures[name]?.(args);
  return { call } as unknown as SessionClient;
};
const collect = (pattern: string, isGlob = false, time: FileTime = later) =>
  collectFiles(sessionWith(time), { pattern, isGlob }, join(root, 'out'), {});
const putFile = (source: string, path: string) => putSessionFile(sessionWith(later), source, path, {});

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

test('two files whose name has 255 bytes are both copied, with their extension', async () => {
  const name = `${'é'.repeat(125)}a.txt`;
  for (const folder of ['', 'docs/']) await writeFile(inHome(folder + name), 'x');
  const copies = (await collect('*a.txt', true)).map(({ copy }) => copy).filter((copy) => copy.includes('é'));
  expect(copies).toHaveLength(2);
  expect(copies.every((copy) => copy.endsWith('éa.txt'))).toBe(true);
});

/** A session with these files, of which one fails while it is read. */
const sessionOf = (sizes: readonly number[], failing: string) => {
  const files = sizes.map((size, index) => ({ path: `${index}.txt`, size, version: '1' }));
  const call = async (name: string, { path }: { path: string }) => {
    if (name === 'matchingFiles') return files;
    if (path === failing) throw new Error('The file cannot be read');
    return { version: '1', data: Buffer.alloc(0) };
  };
  return { call } as unknown as SessionClient;
};
const collectAll = (session: SessionClient) =>
  collectFiles(session, { pattern: '*', isGlob: true }, join(root, 'out'), {});

test('more than 2 GiB together are refused before anything is copied', async () => {
  const session = sessionOf(Array<number>(5).fill(500 * 1_048_576), '');
  await expect(collectAll(session)).rejects.toThrow('more than 2048 MiB together');
  await expect(readdir(join(root, 'out'))).rejects.toThrow('ENOENT');
});

test('a file that cannot be read leaves no copy of the others', async () => {
  await expect(collectAll(sessionOf([1, 1], '1.txt'))).rejects.toThrow('cannot be read');
  expect(await readdir(join(root, 'out'))).toEqual([]);
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
    await expect(homeFile(home, path)).rejects.toThrow(HomePathError);
    await expect(collect(path)).rejects.toThrow('is outside the home folder');
    await expect(putFile(join(root, 'secret.txt'), path)).rejects.toThrow('is outside the home folder');
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
  await expect(putFile(inHome('a.txt'), 'folder/new.txt')).rejects.toThrow('is a link');
  await expect(putFile(inHome('a.txt'), 'link.txt')).rejects.toThrow('link.txt is a link');
  expect(await readFile(join(root, 'secret.txt'), 'utf8')).toBe('secret');
});

test('a folder is not a file', async () => {
  await expect(collect('docs')).rejects.toThrow('docs is not a file');
});

test('putFile replaces an existing file, and creates folders', async () => {
  const source = join(root, 'given.csv');
  await writeFile(source, 'x,y');
  expect(await putFile(source, 'new/deep/given.csv')).toBe(inHome('new/deep/given.csv'));
  expect(await readFile(inHome('new/deep/given.csv'), 'utf8')).toBe('x,y');
  await writeFile(inHome('a.txt'), 'a text that is longer');
  await putFile(source, '~/a.txt');
  expect(await readFile(inHome('a.txt'), 'utf8')).toBe('x,y');
});

test('a file above the limit is refused before it is copied', async () => {
  await writeFile(inHome('large.bin'), '');
  await truncate(inHome('large.bin'), 600 * 1024 * 1024);
  await expect(collect('large.bin')).rejects.toThrow('the limit is 512 MiB');
  await expect(stat(join(root, 'out/large.bin'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a file of several chunks arrives whole in both directions', async () => {
  const content = Buffer.alloc(2_500_000, 'chunk ');
  await writeFile(join(root, 'long.bin'), content);
  await putFile(join(root, 'long.bin'), 'long.bin');
  expect(await readFile(inHome('long.bin'))).toEqual(content);
  const [file] = await collect('long.bin');
  expect(await readFile(file?.copy ?? '')).toEqual(content);
});

test('an empty file is put and collected', async () => {
  await writeFile(join(root, 'empty'), '');
  await putFile(join(root, 'empty'), 'empty');
  expect(await collect('empty')).toMatchObject([{ size: 0 }]);
});

test('a second name of a file is a file of the home folder', async () => {
  await link(inHome('a.txt'), inHome('second.txt'));
  expect(await collect('second.txt')).toHaveLength(1);
});
