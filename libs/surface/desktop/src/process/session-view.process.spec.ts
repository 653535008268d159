import { execFile } from 'node:child_process';
import { chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A user that owns nothing else. */
const ORDINARY_UID = 190_000;

/** Folders that the tests create in those of the system. */
let configuration: string;
let clone: string;
let parent: string;
beforeEach(async () => {
  configuration = await mkdtemp('/etc/pilothouse-view-');
  clone = await mkdtemp('/opt/pilothouse-view-');
  parent = await mkdtemp('/tmp/pilothouse-view-');
  await promisify(execFile)('chmod', ['755', configuration, clone]);
});
afterEach(() => Promise.all([configuration, clone, parent].map((path) => rm(path, { recursive: true, force: true }))));

/** Runs a shell script in a view of an ordinary user. @returns its output */
async function runInView(script: string, visible: readonly string[] = []): Promise<string> {
  await chown(parent, ORDINARY_UID, ORDINARY_UID);
  const folder = join(parent, 'session');
  const module = join(import.meta.dirname, 'session-view.ts');
  const program = `
    const { mkdir } = await import('node:fs/promises');
    const { execFileSync } = await import('node:child_process');
    const { VIEW_SCRIPT, writeView } = await import(${JSON.stringify(module)});
    const folder = ${JSON.stringify(folder)};
    await mkdir(folder);
    const view = await writeView({ folder, uid: null, accounts: null, visible: ${JSON.stringify(visible)} });
    const namespaces = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child', '--mount', '--ipc', '--'];
    const command = ['sh', '-c', VIEW_SCRIPT, 'sh', view.root, view.maskedParent, view.table, '', 'sh', '-c', ${JSON.stringify(script)}];
    process.stdout.write(execFileSync('unshare', [...namespaces, ...command]));
  `;
  const asUser = ['--reuid', String(ORDINARY_UID), '--regid', String(ORDINARY_UID), '--clear-groups'];
  const node = ['--experimental-transform-types', '--no-warnings', '--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)('setpriv', [...asUser, process.execPath, ...node], { timeout: 20_000 });
  return stdout;
}

/** Writes a file of the ordinary user, with its folder. */
async function writeOwn(path: string, mode: number, owner = ORDINARY_UID): Promise<string> {
  await writeFile(path, 'secret', { mode });
  await chown(path, owner, ORDINARY_UID);
  return path;
}

const readAll = (paths: readonly string[]) =>
  paths.map((path) => `cat '${path}' 2>/dev/null || echo -n none; echo`).join('; ');

test('private files of the user below /etc cannot be read, and public ones can', async () => {
  const own = await writeOwn(join(configuration, 'own'), 0o600);
  const ofGroup = await writeOwn(join(configuration, 'of-group'), 0o640, 0);
  const shared = await writeOwn(join(configuration, 'shared'), 0o644, 0);
  const nested = join(configuration, 'nested');
  await mkdir(nested);
  await chown(nested, ORDINARY_UID, ORDINARY_UID);
  const inFolder = await writeOwn(join(nested, 'file'), 0o644);
  expect((await runInView(readAll([own, ofGroup, inFolder, shared]))).split('\n')).toEqual([
    '',
    '',
    'none',
    'secret',
    '',
  ]);
});

test('a clone of the user at /opt is absent, except for the files that are visible', async () => {
  await chown(clone, ORDINARY_UID, ORDINARY_UID);
  const secret = await writeOwn(join(clone, 'secret'), 0o644);
  const command = await writeOwn(join(clone, 'command'), 0o644);
  expect(await runInView(readAll([secret, command]), [command])).toBe('none\nsecret\n');
});

test('folders of the system are read-only, and give no rights of their owner', async () => {
  const options = (await runInView(`awk '$5 ~ "^/(usr|etc)(/|$)" { print $6 }' /proc/self/mountinfo`))
    .trim()
    .split('\n');
  expect(options.length).toBeGreaterThan(0);
  for (const flags of options) expect(flags.split(',')).toEqual(expect.arrayContaining(['ro', 'nosuid']));
});
