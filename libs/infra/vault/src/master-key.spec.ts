import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadMasterKey } from './master-key.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'master-'));
});
afterEach(() => rm(dir, { recursive: true }));

test('a missing file is created for its owner only, and read again later', async () => {
  const file = join(dir, 'below', 'master.key');
  const [key] = await loadMasterKey({ file });
  expect(key).toHaveLength(32);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(dir, 'below'))).mode & 0o777).toBe(0o700);
  expect(await loadMasterKey({ file })).toEqual([key]);
});

test('concurrent starts get the same key, and leave no other file', async () => {
  const start = performance.now();
  await loadMasterKey({ file: join(dir, 'alone') });
  const elapsedMs = performance.now() - start;
  for (let round = 0; round < 8; round++) {
    const file = join(dir, `master.${round}`);
    // A little apart, so that some have read the file while others are still making theirs.
    const startedAt = performance.now();
    const loadAfter = async (ms: number) => {
      while (performance.now() - startedAt < ms) await new Promise((resolve) => setImmediate(resolve));
      return loadMasterKey({ file });
    };
    const keys = await Promise.all(Array.from({ length: 20 }, (_, n) => loadAfter((n * elapsedMs) / 20)));
    expect(new Set(keys.map(([key]) => key.toString('hex'))).size).toBe(1);
  }
  expect(await readdir(dir)).toHaveLength(9);
});

test('a key in the settings overrides the file, which stays unchanged', async () => {
  const key = randomBytes(32);
  expect(await loadMasterKey({ key: key.toString('base64'), file: join(dir, 'master.key') })).toEqual([key]);
  expect(await loadMasterKey({ key: key.toString('base64url') })).toEqual([key]);
  expect(await readdir(dir)).toEqual([]);
});

test('several keys are read in order from either source', async () => {
  const keys = [randomBytes(32), randomBytes(32)];
  const texts = keys.map((key) => key.toString('base64'));
  const file = join(dir, 'master.key');
  await writeFile(file, `${texts.join('\n')}\n`);
  expect(await loadMasterKey({ file })).toEqual(keys);
  expect(await loadMasterKey({ key: texts.join(',') })).toEqual(keys);
});

test.each([
  ['too short', randomBytes(16).toString('base64')],
  ['too long', randomBytes(33).toString('base64')],
  ['no Base64', `${'*'.repeat(10)}${randomBytes(32).toString('base64')}`],
  ['a passphrase', 'correct-horse-battery-staple'],
])('a key that is %s is rejected with the command that creates one, and is not in the message', async (_, key) => {
  const loading = loadMasterKey({ key });
  await expect(loading).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('openssl rand'),
  });
  await expect(loading).rejects.not.toMatchObject({ message: expect.stringContaining(key) });
});

test('an empty or unreadable file is reported, and not replaced', async () => {
  const file = join(dir, 'master.key');
  await writeFile(file, '\n');
  await expect(loadMasterKey({ file })).rejects.toMatchObject({ message: expect.stringContaining(`${file} is empty`) });
  expect(await readFile(file, 'utf8')).toBe('\n');
  await expect(loadMasterKey({ file: dir })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await expect(loadMasterKey({})).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});
