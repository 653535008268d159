import { mkdtemp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { precompress } from './precompress.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'precompress-'))));
afterEach(() => rm(folder, { recursive: true }));

test('writes a compressed file next to each compressible file, including subfolders', async () => {
  const script = 'export const a = 1;\n'.repeat(100);
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'assets/a.js'), script);
  await writeFile(join(folder, 'short.txt'), 'ok');
  precompress(folder);
  precompress(folder);
  const names = (await readdir(folder, { recursive: true })).sort();
  expect(names).toEqual(['assets', 'assets/a.js', 'assets/a.js.br', 'short.txt']);
  expect(brotliDecompressSync(await readFile(join(folder, 'assets/a.js.br'))).toString()).toBe(script);
});
