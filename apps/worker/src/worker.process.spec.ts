import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import { buildAssignment, FLEET_TOKEN, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { ManualTimers } from '@pilothouse/testing/manual-timers';
import { MAX_SLOT_LOSS_MS } from './run/slot-loss-watch.ts';
import { NullSurfaceHost, type NullSurfaceScript } from './surface/null.surface.ts';
import { startWorker } from './testing/test-worker.fixture.ts';
import type { Worker } from './worker.ts';

const open = (name: string) => ({ action: 'navigate' as const, url: `https://portal.test/${name}` });
const wait = (seconds: number) => ({ action: 'waitFor' as const, condition: { text: 'never' }, timeout: seconds });

describe('a worker', () => {
  let gateway: ScriptedGateway;
  let root: string;
  let host: NullSurfaceHost;
  let worker: Worker;

  const start = async (
    script: NullSurfaceScript = {},
    token = FLEET_TOKEN,
    hostOf = (): Pick<NullSurfaceHost, 'open'> => host,
  ) => {
    host = new NullSurfaceHost(script);
    worker = await startWorker(root, { url: gateway.url, token, surfaceHost: hostOf() }, 3);
  };
  const startWithScript = async (script?: NullSurfaceScript) => {
    await start(script);
    await gateway.until(() => gateway.all('ready').length > 0);
  };
  const assign = (...steps: Parameters<typeof buildAssignment>[0]['steps']): Assignment => {
    const assignment = buildAssignment({ steps });
    gateway.assign(assignment);
    return assignment;
  };
  const waitForEvents = (run: Assignment, events = 1) =>
    gateway.until(() => gateway.log.of(run).length >= events, 'the run begins');
  const free = () => gateway.all('ready').map((message) => message.freeSlots);

  beforeEach(async () => {
    gateway = await ScriptedGateway.start();
    root = await mkdtemp(join(tmpdir(), 'pilothouse-worker-spec-'));
  });

  afterEach(async () => {
    gateway.unanswered.clear();
    gateway.terminateConnections();
    worker.abort('the spec is over');
    await worker.completion.catch(() => undefined);
    await gateway.close();
    await rm(root, { recursive: true });
  });

  test('reports no slot as free whose container is lost', async () => {
    let lost = 2;
    let report: () => void = () => {};
    const slotLoss = { count: () => lost, onChange: (listener: () => void) => void (report = listener) };
    const open: NullSurfaceHost['open'] = (options, context) => host.open(options, context);
    await start({}, FLEET_TOKEN, () => ({ open, slotLoss }) as Pick<NullSurfaceHost, 'open'>);
    await gateway.until(() => free().length > 0);
    lost = 0;
    report();
    await gateway.until(() => free().length > 1);
    lost = 3;
    report();
    await gateway.until(() => free().length > 2);
    expect(free()).toEqual([1, 2, 0]);
  });

  test('ends when a slot stays lost, so that it is replaced', async () => {
    host = new NullSurfaceHost({});
    const slotLoss = { count: () => 1, onChange: () => undefined };
    const surfaceHost = { open: host.open.bind(host), slotLoss } as Pick<NullSurfaceHost, 'open'>;
    const timers = new ManualTimers();
    worker = await startWorker(root, { url: gateway.url, surfaceHost, timers }, 3);
    await gateway.until(() => free().length > 0);
    await timers.advance(MAX_SLOT_LOSS_MS);
    await worker.completion;
    expect(gateway.all('bye')).toEqual([
      { type: 'bye', reason: 'Slots of the worker are lost and did not come back: 1 of 3' },
    ]);
  });

  test('has as many slots as the gateway grants, and refuses further runs', async () => {
    await startWithScript();
    expect(free()).toEqual([2]);
    const runs = [assign(wait(60)), assign(wait(60)), assign(open('c'))];
    await gateway.until(() => gateway.all('handback').length === 1);
    expect(gateway.all('handback')[0]).toMatchObject({ run: runs[2]!.run, error: { code: 'RUN_HANDED_BACK' } });
    const startedRuns = () => new Set(gateway.all('append').map(({ run }) => run));
    await gateway.until(() => startedRuns().size === 2);
    expect(startedRuns()).toEqual(new Set(runs.slice(0, 2).map(({ run }) => run)));
    // Changes within one turn of the event loop are reported once.
    await gateway.until(() => free().at(-1) === 0);
    expect(free()).toEqual([2, 0]);
  });

  test('ends with the gateway’s refusal', async () => {
    await start({}, 'a-token-of-no-fleet-at-all');
    await expect(worker.completion).rejects.toMatchObject({ code: 'FLEET_TOKEN_INVALID' });
  });

  test('disconnects and ends when it is drained while idle', async () => {
    await startWithScript();
    worker.drain({ reason: 'SIGTERM', graceMs: 25_000 });
    await worker.completion;
    expect(gateway.all('bye')).toEqual([{ type: 'bye', reason: 'SIGTERM' }]);
  });

  test('finishes its runs when the gateway drains it', async () => {
    await startWithScript({ beforeAction: () => gateway.until(() => free().at(-1) === 0) });
    const run = assign(open('a'), open('b'));
    await waitForEvents(run);
    gateway.broadcast({ type: 'drain' });
    await worker.completion;
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
    expect(gateway.all('handback')).toEqual([]);
    expect(gateway.all('bye')).toHaveLength(1);
  });

  test('takes one run at a time and ends after it if its runs are limited to one', async () => {
    host = new NullSurfaceHost();
    worker = await startWorker(root, { url: gateway.url, surfaceHost: host, maxRuns: 1 }, 3);
    await gateway.until(() => free().length > 0);
    expect(free()).toEqual([1]);
    const run = assign(open('a'));
    await worker.completion;
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
    expect(free().slice(1)).not.toContain(1);
    expect(gateway.all('bye')).toEqual([{ type: 'bye', reason: 'The worker has reached its limit of runs' }]);
  });

  test('hands back at the next boundary after the grace period, with the outcome of the last step', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await startWithScript({
      beforeAction: (action) => (action.action === 'navigate' && action.url.endsWith('b') ? released : undefined),
    });
    const run = assign(open('a'), open('b'), open('c'));
    await waitForEvents(run, 3);
    worker.drain({ reason: 'SIGTERM', graceMs: 0 });
    await gateway.until(() => free().at(-1) === 0);
    setImmediate(() => setTimeout(release, 50));
    await worker.completion;
    expect(gateway.all('handback')).toMatchObject([
      { run: run.run, error: { code: 'RUN_HANDED_BACK', message: 'SIGTERM' } },
    ]);
    expect(gateway.log.of(run).map(({ type }) => type)).toEqual([
      'step.started',
      'step.completed',
      'step.started',
      'step.completed',
    ]);
    expect(gateway.log.outcome(run)).toBeUndefined();
    expect(gateway.received.at(-1)).toMatchObject({ type: 'bye' });
  });

  test('finishes a run that could not be recovered', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await startWithScript({ beforeAction: (action) => (action.action === 'click' ? released : undefined) });
    // There is no safe point after the click: another worker would have to ask whether it happened.
    const order = { action: 'click' as const, target: { text: 'Order' }, idempotent: false };
    const run = assign(open('a'), order, open('b'));
    await waitForEvents(run, 3);
    worker.drain({ reason: 'SIGTERM', graceMs: 0 });
    await gateway.until(() => free().at(-1) === 0);
    setTimeout(release, 50);
    await worker.completion;
    expect(gateway.log.outcome(run)).toMatchObject({ status: 'completed' });
    expect(gateway.all('handback')).toEqual([]);
  });

  test('hands back a run at a safe point, even after a non-repeatable step', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    await startWithScript({
      beforeAction: (action) => (action.action === 'navigate' && action.url.endsWith('a') ? released : undefined),
    });
    const run = assign({ ...open('a'), idempotent: false }, open('b'));
    await waitForEvents(run);
    worker.drain({ reason: 'SIGTERM', graceMs: 0 });
    await gateway.until(() => free().at(-1) === 0);
    setTimeout(release, 50);
    await worker.completion;
    expect(gateway.all('handback')).toMatchObject([{ run: run.run, error: { code: 'RUN_HANDED_BACK' } }]);
    expect(gateway.all('append').at(-1)).toMatchObject({
      safePoint: { step: 1, state: expect.stringContaining('/a') },
    });
  });

  test('hands back in the middle of a step when it must end now', async () => {
    await startWithScript();
    const run = assign(open('a'), wait(60));
    await waitForEvents(run, 3);
    worker.abort('SIGINT');
    await worker.completion;
    expect(gateway.all('handback')).toMatchObject([{ run: run.run, error: { code: 'RUN_HANDED_BACK' } }]);
    expect(host.surfaces[0]!.isClosed).toBe(true);
  });

  test('takes no runs for a while after a surface could not be opened', async () => {
    const broken = {
      open: () => Promise.reject(new PilothouseError('SURFACE_UNAVAILABLE', 'Chromium does not start')),
    };
    await start({}, FLEET_TOKEN, () => broken);
    await gateway.until(() => gateway.all('ready').length > 0);
    const run = assign(open('a'));
    await gateway.until(() => gateway.all('handback').length === 1);
    expect(gateway.all('handback')[0]).toMatchObject({ run: run.run, error: { code: 'SURFACE_UNAVAILABLE' } });
    await gateway.until(() => free().at(-1) === 2 && free().length > 2);
    expect(free()).toContain(0);
  });

  test('removes folders of dead workers, and no others', async () => {
    const dead = join(root, 'worker-999999999');
    const alive = join(root, `worker-${process.ppid}`);
    const otherFolder = join(root, 'not-a-worker');
    for (const folder of [dead, alive, otherFolder]) await mkdir(join(folder, 'inputs'), { recursive: true });
    await startWithScript();
    expect((await readdir(root)).sort()).toEqual(
      [`worker-${process.ppid}`, `worker-${process.pid}`, 'not-a-worker'].sort(),
    );
  });
});
