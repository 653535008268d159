import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { removeFolder } from './remove-folder.ts';

/** A user that owns nothing else. Root ignores permissions. */
const ORDINARY_UID = 190_000;

let parent: string;
beforeEach(async () => (parent = await mkdtemp('/tmp/pilothouse-remove-')));
afterEach(() => promisify(execFile)('rm', ['-rf', parent]));

test('a tree whose path is longer than the system accepts is removed', async () => {
  const name = 'n'.repeat(250);
  const nest = `for i in $(seq 30); do mkdir ${name} && cd -P ${name} || exit 1; done; touch file`;
  const folder = join(parent, 'session');
  await mkdir(folder);
  await promisify(execFile)('sh', ['-c', nest], { cwd: folder });
  await removeFolder(folder);
  expect(await readdir(parent)).toEqual([]);
});

test('a folder without permissions is removed by its owner', async () => {
  const folder = join(parent, 'session');
  const locked = join(folder, 'locked');
  await mkdir(locked, { recursive: true });
  await writeFile(join(locked, 'file'), '');
  for (const path of [parent, folder, locked]) await chown(path, ORDINARY_UID, ORDINARY_UID);
  await chmod(locked, 0);
  const file = join(import.meta.dirname, 'remove-folder.ts');
  const program = `const { removeFolder } = await import(${JSON.stringify(file)}); await removeFolder(${JSON.stringify(folder)});`;
  const asUser = ['--reuid', String(ORDINARY_UID), '--regid', String(ORDINARY_UID), '--clear-groups'];
  const node = ['--experimental-transform-types', '--no-warnings', '--input-type=module', '-e', program];
  await promisify(execFile)('setpriv', [...asUser, process.execPath, ...node]);
  expect(await readdir(parent)).toEqual([]);
});
