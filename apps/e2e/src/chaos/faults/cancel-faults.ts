import { BEYOND_LEASE_MS, type ChaosWorker } from '../system/worker-process.ts';
import { letters, visits } from '../plan/random-workflow.ts';
import type { Fault, Stage } from './fault.ts';
import { submitSomeRuns } from './case-workload.ts';

/** Milliseconds by which everything between a worker and its gateway is late, so that what both say at once crosses on the way. */
const DELAY_MS = 300;

/** A cancel, and `kill -9` of the worker that has the run: nobody else begins it. */
export const cancelledAndKilled: Fault = async (stage) => {
  const { context, random } = stage;
  const worker = await cancelRuns(stage, 200);
  await context.pause(random.whole(0, 30));
  await worker.kill();
};

/** A cancel, and the worker that has the run stands still beyond its lease: it neither does nor writes anything afterwards. */
export const cancelledAndStopped: Fault = async (stage) => {
  const { context, random } = stage;
  const worker = await cancelRuns(stage, 200);
  worker.freeze();
  await context.pause(BEYOND_LEASE_MS + random.whole(0, 1_000));
  worker.wake();
};

/** A cancel that crosses what the worker hands back on its way out: the run does not begin again elsewhere. */
export const cancelledAndDrained: Fault = async (stage) => {
  const worker = await cancelRuns(stage, DELAY_MS, { PILOTHOUSE_DRAIN_GRACE_SECONDS: '0' }, (busy) => {
    busy.gate.delayMs = DELAY_MS;
    busy.program.signal('SIGTERM');
  });
  await worker.program.waitForExit('it was told to end', 30_000);
};

/** Asks all runs to stop. @param before what is done to a worker that has some of them, first @returns that worker */
async function cancelRuns(
  { context, random, surface }: Stage,
  maxMs: number,
  env?: Readonly<Record<string, string>>,
  before: (worker: ChaosWorker) => void = () => undefined,
): Promise<ChaosWorker> {
  const [worker] = await Promise.all([context.startWorker(env && { env }), context.startWorker()]);
  const runs = await Promise.all([context.submit(letters(4)), context.submit(letters(4)), context.submit(visits(12))]);
  runs.push(...(await submitSomeRuns({ context, random, surface }, 1)));
  await context.waitUntil(() => !worker.isIdle, 10_000);
  await context.pause(random.whole(0, maxMs));
  before(worker);
  await context.pause(random.whole(0, DELAY_MS / 2));
  await Promise.all(runs.map((run) => context.cancel(run)));
  return worker;
}
