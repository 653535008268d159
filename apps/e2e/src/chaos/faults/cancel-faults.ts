import { BEYOND_LEASE_MS, type ChaosWorker } from '../system/worker-process.ts';
import { letters, visits } from '../plan/random-workflow.ts';
import type { Fault, Stage } from './fault.ts';
import { submitSomeRuns } from './case-workload.ts';

/** Milliseconds of delay between a worker and its gateway, so that simultaneous messages cross. */
const DELAY_MS = 300;

/** Cancels a run and kills its worker: no other worker begins the run. */
export const cancelledAndKilled: Fault = async (stage) => {
  const { context, random } = stage;
  const worker = await cancelRuns(stage, 200);
  await context.pause(random.integer(0, 30));
  await worker.kill();
};

/** Cancels a run whose worker stalls beyond its lease: the worker neither acts nor writes afterwards. */
export const cancelledAndStopped: Fault = async (stage) => {
  const { context, random } = stage;
  const worker = await cancelRuns(stage, 200);
  worker.freeze();
  await context.pause(BEYOND_LEASE_MS + random.integer(0, 1_000));
  worker.wake();
};

/** A cancellation crosses the return of the runs of a draining worker: no run begins again elsewhere. */
export const cancelledAndDrained: Fault = async (stage) => {
  const worker = await cancelRuns(stage, DELAY_MS, { PILOTHOUSE_DRAIN_GRACE_SECONDS: '0' }, (busy) => {
    busy.gate.delayMs = DELAY_MS;
    busy.program.signal('SIGTERM');
  });
  await worker.program.waitForExit('it received SIGTERM', 30_000);
};

/**
 * Cancels all runs.
 * @param beforeCancel fault for a worker with some of them, applied first
 * @returns that worker
 */
async function cancelRuns(
  { context, random, surface }: Stage,
  maxMs: number,
  env?: Readonly<Record<string, string>>,
  beforeCancel: (worker: ChaosWorker) => void = () => undefined,
): Promise<ChaosWorker> {
  const [worker] = await Promise.all([context.startWorker(env && { env }), context.startWorker()]);
  const runs = await Promise.all([context.submit(letters(4)), context.submit(letters(4)), context.submit(visits(12))]);
  runs.push(...(await submitSomeRuns({ context, random, surface }, 1)));
  await context.waitUntil(() => !worker.isIdle, 10_000);
  await context.pause(random.integer(0, maxMs));
  beforeCancel(worker);
  await context.pause(random.integer(0, DELAY_MS / 2));
  await Promise.all(runs.map((run) => context.cancel(run)));
  return worker;
}
