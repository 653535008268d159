import { chmod, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { defaultTuning } from '@pilothouse/core/scaling/scaling-observation';
import { holdsWithin } from '@pilothouse/core/time/deadlines';
import { FleetController, type FleetControllerDeps } from './fleet-controller.ts';
import { LocalDriver } from '../driver/local/local.driver.ts';
import { FleetHealthServer } from '../health-server.ts';
import { FleetMetrics } from '../fleet.metrics.ts';
import { MemoryJoinTokens } from '../testing/join-tokens.fixture.ts';
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

async function start(mode: string[] = [], deps: Partial<FleetControllerDeps> = {}): Promise<FleetController> {
  driver = await LocalDriver.open({
    command: [process.execPath, fixture, ...mode],
    workFolder: folder,
    gatewayUrl: fleet.url,
    joinTokens: new MemoryJoinTokens(),
    environment: { PATH: '/usr/bin:/bin' },
    log: lines,
  });
  const tuning = { ...defaultTuning, backoffMs: 50 };
  const controller = new FleetController({ state: fleet, driver, log: lines, metrics, tuning, tickMs: 50, ...deps });
  running = controller.run(stop.signal);
  return controller;
}

const isTrueWithin = async (condition: () => boolean | Promise<boolean>) =>
  expect(await holdsWithin(condition, 30_000)).toBe(true);
const ready = (count: number) =>
  isTrueWithin(() => fleet.workers.filter(({ state }) => state === 'ready').length === count);
const decisions = () => fleet.records.map(({ decision }) => `${decision.action} ${decision.reason}`);
const logged = (part: string) => isTrueWithin(() => lines.find(part) !== undefined);
const alive = async () => (await driver.list()).length;

test('scales from zero, to zero, and up again', async () => {
  await start();
  fleet.waiting = 3;
  await ready(2);
  // A decision is recorded once all its workers are created. They send `hello` earlier.
  await isTrueWithin(() => fleet.records.length > 0);
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
  await isTrueWithin(async () => (await alive()) === 0);
  await isTrueWithin(async () => (await readdir(join(folder, 'pids'))).length === 0);
  await isTrueWithin(() => decisions().includes('drain cooldown'));

  fleet.waiting = 1;
  await ready(1);
  expect(lines.find('(waiting)')).toMatchObject({
    level: 'info',
    message: expect.stringMatching(/^fleet browser: create browser-/),
  });
  expect(lines.all.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

test('a killed worker is replaced at once, before the next tick', async () => {
  fleet.config.minWorkers = 1;
  await start([], { tickMs: 60_000, tuning: { ...defaultTuning, stableMs: 0 } });
  await ready(1);
  const [first] = fleet.workers;
  // The file is complete when the driver has reported the creation of the worker.
  await isTrueWithin(() => fleet.records.length > 0);
  const [child] = await readdir(join(folder, 'pids'));
  const { default: pidFile } = await import(join(folder, 'pids', child ?? ''), { with: { type: 'json' } });
  process.kill(pidFile.process.pid, 'SIGKILL');
  await isTrueWithin(() => fleet.workers.some(({ name, state }) => state === 'ready' && name !== first?.name));
  expect(lines.find(`${first?.name} ended by itself (SIGKILL)`)).toMatchObject({ level: 'warn' });
});

test('a worker that just took a run is not drained', async () => {
  fleet.config.minWorkers = 1;
  await start();
  await ready(1);
  const [worker] = fleet.workers;
  const observe = fleet.observe.bind(fleet);
  // The run starts between observation and action.
  fleet.observe = async () => {
    fleet.occupy(worker?.name ?? '', 0);
    const facts = await observe();
    fleet.occupy(worker?.name ?? '', 1);
    return facts;
  };
  fleet.config.minWorkers = 0;
  await logged(`could not drain ${worker?.name} (cooldown): it holds a run`);
  expect(await driver.list()).toMatchObject([{ name: worker?.name, state: 'running' }]);
});

test('workers that exit at once are recreated with increasing delay', async () => {
  fleet.config.minWorkers = 1;
  await start(['broken']);
  await isTrueWithin(() => fleet.records.length >= 4);
  const createdNames = fleet.records.length;
  expect(lines.find('1 more wanted (backoff): browser-')?.message).toMatch(/ended: exit code 3: broken on purpose$/);
  await isTrueWithin(() => fleet.observedAt.length > 20);
  expect(fleet.records.length).toBeLessThan(createdNames + 4);
  expect(await metrics.registry.metrics()).toMatch(
    /pilothouse_fleet_failures_total{fleet="browser",reason="CrashLoop"} [1-9]/,
  );
});

test('a worker that never becomes ready is stopped and replaced', async () => {
  fleet.config.minWorkers = 1;
  await start(['silent'], { tuning: { ...defaultTuning, startDeadlineMs: 300, backoffMs: 50 } });
  await isTrueWithin(() => decisions().join().startsWith('create below-min,stop start-timeout,create below-min'));
});

test('an exit before the response to a stop is not a failure', async () => {
  const record = fleet.recordDecision.bind(fleet);
  fleet.recordDecision = async (description) => {
    if (description.decision.action === 'stop') await logged(`${description.workers[0]} ended`);
    return record(description);
  };
  fleet.waiting = 1;
  await start(['silent']);
  await isTrueWithin(() => fleet.records.length === 1);
  fleet.waiting = 0;
  await isTrueWithin(() => decisions().join() === 'create waiting,stop not-needed');
  const observeCount = fleet.observedAt.length;
  await isTrueWithin(() => fleet.observedAt.length > observeCount + 2);
  expect(lines.find('by itself')).toBeUndefined();
  expect(fleet.conditions).toEqual([]);
});

test('a creation failure is logged once and retried later', async () => {
  fleet.config.minWorkers = 1;
  fleet.config.maxWorkers = 1;
  await start();
  await ready(1);
  await driver.close({ signal: stop.signal, deadline: systemClock.monotonic() + 2_000, log: lines });
  await isTrueWithin(() => fleet.records.filter(({ error }) => error?.includes('creates no workers')).length > 1);
  expect(lines.find('fleet browser: could not create (below-min): The controller is stopping')).toMatchObject({
    level: 'warn',
  });
});

test('a failed or hanging observation does not stop the controller', async () => {
  fleet.observeError = new Error('the database is away');
  const controller = await start([], { staleMs: 200 });
  fleet.waiting = 1;
  await isTrueWithin(() => fleet.observedAt.length > 5);
  expect(lines.all.filter(({ message }) => message.includes('the database is away'))).toHaveLength(1);
  fleet.observeError = null;
  fleet.isHung = true;
  await logged('took longer than 200 ms');
  expect(fleet.records).toEqual([]);
  fleet.isHung = false;
  await ready(1);
  await logged('reconcile loop recovered');
  expect(controller.isHealthy).toBe(true);
});

test('a controller that cannot reach its store stays healthy for ten minutes', async () => {
  let offsetMs = 0;
  const clock = { ...systemClock, now: () => systemClock.now(), monotonic: () => systemClock.monotonic() + offsetMs };
  const controller = await start([], { clock });
  await isTrueWithin(() => controller.isLeader);
  fleet.observeError = new Error('the database is away');
  await logged('the database is away');
  offsetMs += 31_000;
  const observationCount = fleet.observedAt.length;
  await isTrueWithin(() => fleet.observedAt.length > observationCount + 1);
  expect([controller.isLeader, controller.isHealthy]).toEqual([true, true]);
  offsetMs += 600_000;
  const laterCount = fleet.observedAt.length;
  await isTrueWithin(() => fleet.observedAt.length > laterCount + 1);
  expect([controller.isLeader, controller.isHealthy]).toEqual([true, false]);
  fleet.observeError = null;
  await isTrueWithin(() => controller.isHealthy);
});

test('a stale snapshot leads to no decision', async () => {
  let slowState = true;
  const observe = fleet.observe.bind(fleet);
  fleet.waiting = 1;
  fleet.observe = async () => {
    const facts = await observe();
    if (slowState) await holdsWithin(() => !slowState, 1_000);
    return facts;
  };
  await start([], { staleMs: 100 });
  await logged('took longer than 100 ms');
  fleet.waiting = 0;
  slowState = false;
  const observationCount = fleet.observedAt.length;
  await isTrueWithin(() => fleet.observedAt.length > observationCount + 3);
  expect(fleet.records).toEqual([]);
});

test('a snapshot that becomes stale during a tick ends the tick', async () => {
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
  const observationCount = fleet.observedAt.length;
  await logged('took longer than 100 ms');
  await ready(1);
  await isTrueWithin(() => fleet.observedAt.length > observationCount + 3);
  expect(decisions()).not.toContain('create waiting');
});

test('only the leader acts; the standby takes over after a lost leadership', async () => {
  const controller = await start();
  await isTrueWithin(() => controller.isLeader);
  const second = new FleetController({ state: fleet, driver, log: lines, metrics, tickMs: 50 });
  const controllers = second.run(stop.signal);
  running = Promise.all([running, controllers]);
  const observationCount = fleet.observedAt.length;
  await isTrueWithin(() => fleet.observedAt.length > observationCount + 3);
  expect(second.isLeader).toBe(false);
  fleet.loseLeadership();
  await isTrueWithin(() => controller.isLeader);
  await logged('leadership lost');
});

test('health and metrics are served', async () => {
  const controller = await start();
  fleet.waiting = 1;
  await ready(1);
  await isTrueWithin(async () =>
    (await metrics.registry.metrics()).includes('cold_start_seconds_count{fleet="browser"} 1'),
  );
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
