import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkerExit } from '@pilothouse/core/ports/fleet-driver.port';
import { systemClock, type Context } from '@pilothouse/core/ports/runtime.port';
import { holdsWithin } from '@pilothouse/core/time/deadlines';
import { MemoryJoinTokens } from '../../testing/join-tokens.fixture.ts';
import { LogLines } from '../../testing/log-lines.fixture.ts';
import { LocalDriver, type LocalDriverOptions } from './local.driver.ts';
import { findWorkerProcesses, processStartTime } from './worker-process-tree.ts';

/** Milliseconds for a condition to become true. */
const EXPECT_TIMEOUT_MS = 30_000;

const fixture = join(import.meta.dirname, '../../testing/fake-worker.fixture.ts');
const plan = { fleet: 'browser', surface: 'browser' as const, slots: 3 };
const isRoot = process.getuid?.() === 0;
const onLinux = process.platform === 'linux';

let folder: string;
let lines: LogLines;
let joinTokens: MemoryJoinTokens;
let drivers: LocalDriver[];
let controllers: ChildProcess[];
const context = (ms = 5_000): Context => ({
  signal: new AbortController().signal,
  deadline: systemClock.monotonic() + ms,
  log: lines,
});

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'fleet-spec-')));
  await chmod(folder, 0o755);
  lines = new LogLines();
  joinTokens = new MemoryJoinTokens();
  drivers = [];
  controllers = [];
});
afterEach(async () => {
  for (const child of controllers) child.kill('SIGKILL');
  for (const driver of drivers) await driver.close(context(0));
  await rm(folder, { recursive: true, force: true });
});

async function open(mode: string[], options: Partial<LocalDriverOptions> = {}): Promise<LocalDriver> {
  const driver = await LocalDriver.open({
    command: [process.execPath, fixture, 'silent', ...mode],
    workFolder: folder,
    gatewayUrl: 'ws://127.0.0.1:9',
    joinTokens,
    environment: {
      PATH: '/usr/bin:/bin',
      LANG: 'C.UTF-8',
      LOG_LEVEL: 'debug',
      PILOTHOUSE_HEADLESS: 'true',
      DATABASE_URL: 'postgres://secret',
      PILOTHOUSE_MASTER_KEY: 'secret',
      NODE_OPTIONS: '--no-warnings',
      DISPLAY: ':1',
    },
    log: lines,
    ...options,
  });
  drivers.push(driver);
  return driver;
}

/** Makes a worker and waits for its first line. */
async function create(driver: LocalDriver, name = 'browser-a') {
  await driver.create(plan, name, context());
  expect(await holdsWithin(() => lines.find(`${name}: started`) !== undefined, EXPECT_TIMEOUT_MS)).toBe(true);
  const pidFile = JSON.parse(await readFile(join(folder, 'pids', `${name}.json`), 'utf8'));
  const children = lines.find(`${name}: started`)?.facts['children'] as number[];
  return { pid: pidFile.process.pid as number, children };
}

const hasEnded = async (pid: number) => (await processStartTime(pid)) === null;
const firstExit = (driver: LocalDriver) => new Promise<WorkerExit>((resolve) => driver.onExit(resolve));

test('a worker inherits only allowed environment variables', async () => {
  const driver = await open([]);
  const { pid } = await create(driver);
  expect(await driver.list()).toMatchObject([{ name: 'browser-a', fleet: 'browser', state: 'running' }]);
  if (!onLinux) return;
  const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
  const entries = environment.split('\0').filter(Boolean).sort();
  const home = entries.find((entry) => entry.startsWith('HOME='))?.slice(5) ?? '';
  expect(entries).toEqual(
    [
      `HOME=${home}`,
      'LANG=C.UTF-8',
      'LOG_LEVEL=debug',
      'PATH=/usr/bin:/bin',
      'PILOTHOUSE_FLEET_TOKEN_FD=3',
      'PILOTHOUSE_GATEWAY_URL=ws://127.0.0.1:9',
      'PILOTHOUSE_HEADLESS=true',
      'PILOTHOUSE_EXIT_WITH_PARENT=true',
      'PILOTHOUSE_SLOTS=3',
      'PILOTHOUSE_SURFACE=browser',
      `PILOTHOUSE_WORKER_DATA_DIR=${join(home, '../work')}`,
      'PILOTHOUSE_WORKER_NAME=browser-a',
    ].sort(),
  );
});

test('a worker gets its own join token on a descriptor, and closes it', async () => {
  const driver = await open(['children']);
  const { pid, children } = await create(driver);
  expect(joinTokens.issued).toEqual(['browser/browser-a']);
  expect(lines.find('browser-a: started')?.facts['joinedAs']).toBe('browser-a');
  if (!onLinux) return;
  for (const id of [pid, ...children]) {
    expect(await readFile(`/proc/${id}/environ`, 'latin1')).not.toContain('token-of-the-worker');
    expect(await readFile(`/proc/${id}/cmdline`, 'latin1')).not.toContain('token-of-the-worker');
  }
  for (const id of children) expect(await readdir(`/proc/${id}/fd`)).not.toContain('3');
});

test('no worker starts without a join token', async () => {
  const driver = await open([]);
  joinTokens.error = new Error('the database is not available');
  await expect(driver.create(plan, 'browser-a', context())).rejects.toThrow('the database is not available');
  expect(await driver.list()).toEqual([]);
  expect(existsSync(join(folder, 'workers/browser-a'))).toBe(false);
});

test('under root, a worker runs as another user in its own folders', async () => {
  const driver = await open([]);
  const { pid } = await create(driver);
  const cwd = lines.find('browser-a: started')?.facts['cwd'] as string;
  expect(cwd).toBe(join(folder, 'workers/browser-a/work'));
  expect((await stat(cwd)).mode & 0o777).toBe(0o700);
  if (isRoot && onLinux) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const uid = driver.user?.uid;
    expect(uid).toBeGreaterThan(0);
    expect(status).toMatch(new RegExp(`Uid:\\s${uid}\\s${uid}\\s${uid}\\s${uid}\\n`));
    expect(status).toMatch(/Groups:\s*\n/);
    expect((await stat(cwd)).uid).toBe(uid);
    expect((await stat(join(folder, 'pids'))).mode & 0o777).toBe(0o700);
  } else expect(driver.user).toBeNull();
});

test('worker folders lie outside a private data folder', async () => {
  await chmod(folder, 0o700);
  const driver = await open([]);
  await create(driver);
  const cwd = lines.find('browser-a: started')?.facts['cwd'] as string;
  expect(cwd.startsWith(folder)).toBe(driver.user === null);
  await driver.close(context());
  expect(existsSync(join(cwd, '../..'))).toBe(false);
});

test('if the worker user cannot read the program, workers run as the controller and one warning is logged', async () => {
  const isHidden = join(folder, 'hidden');
  await mkdir(isHidden, { mode: 0o700 });
  await open([]);
  expect(lines.all).toEqual([]);
  const script = join(isHidden, 'worker.js');
  await writeFile(script, '');
  const blocked = await open([], { command: [process.execPath, script] });
  expect(blocked.user).toBeNull();
  const warnings = lines.all.filter(({ level }) => level === 'warn');
  expect(warnings).toEqual(
    isRoot
      ? [
          expect.objectContaining({
            message: 'workers run as root, path not readable for their user',
            facts: expect.objectContaining({ path: script }),
          }),
        ]
      : [],
  );
});

test('worker output is logged with the worker name and its level', async () => {
  const driver = await open([]);
  await create(driver);
  expect(await holdsWithin(() => lines.find('a plain line') !== undefined, EXPECT_TIMEOUT_MS)).toBe(true);
  expect(lines.find('browser-a: started')).toMatchObject({ level: 'info', facts: { worker: 'browser-a' } });
  expect(lines.find('a plain line')).toMatchObject({ level: 'info', message: 'browser-a: a plain line' });
});

test('killing a worker kills its process tree and reports the exit at once', async () => {
  const driver = await open(['children']);
  const exit = firstExit(driver);
  const { pid, children } = await create(driver);
  process.kill(pid, 'SIGKILL');
  expect(await exit).toMatchObject({ name: 'browser-a', fleet: 'browser', description: 'SIGKILL' });
  expect(await driver.list()).toEqual([]);
  await driver.close(context());
  expect(await holdsWithin(() => hasEnded(children[0] ?? 0), EXPECT_TIMEOUT_MS)).toBe(true);
  if (onLinux) expect(await holdsWithin(() => hasEnded(children[1] ?? 0), EXPECT_TIMEOUT_MS)).toBe(true);
  else process.kill(children[1] ?? 0, 'SIGKILL');
  expect(await readdir(join(folder, 'pids'))).toEqual([]);
});

test('a worker that fails reports its last error', async () => {
  const driver = await open(['broken']);
  const exit = firstExit(driver);
  await driver.create(plan, 'browser-a', context());
  expect(await exit).toMatchObject({ description: 'exit code 3: broken on purpose' });
});

test('a stopped worker exits by itself', async () => {
  const driver = await open([]);
  const exit = firstExit(driver);
  await create(driver);
  await driver.stop('browser-a');
  expect(await driver.list()).toMatchObject([{ state: 'stopping' }]);
  expect(await exit).toMatchObject({ description: 'exit code 0' });
});

test('a worker that ignores SIGTERM is killed after the grace period', async () => {
  const driver = await open(['deaf', 'children'], { stopGraceMs: 200 });
  const exit = firstExit(driver);
  const { children } = await create(driver);
  await driver.stop('browser-a');
  expect(await exit).toMatchObject({ description: 'SIGKILL' });
  expect(
    await holdsWithin(
      async () => (await hasEnded(children[0] ?? 0)) && (!onLinux || (await hasEnded(children[1] ?? 0))),
      EXPECT_TIMEOUT_MS,
    ),
  ).toBe(true);
});

test('closing stops all workers and kills the rest at the deadline', async () => {
  const driver = await open(['deaf']);
  const pids = [(await create(driver, 'browser-a')).pid, (await create(driver, 'browser-b')).pid];
  await driver.close(context(300));
  expect(await Promise.all(pids.map(hasEnded))).toEqual([true, true]);
  await expect(driver.create(plan, 'browser-c', context())).rejects.toThrow('stopping');
});

test('a program that cannot start is reported with the setting to fix', async () => {
  const driver = await open([], { command: ['/nowhere/to/be/found'] });
  await expect(driver.create(plan, 'browser-a', context())).rejects.toThrow('PILOTHOUSE_WORKER_COMMAND');
  expect(await driver.list()).toEqual([]);
});

/** A controller in a separate process, to be killed. */
async function controller(mode: string[]) {
  const script = `
    import { LocalDriver } from ${JSON.stringify(join(import.meta.dirname, 'local.driver.ts'))};
    const started = Promise.withResolvers();
    const log = { debug() {}, info(facts) { if (facts.children) started.resolve(facts.children); }, warn() {}, error() {} };
    const driver = await LocalDriver.open({ command: ${JSON.stringify([process.execPath, fixture, 'silent', ...mode])},
      workFolder: ${JSON.stringify(folder)}, gatewayUrl: 'ws://127.0.0.1:9', joinTokens: { issue: async () => 'jt_token-of-the-worker', end: async () => {} }, environment: { PATH: '/usr/bin:/bin' }, log });
    const signal = new AbortController().signal;
    await driver.create({ fleet: 'browser', surface: 'browser', slots: 1 }, 'browser-left', { signal, deadline: 0, log });
    console.log(JSON.stringify(await started.promise));
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  controllers.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const children = JSON.parse(String(line)) as number[];
  const { process: worker } = JSON.parse(await readFile(join(folder, 'pids', 'browser-left.json'), 'utf8'));
  return { child, children, pid: worker.pid as number };
}

test('workers exit when their controller is killed', async () => {
  const { child, pid } = await controller([]);
  child.kill('SIGKILL');
  expect(await holdsWithin(() => hasEnded(pid), EXPECT_TIMEOUT_MS)).toBe(true);
});

test('the next controller stops orphans of a killed one, but no workers of a running one', async () => {
  const { child, pid, children } = await controller(['deaf', 'children']);
  await open([], { stopGraceMs: 100 });
  expect(await hasEnded(pid)).toBe(false);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(await hasEnded(pid)).toBe(false);
  await open([], { stopGraceMs: 100 });
  expect(lines.find('stopping worker of an ended controller')).toBeDefined();
  expect(await holdsWithin(() => hasEnded(pid), EXPECT_TIMEOUT_MS)).toBe(true);
  expect(
    await holdsWithin(async () => (await findWorkerProcesses('browser-left')).length === 0, EXPECT_TIMEOUT_MS),
  ).toBe(true);
  expect(await holdsWithin(() => hasEnded(children[0] ?? 0), EXPECT_TIMEOUT_MS)).toBe(true);
  expect(await readdir(join(folder, 'pids'))).toEqual([]);
});
