import { FLEET_TOKEN, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { until } from '@pilothouse/testing/test-helpers';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../../..');

let gateway: ScriptedGateway;
let parent: string;
const workers: ChildProcess[] = [];

beforeAll(async () => {
  execFileSync(process.execPath, ['scripts/build.ts', 'worker'], { cwd: root });
  gateway = await ScriptedGateway.start();
  parent = await mkdtemp(join(tmpdir(), 'pilothouse-long-'));
}, 60_000);
afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await gateway.close();
  await rm(parent, { recursive: true });
});

/** A worker whose data folder has a path that is too long for sockets. */
async function startWorker(name: string): Promise<ChildProcess> {
  const folder = join(parent, name, 'a'.repeat(80));
  await mkdir(folder, { recursive: true });
  const tokenFile = join(folder, 'token');
  await writeFile(tokenFile, FLEET_TOKEN, { mode: 0o600 });
  const readyBefore = gateway.all('ready').length;
  const worker = spawn(process.execPath, [join(root, 'dist/worker/main.js')], {
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      PILOTHOUSE_SURFACE: 'desktop',
      PILOTHOUSE_GATEWAY_URL: gateway.url,
      PILOTHOUSE_FLEET_TOKEN_FILE: tokenFile,
      PILOTHOUSE_WORKER_NAME: name,
      PILOTHOUSE_WORKER_DATA_DIR: folder,
    },
    stdio: 'ignore',
  });
  workers.push(worker);
  await until(`worker ${name} is ready`, () => gateway.all('ready').length > readyBefore);
  return worker;
}

/** Folder below /tmp that the warm session of a worker uses. */
async function folderOf(worker: ChildProcess): Promise<string> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const [status = '', environment = ''] = await Promise.all(
      ['status', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
    );
    const [, folder] = /(?:^|\0)HOME=(\/tmp\/[^/\0]+)/.exec(environment) ?? [];
    if (folder && status.includes(`PPid:\t${worker.pid}\n`)) return folder;
  }
  throw new Error('The worker has no session below /tmp');
}

const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

async function stop(worker: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const exited = once(worker, 'exit');
  worker.kill(signal);
  await exited;
}

test('a worker removes the session folders below /tmp of killed workers, and no others', async () => {
  const [killed, running] = [await startWorker('killed'), await startWorker('running')];
  const [left, used] = [await folderOf(killed), await folderOf(running)];
  await stop(killed, 'SIGKILL');
  expect(await exists(left)).toBe(true);
  const next = await startWorker('next');
  const last = await folderOf(next);
  expect(await exists(left)).toBe(false);
  expect([await exists(used), await exists(last)]).toEqual([true, true]);
  await stop(running, 'SIGTERM');
  await stop(next, 'SIGTERM');
  expect([await exists(used), await exists(last)]).toEqual([false, false]);
}, 120_000);
