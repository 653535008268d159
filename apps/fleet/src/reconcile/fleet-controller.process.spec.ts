import { chmod, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultTuning, systemClock, holdsWithin } from '@pilothouse/core';
import { FleetController, type FleetControllerDeps } from './fleet-controller.ts';
import { LocalDriver } from '../driver/local/local.driver.ts';
import { FleetHealthServer } from '../health-server.ts';
import { FleetMetrics } from '../fleet.metrics.ts';
import { LogLines } from '../testing/log-lines.fixture.ts';
import { MemoryFleet } from '../testing/memory-fleet.fixture.ts';

const fixture = join(import.meta.dirname, '../testing/fake-worker.fixture.ts');

let folder: string;
let fleet: MemoryFleet;
let lines: LogLines;
let metrics: FleetMetrics;
let driver: LocalDriver;
let stop: AbortController;
let running: Promise<unknown>;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'fleet-spec-')));
  await chmod(folder, 0o755);
  fleet = await MemoryFleet.open();
  lines = new LogLines();
  metrics = new FleetMetrics();
  stop = new AbortController();
  running = Promise.resolve();
});
afterEach(async () => {
  stop.abort();
  await running;
  await driver.close({ signal: stop.signal, deadline: 0, log: lines });
  await fleet.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(mode: string[] = [], more: Partial<FleetControllerDeps> = {}): Promise<FleetController> {
  driver = await LocalDriver.open({
    command: [process.execPath, fixture, ...mode],
    workFolder: folder,
    gatewayUrl: fleet.url,
    tokens: new Map([['browser', 'token-of-the-browser-fleet']]),
    environment: { PATH: '/usr/bin:/bin' },
    log: lines,
  });
  const tuning = { ...defaultTuning, backoffMs: 50 };
  const controller = new FleetController({ state: fleet, driver, log: lines, metrics, tuning, tickMs: 50, ...more });
  running = controller.run(stop.signal);
  return controller;
}

const holds = async (condition: () => boolean | Promise<boolean>) =>
  expect(await holdsWithin(condition, 30_000)).toBe(true);
const ready = (count: number) => holds(() => fleet.workers.filter(({ state }) => state === 'ready').length === count);
const decisions = () => fleet.records.map(({ decision }) => `${decision.action} ${decision.reason}`);
const logged = (part: string) => holds(() => lines.find(part) !== undefined);
const alive = async () => (await driver.list()).length;

test('wakes from zero, drains to zero, and comes back', async () => {
  await start();
  fleet.waiting = 3;
  await ready(2);
  // What was decided is written when all its workers are made; those say hello before.
  await holds(() => fleet.records.length > 0);
  expect(decisions()).toEqual(['create waiting']);
  expect(fleet.records[0]).toMatchObject({
    fleet: 'browser',
    workers: [expect.stringMatching(/^browser-/), expect.anything()],
    error: null,
  });

  fleet.waiting = 0;
  const [busy] = fleet.workers;
  fleet.occupy(busy?.name ?? '', 1);
  await ready(1);
  expect(fleet.workers.map(({ name }) => name)).toEqual([busy?.name]);
  fleet.occupy(busy?.name ?? '', 0);
  await holds(async () => (await alive()) === 0);
  await holds(async () => (await readdir(join(folder, 'pids'))).length === 0);
  await holds(() => decisions().includes('drain cooldown'));

  fleet.waiting = 1;
  await ready(1);
  expect(lines.find('(waiting)')).toMatchObject({
    level: 'info',
    message: expect.stringMatching(/^fleet browser: create browser-/),
  });
  expect(lines.all.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

test('a worker that is killed is replaced at once, and not at the next tick', async () => {
  fleet.config.minWorkers = 1;
  await start([], { tickMs: 60_000, tuning: { ...defaultTuning, stableMs: 0 } });
  await ready(1);
  const [first] = fleet.workers;
  // The file is whole when the driver has said that it created the worker.
  await holds(() => fleet.records.length > 0);
  const [child] = await readdir(join(folder, 'pids'));
  const { default: pidFile } = await import(join(folder, 'pids', child ?? ''), { with: { type: 'json' } });
  process.kill(pidFile.process.pid, 'SIGKILL');
  await holds(() => fleet.workers.some(({ name, state }) => state === 'ready' && name !== first?.name));
  expect(lines.find(`${first?.name} ended by itself (SIGKILL)`)).toMatchObject({ level: 'warn' });
});

test('a worker that took a run in the last moment is not drained', async () => {
  fleet.config.minWorkers = 1;
  await start();
  await ready(1);
  const [worker] = fleet.workers;
  const observe = fleet.observe.bind(fleet);
  // The run comes between the look and the act.
  fleet.observe = async () => {
    fleet.occupy(worker?.name ?? '', 0);
    const facts = await observe();
    fleet.occupy(worker?.name ?? '', 1);
    return facts;
  };
  fleet.config.minWorkers = 0;
  await logged(`could not drain ${worker?.name} (cooldown): it has taken a run`);
  expect(await driver.list()).toMatchObject([{ name: worker?.name, state: 'running' }]);
});

test('workers that end at once are made again more and more slowly', async () => {
  fleet.config.minWorkers = 1;
  await start(['broken']);
  await holds(() => fleet.records.length >= 4);
  const made = fleet.records.length;
  expect(lines.find('1 more wanted (backoff): browser-')?.message).toMatch(/ended: exit code 3$/);
  await holds(() => fleet.observed.length > 20);
  expect(fleet.records.length).toBeLessThan(made + 4);
  expect(await metrics.registry.metrics()).toMatch(
    /pilothouse_fleet_failures_total{fleet="browser",reason="CrashLoop"} [1-9]/,
  );
});

test('a worker that never becomes ready is stopped and replaced', async () => {
  fleet.config.minWorkers = 1;
  await start(['silent'], { tuning: { ...defaultTuning, startDeadlineMs: 300, backoffMs: 50 } });
  await holds(() => decisions().join().startsWith('create below-min,stop start-timeout,create below-min'));
});

test('a worker that is gone before its stop is answered has not failed', async () => {
  const record = fleet.recordDecision.bind(fleet);
  fleet.recordDecision = async (what) => {
    if (what.decision.action === 'stop') await logged(`${what.workers[0]} ended`);
    return record(what);
  };
  fleet.waiting = 1;
  await start(['silent']);
  await holds(() => fleet.records.length === 1);
  fleet.waiting = 0;
  await holds(() => decisions().join() === 'create waiting,stop not-needed');
  const looks = fleet.observed.length;
  await holds(() => fleet.observed.length > looks + 2);
  expect(lines.find('by itself')).toBeUndefined();
  expect(fleet.conditions).toEqual([]);
});

test('what cannot be created is said once and tried again after a while', async () => {
  fleet.config.minWorkers = 1;
  fleet.config.maxWorkers = 1;
  await start();
  await ready(1);
  await driver.close({ signal: stop.signal, deadline: systemClock.monotonic() + 2_000, log: lines });
  await holds(() => fleet.records.filter(({ error }) => error?.includes('creates no workers')).length > 1);
  expect(lines.find('fleet browser: could not create (below-min): The controller is stopping')).toMatchObject({
    level: 'warn',
  });
});

test('a look that fails or hangs does not end the controller', async () => {
  fleet.broken = new Error('the database is away');
  const controller = await start([], { staleMs: 200 });
  fleet.waiting = 1;
  await holds(() => fleet.observed.length > 5);
  expect(lines.all.filter(({ message }) => message.includes('the database is away'))).toHaveLength(1);
  fleet.broken = null;
  fleet.hung = true;
  await logged('took longer than 200 ms');
  expect(fleet.records).toEqual([]);
  fleet.hung = false;
  await ready(1);
  await logged('observes again');
  expect(controller.isHealthy).toBe(true);
});

test('facts that are too old decide nothing', async () => {
  let late = true;
  const observe = fleet.observe.bind(fleet);
  fleet.waiting = 1;
  fleet.observe = async () => {
    const facts = await observe();
    if (late) await holdsWithin(() => !late, 1_000);
    return facts;
  };
  await start([], { staleMs: 100 });
  await logged('took longer than 100 ms');
  fleet.waiting = 0;
  late = false;
  const seen = fleet.observed.length;
  await holds(() => fleet.observed.length > seen + 3);
  expect(fleet.records).toEqual([]);
});

test('facts that grow too old while they are acted on decide nothing more', async () => {
  Object.assign(fleet.config, { minWorkers: 1, maxWorkers: 2 });
  fleet.waiting = 3;
  await start([], { staleMs: 100 });
  const create = driver.create.bind(driver);
  let first = true;
  driver.create = async (plan, name, context) => {
    if (first) await holdsWithin(() => lines.find('took longer than 100 ms') !== undefined, 5_000);
    first = false;
    fleet.waiting = 0;
    await create(plan, name, context);
  };
  const seen = fleet.observed.length;
  await logged('took longer than 100 ms');
  await ready(1);
  await holds(() => fleet.observed.length > seen + 3);
  expect(decisions()).not.toContain('create waiting');
});

test('only one controller acts; another takes over when it loses the lead', async () => {
  const controller = await start();
  await holds(() => controller.isLeader);
  const second = new FleetController({ state: fleet, driver, log: lines, metrics, tickMs: 50 });
  const both = second.run(stop.signal);
  running = Promise.all([running, both]);
  const seen = fleet.observed.length;
  await holds(() => fleet.observed.length > seen + 3);
  expect(second.isLeader).toBe(false);
  fleet.loseLead();
  await holds(() => controller.isLeader);
  await logged('This controller no longer leads');
});

test('health and metrics are served', async () => {
  const controller = await start();
  fleet.waiting = 1;
  await ready(1);
  await holds(async () => (await metrics.registry.metrics()).includes('cold_start_seconds_count{fleet="browser"} 1'));
  const http = await FleetHealthServer.listen(0, controller, metrics);
  // Without authentication: other machines reach it only where that is configured.
  expect(http.address.address).toBe('127.0.0.1');
  const open = await FleetHealthServer.listen(0, controller, metrics, '0.0.0.0');
  expect(open.address.address).toBe('0.0.0.0');
  await open.close();
  const get = (path: string) => fetch(`http://127.0.0.1:${http.port}${path}`);
  expect(await (await get('/healthz')).json()).toEqual({ status: 'ok', leads: true });
  const text = await (await get('/metrics')).text();
  expect(text).toContain('pilothouse_fleet_decisions_total{fleet="browser",action="create",reason="waiting"} 1');
  expect(text).toContain('pilothouse_fleet_workers{fleet="browser",state="ready"} 1');
  expect((await get('/')).status).toBe(404);
  await http.close();
});
