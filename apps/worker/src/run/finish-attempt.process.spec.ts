import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { Screenshot } from '@pilothouse/core/ports/surface-action.port';
import { buildAssignment, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { Workspaces } from '../files/workspaces.ts';
import { UploadQueue } from '../artifacts/upload-queue.ts';
import { NullSurfaceHost, NullSurface, type NullSurfaceScript } from '../surface/null.surface.ts';
import { startWorker } from '../testing/test-worker.fixture.ts';
import type { Worker } from '../worker.ts';
import { SurfaceSession } from '../context/surface-session.ts';
import { RunEgress } from '../network/run-egress.ts';
import { SafePointTracker } from '../attempt/safe-points.ts';
import { RunCancellation } from '../attempt/cancellation.ts';
import { DebugArtifacts } from '../artifacts/debug-artifacts.ts';

const open = (name: string) => ({ action: 'navigate' as const, url: `https://portal.test/${name}` });
const never = { action: 'waitFor' as const, condition: { text: 'never' } };

let gateway: ScriptedGateway;
let root: string;
let host: NullSurfaceHost;
let worker: Worker;

const startHost = async (script: NullSurfaceScript = {}) => {
  host = new NullSurfaceHost(script);
  worker = await startWorker(root, { url: gateway.url, surfaceHost: host });
  await gateway.until(() => gateway.all('ready').length > 0);
};
const waitForEnd = (run: Assignment) => gateway.until(() => gateway.log.outcome(run) !== undefined, 'the run ended');
const isFree = () => gateway.until(() => gateway.all('ready').at(-1)?.freeSlots === 2, 'both slots are free');
const isSurfaceOpen = () =>
  host.inputs.flatMap(({ action }) => (action.action === 'navigate' ? [action.url.split('/').at(-1)] : []));

beforeEach(async () => {
  gateway = await ScriptedGateway.start();
  root = await mkdtemp(join(tmpdir(), 'pilothouse-ending-spec-'));
});

afterEach(async () => {
  worker.abort('the spec is over');
  await worker.completion.catch(() => undefined);
  jest.restoreAllMocks();
  await gateway.close();
  await rm(root, { recursive: true });
});

test('an error after the outcome of a step was buffered is not caught by the workflow', async () => {
  const broken: Screenshot = {
    body: Buffer.alloc(0),
    width: 1,
    height: 1,
    // Read when the screenshot is stored, after the outcome of the step was buffered.
    get contentType(): never {
      throw new PilothouseError('TARGET_NOT_FOUND', 'The image is gone');
    },
  };
  await startHost({ outcome: ({ action }) => (action === 'screenshot' ? { screenshot: broken } : undefined) });
  const run = buildAssignment({
    steps: [
      { action: 'try', steps: [{ action: 'screenshot' }, open('next')], catch: [open('caught')] },
      open('afterwards'),
    ],
  });
  gateway.assign(run);
  await waitForEnd(run);
  expect(gateway.log.outcome(run)).toMatchObject({ status: 'failed', error: { code: 'TARGET_NOT_FOUND' } });
  const events = gateway.log.of(run);
  expect(events.map(({ type, data }) => [type, data['path']])).toEqual([
    ['step.started', '1/1'],
    ['step.completed', '1/1'],
    ['step.failed', '1/1'],
  ]);
  expect(isSurfaceOpen()).toEqual([]);
});

/** Records the phases of clean-up, from the moment no step may continue. */
function recordCleanUp(): string[] {
  const order: string[] = [];
  const isOver = () => order.length > 0;
  const { abort } = RunCancellation.prototype;
  jest.spyOn(RunCancellation.prototype, 'abort').mockImplementation(function (this: RunCancellation, reason) {
    order.push('steps stop');
    abort.call(this, reason);
  });
  const { consumePending } = SafePointTracker.prototype;
  jest.spyOn(SafePointTracker.prototype, 'consumePending').mockImplementation(function (this: SafePointTracker) {
    if (isOver()) order.push('safe point dropped');
    return consumePending.call(this);
  });
  const { abandon: abandonUploads } = UploadQueue.prototype;
  jest.spyOn(UploadQueue.prototype, 'abandon').mockImplementation(function (this: UploadQueue, reason) {
    order.push('uploads stop');
    abandonUploads.call(this, reason);
  });
  const { abandon: abandonTraces } = DebugArtifacts.prototype;
  jest.spyOn(DebugArtifacts.prototype, 'abandon').mockImplementation(function (this: DebugArtifacts) {
    order.push('traces stop');
    abandonTraces.call(this);
  });
  const { close: closeSurface } = SurfaceSession.prototype;
  jest.spyOn(SurfaceSession.prototype, 'close').mockImplementation(async function (this: SurfaceSession) {
    order.push('surface closes');
    await closeSurface.call(this);
    order.push('surface is closed');
  });
  const { close: closeNull } = NullSurface.prototype;
  jest.spyOn(NullSurface.prototype, 'close').mockImplementation(async function (this: NullSurface) {
    await turn();
    await closeNull.call(this);
  });
  const { close: closeEgress } = RunEgress.prototype;
  jest.spyOn(RunEgress.prototype, 'close').mockImplementation(async function (this: RunEgress) {
    order.push('egress closes');
    await turn();
    await closeEgress.call(this);
    order.push('egress is closed');
  });
  const { remove } = Workspaces.prototype;
  jest.spyOn(Workspaces.prototype, 'remove').mockImplementation(async function (this: Workspaces, folder) {
    order.push('folder removed');
    await remove.call(this, folder);
  });
  return order;
}

const cleanUp = [
  // No input and no write happens after this.
  'steps stop',
  'safe point dropped',
  'uploads stop',
  'traces stop',
  // Its pages connect through the egress, and its files are in the folder.
  'surface closes',
  'surface is closed',
  'egress closes',
  'egress is closed',
  'folder removed',
];

test('clean-up stops writers, then closes the surface, its egress and its folder', async () => {
  await startHost();
  const order = recordCleanUp();
  const run = buildAssignment({ steps: [open('a')] });
  gateway.assign(run);
  await waitForEnd(run);
  await isFree();
  expect(order).toEqual(cleanUp);
});

test('the order of clean-up is the same for a run that is lost', async () => {
  await startHost();
  const run = buildAssignment({ steps: [never] });
  gateway.assign(run);
  await gateway.until(() => gateway.log.of(run).length === 1);
  const order = recordCleanUp();
  const error = new PilothouseError('LEASE_LOST', 'taken over').view();
  gateway.broadcast({ type: 'attempt.lost', run: run.run, epoch: 1, error });
  await gateway.until(() => order.includes('folder removed'), 'the removal of the folder starts');
  await isFree();
  // The loss itself also stops the steps.
  expect(order.filter((part, index) => part !== 'steps stop' || order.lastIndexOf(part) === index)).toEqual(cleanUp);
  expect(host.surfaces.map(({ isClosed: closed }) => closed)).toEqual([true]);
});
