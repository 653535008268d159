import { findFreePort, isAlive, isPortFree, signalProcess, type ProcessIdentity } from '@pilothouse/infra-embedded';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { connection } from '../installation/saved-connection.ts';
import { readJson } from '../installation/json-file.ts';
import { runningRecord, type RunRecord } from './state-file.ts';
import { Supervisor } from './supervisor.ts';
import { endedIn, settings, fakeInstallation } from '../testing/fake-service.ts';

// It creates a PostgreSQL cluster, possibly on a busy machine.
jest.setTimeout(240_000);

const installation = fakeInstallation();
const lines: string[] = [];
const printLine = (line: string) => void lines.push(line);

let openSupervisor: Supervisor | undefined;
async function open(
  noDemo = false,
  variables: Record<string, string> = {},
  missingDesktopPackages: string[] = [],
): Promise<Supervisor> {
  const config = settings(variables);
  const supervisor = await Supervisor.open({ installation, config, noDemo, printLine, missingDesktopPackages });
  if (!(supervisor instanceof Supervisor)) throw new Error('Another installation runs in this folder.');
  return (openSupervisor = supervisor);
}

afterEach(() => openSupervisor?.stop());

const environmentOf = async (url = ''): Promise<Record<string, string>> => (await fetch(url)).json();
const identitiesOf = ({ services }: RunRecord): ProcessIdentity[] => Object.values(services);
async function until(description: string, condition: () => boolean, ms = 60_000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Not within ${ms} ms: ${description}\n${lines.join('\n')}`);
    // The processes may share one core with this one.
    await pause(2);
  }
}

beforeEach(() => {
  lines.length = 0;
  // Some services run as other users.
  writeFileSync(join(installation.root, 'ended.log'), '');
  chmodSync(join(installation.root, 'ended.log'), 0o666);
});

test('starts all services, stops them in order and leaves no process and no lock', async () => {
  const supervisor = await open();
  await supervisor.start();
  const { record } = supervisor;
  expect(Object.keys(record.services).sort()).toEqual([
    'API',
    'PostgreSQL',
    'Redis',
    'console',
    'demo site',
    'fleet',
    'jobs',
  ]);
  expect(identitiesOf(record).every(isAlive)).toBe(true);
  expect(runningRecord(installation.record)).toMatchObject({ ready: true, urls: { api: record.urls.api } });

  await supervisor.stop();
  expect(identitiesOf(record).filter(isAlive)).toEqual([]);
  expect(endedIn(installation)).toEqual(['console', 'jobs', 'fleet', 'api', 'site']);
  expect(existsSync(installation.record)).toBe(false);
  expect(await Promise.all(Object.values(record.ports).map((port) => isPortFree(port)))).not.toContain(false);
});

const asRoot = process.platform === 'linux' && process.getuid?.() === 0 ? test : test.skip;

asRoot(
  'API, console, Redis and PostgreSQL each run as a user of their own, on data that root owned before',
  async () => {
    const object = join(installation.state, 'objects/a/b');
    rmSync(join(installation.state, 'objects'), { recursive: true, force: true });
    mkdirSync(join(object, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(object, '', { mode: 0o600 });
    const supervisor = await open(true);
    await supervisor.start();
    const idsOf = (name: string) => {
      const status = readFileSync(`/proc/${supervisor.record.services[name]?.pid}/status`, 'utf8');
      const ids = (field: string) =>
        new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(status)?.[1]?.trim().split(/\s+/) ?? [];
      return { users: ids('Uid').map(Number), groups: [...ids('Gid'), ...ids('Groups')].map(Number) };
    };
    const users = ['API', 'console', 'Redis', 'PostgreSQL'].map((name) => {
      const { users, groups } = idsOf(name);
      expect([name, ...users, ...groups]).not.toContain(0);
      expect(new Set(users).size).toBe(1);
      return users[0];
    });
    expect(new Set(users).size).toBe(4);
    expect(idsOf('fleet').users).toEqual([0, 0, 0, 0]);
    for (const path of ['objects', 'objects/a', 'objects/a/b'])
      expect([path, statSync(join(installation.state, path)).uid]).toEqual([path, users[0]]);
    await supervisor.stop();
  },
);

test('passes settings to each service, and stores secrets in files readable by their owner only', async () => {
  const supervisor = await open(true);
  await supervisor.start();
  const { urls } = supervisor.record;
  const secret = (name: string) => readFileSync(join(installation.secrets, name), 'utf8').trim();
  const api = await environmentOf(urls.api);
  expect(api).toMatchObject({
    DATABASE_URL: expect.stringMatching(/@127.0.0.1:\d+\/pilothouse$/),
    REDIS_URL: expect.stringMatching(/@127.0.0.1:\d+$/),
    OBJECT_STORE_DIR: join(installation.state, 'objects'),
    PILOTHOUSE_MIGRATE_ON_START: 'true',
    PILOTHOUSE_PUBLIC_URL: urls.api,
    PILOTHOUSE_CONSOLE_URL: urls.console,
    PILOTHOUSE_MASTER_KEY: secret('master.key'),
    PILOTHOUSE_MASTER_KEY_FILE: '',
    PILOTHOUSE_BOOTSTRAP_ADMIN_KEY: secret('admin.key'),
    PILOTHOUSE_FLEETS_FILE: '',
  });
  const fleet = await environmentOf(urls.fleet);
  expect(fleet).toMatchObject({ PILOTHOUSE_GATEWAY_URL: urls.gateway });
  // The controller issues join tokens. It needs no fleet token.
  expect(JSON.stringify(fleet)).not.toContain(secret('fleet.token'));
  expect(JSON.parse(fleet.PILOTHOUSE_WORKER_COMMAND ?? '')).toContain(installation.bundle('worker'));
  expect(fleet).not.toHaveProperty('PILOTHOUSE_BOOTSTRAP_ADMIN_KEY');
  const pages = await environmentOf(urls.console);
  expect(pages).toMatchObject({ PILOTHOUSE_API_URL: urls.api, PILOTHOUSE_CONSOLE_HOST: '127.0.0.1' });
  expect(Object.keys(pages).filter((name) => /KEY|TOKEN|DATABASE|REDIS/.test(name))).toEqual([
    'PILOTHOUSE_CONSOLE_TOKEN',
  ]);
  expect(JSON.parse(api.PILOTHOUSE_FLEETS ?? '')).toMatchObject([
    { name: 'browser', slots: 2, maxWorkers: 2, externalWorkers: false, token: secret('fleet.token') },
    { name: 'desktop', slots: 1, maxWorkers: 2, token: secret('fleet-desktop.token') },
  ]);

  const mode = (path: string) => statSync(path).mode & 0o777;
  expect([mode(installation.secrets), mode(installation.logs)]).toEqual([0o700, 0o700]);
  for (const name of ['admin.key', 'fleet.token', 'master.key', 'postgres.password', 'redis.password'])
    expect([name, mode(join(installation.secrets, name))]).toEqual([name, 0o600]);
  expect(readFileSync(installation.config, 'utf8')).not.toContain(secret('admin.key'));
  expect(connection({ PILOTHOUSE_INSTALL_DIR: installation.state })).toEqual({
    url: urls.api,
    apiKey: secret('admin.key'),
  });
  await supervisor.stop();
});

test('without the packages of a desktop it starts no fleet of desktops, and names them', async () => {
  const supervisor = await open(true, {}, ['openbox']);
  await supervisor.start();
  const { PILOTHOUSE_FLEETS = '' } = await environmentOf(supervisor.record.urls.api);
  expect(JSON.parse(PILOTHOUSE_FLEETS)).toMatchObject([{ name: 'browser' }]);
  expect(lines.join('\n')).toContain('Desktop runs: no fleet serves them. Install openbox, then start again');
  await supervisor.stop();
});

test.each([
  ['the configured address', { PILOTHOUSE_CONSOLE_URL: 'https://console.example.com' }, 'https://console.example.com'],
  ['no address if it listens on all of them', { PILOTHOUSE_HOST: '0.0.0.0' }, undefined],
])('links of the API name the console by %s', async (_, variables, url) => {
  const supervisor = await open(true, variables);
  await supervisor.start();
  expect((await environmentOf(supervisor.record.urls.api)).PILOTHOUSE_CONSOLE_URL).toBe(url);
  await supervisor.stop();
});

test('a port that is wanted twice goes to the API, and other services get the next ones', async () => {
  const wanted = String(await findFreePort(0));
  const supervisor = await open(true, { PILOTHOUSE_PORT: wanted, PILOTHOUSE_CONSOLE_PORT: wanted });
  await supervisor.start();
  const { api, console: consolePort, fleet } = supervisor.record.ports;
  expect(api).toBe(Number(wanted));
  expect(new Set([api, consolePort, fleet]).size).toBe(3);
  await supervisor.stop();
});

test('configured ports of the API and the console precede the defaults of the demo site and the job runner', async () => {
  const [isSitePortFree, isJobsPortFree] = [await isPortFree(7180), await isPortFree(7195)];
  const supervisor = await open(false, { PILOTHOUSE_PORT: '7180', PILOTHOUSE_CONSOLE_PORT: '7195' });
  await supervisor.start();
  const { ports, urls } = supervisor.record;
  expect([ports.api === 7180, ports.console === 7195]).toEqual([isSitePortFree, isJobsPortFree]);
  expect(new Set(Object.values(ports)).size).toBe(7);
  expect(await environmentOf(urls.jobs)).toMatchObject({ PILOTHOUSE_JOBS_PORT: String(ports.jobs) });
  await supervisor.stop();
});

test('the demo site and the job runner use other ports if their defaults are in use', async () => {
  const others = [7180, 7195].map((port) => createServer().listen(port, '127.0.0.1'));
  // A port that another program has is just as busy.
  await Promise.all(others.map((server) => once(server, 'listening').catch(() => undefined)));
  const supervisor = await open();
  await supervisor.start();
  const { ports, urls } = supervisor.record;
  expect([7180, 7195]).not.toContain(ports.site);
  expect([7180, 7195]).not.toContain(ports.jobs);
  for (const url of [urls.site, urls.jobs]) expect((await fetch(url ?? '')).ok).toBe(true);
  await supervisor.stop();
  for (const server of others) server.close();
});

test('gives the keys of models to the API alone', async () => {
  const models = {
    PILOTHOUSE_MODEL: 'gemini/gemini-2.5-flash',
    GEMINI_API_KEY: 'a-key',
    OPENAI_BASE_URL: 'http://vllm/v1',
  };
  const supervisor = await open(false, models);
  await supervisor.start();
  const { urls } = supervisor.record;
  expect(await environmentOf(urls.api)).toMatchObject(models);
  for (const url of [urls.fleet, urls.site, urls.console])
    expect(Object.keys(await environmentOf(url)).filter((name) => name in models)).toEqual([]);
  await supervisor.stop();
});

test('a second supervisor gets the record of the running one', async () => {
  const supervisor = await open(true);
  await supervisor.start();
  expect(await Supervisor.open({ installation, config: settings(), printLine })).toEqual(supervisor.record);
  await supervisor.stop();
});

test('a killed service is restarted on the same address and reported in one line', async () => {
  const supervisor = await open(true);
  await supervisor.start();
  const { urls, ports } = structuredClone(supervisor.record);
  for (const name of ['API', 'PostgreSQL', 'Redis']) {
    const identity = supervisor.record.services[name] as ProcessIdentity;
    signalProcess(identity, 'SIGKILL');
    await until(`${name} restarted`, () => lines.some((line) => line.endsWith(`${name} restarted`)));
    expect(lines.filter((line) => line.includes(`${name} exited (SIGKILL)`))).toHaveLength(1);
    expect(supervisor.record.services[name]).not.toEqual(identity);
  }
  expect(supervisor.record).toMatchObject({ urls, ports });
  expect(await environmentOf(urls.api)).toMatchObject({ PILOTHOUSE_PORT: String(ports.api) });
  expect(readJson<RunRecord>(installation.record)).toEqual(supervisor.record);
  await supervisor.stop();
});

test('when a service fails to start, its last lines are reported and all services stop', async () => {
  writeFileSync(join(installation.root, 'api.broken'), '');
  const supervisor = await open();
  await expect(supervisor.start()).rejects.toThrow(
    /^api ended instead of starting.*\napi begins\napi is broken on purpose/,
  );
  rmSync(join(installation.root, 'api.broken'));
  expect(identitiesOf(supervisor.record).filter(isAlive)).toEqual([]);
  expect(existsSync(installation.record)).toBe(false);
});

test('a stop during start stops the started services', async () => {
  const supervisor = await open();
  const starting = supervisor.start();
  await until('Redis runs', () => 'Redis' in supervisor.record.services);
  await Promise.all([expect(starting).rejects.toThrow('Stopped during start.'), supervisor.stop()]);
  expect(identitiesOf(supervisor.record).filter(isAlive)).toEqual([]);
  expect(existsSync(installation.record)).toBe(false);
});

test('after a kill the next start stops leftover processes and keeps data', async () => {
  const fixture = join(import.meta.dirname, '../testing/supervisor.fixture.ts');
  const killed = spawn(process.execPath, [fixture, installation.root], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: killed.stdout })) if (line === 'ready') break;
  const record = runningRecord(installation.record);
  expect(record?.ready).toBe(true);
  killed.kill('SIGKILL');
  await once(killed, 'close');
  expect(runningRecord(installation.record)).toBeUndefined();
  expect(existsSync(installation.record)).toBe(true);

  const supervisor = await open(true);
  expect(identitiesOf(record as RunRecord).filter(isAlive)).toEqual([]);
  await supervisor.start();
  await supervisor.stop();
});

test('a missing bundle is reported before the start', async () => {
  const bundle = readFileSync(installation.bundle('worker'), 'utf8');
  rmSync(installation.bundle('worker'));
  await expect(open()).rejects.toThrow(/worker\/main.js is missing: run .\/scripts\/up/);
  writeFileSync(installation.bundle('worker'), bundle);
  expect(existsSync(installation.record)).toBe(false);
});
