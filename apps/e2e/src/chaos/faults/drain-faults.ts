import type { ChaosWorker } from '../system/worker-process.ts';
import { letters, visits } from '../plan/random-workflow.ts';
import type { Fault, Stage } from './fault.ts';
import { submitSomeRuns } from './case-workload.ts';

/**
 * Milliseconds after its grace period in which a worker reaches a safe point, returns its runs, and closes its
 * resources.
 */
const BEYOND_GRACE_MS = 20_000;

/**
 * SIGTERM to a busy worker. It returns the runs that do not end within its grace period, asks no questions, and exits.
 */
export const workerDrained: Fault = async (stage) => {
  const { context } = stage;
  const { worker, graceMs } = await busyWorker(stage);
  worker.program.signal('SIGTERM');
  await worker.program.waitForExit('it received SIGTERM', graceMs + BEYOND_GRACE_MS);
  context.drained = { worker: worker.name, exitedAt: Date.now() };
  const { code, signal } = (await worker.program.exit) ?? {};
  if (code !== 0) throw new Error(`A drained worker exited with ${signal ?? code}`);
};

/** SIGTERM to a worker, and `kill -9` before it exits. */
export const workerKilledDraining: Fault = async (stage) => {
  const { worker, graceMs } = await busyWorker(stage);
  worker.program.signal('SIGTERM');
  await stage.context.pause(stage.random.integer(0, graceMs + 300));
  await worker.kill();
};

/** A busy worker with a short grace period, and another worker. */
async function busyWorker({ context, random, surface }: Stage): Promise<{ worker: ChaosWorker; graceMs: number }> {
  const seconds = random.pick([0, 0, 1]);
  const [worker] = await Promise.all([
    context.startWorker({ env: { PILOTHOUSE_DRAIN_GRACE_SECONDS: String(seconds) } }),
    context.startWorker(),
  ]);
  const long = surface === 'browser' ? 3 : 5;
  await Promise.all([context.submit(letters(long)), context.submit(letters(long)), context.submit(visits(3 * long))]);
  await submitSomeRuns({ context, random, surface }, 1);
  await context.waitUntil(() => !worker.isIdle, 10_000);
  await context.pause(random.integer(0, surface === 'browser' ? 1_000 : 200));
  return { worker, graceMs: seconds * 1_000 };
}
