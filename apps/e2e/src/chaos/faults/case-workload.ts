import type { ChaosWorker, ChaosWorkerOptions } from '../system/worker-process.ts';
import { anyWorkflow } from '../plan/random-workflow.ts';
import type { Stage } from './fault.ts';

/** Workers of the case, all at once. @param orders failpoints of each; undefined: none */
export function startWorkers(
  { context }: Stage,
  orders: readonly (string | undefined)[],
  more: Pick<ChaosWorkerOptions, 'env' | 'slots'> = {},
): Promise<ChaosWorker[]> {
  return Promise.all(
    orders.map((failpoints) => context.startWorker({ ...more, ...(failpoints !== undefined && { failpoints }) })),
  );
}

/** Two workers at the first replica: those that were there may have gone to the other one. */
export async function startWorkersAtFirstReplica(stage: Stage): Promise<ChaosWorker[]> {
  const workers = await startWorkers(stage, [undefined, undefined]);
  for (const { gate } of workers) gate.cut();
  return workers;
}

/** Submits a few runs of any kind, one after the other, without waiting for the first before the last. @returns their ids */
export function submitSomeRuns(
  { context, random, surface }: Stage,
  count?: number,
  more: { capture?: object } = {},
): Promise<string[]> {
  const runs = count ?? (surface === 'browser' ? random.whole(2, 3) : random.whole(2, 5));
  return Promise.all(Array.from({ length: runs }, () => context.submit(anyWorkflow(random), more)));
}

/** Waits until the work has come to some point in the middle. */
export function waitForSomeEvents({ context, random }: Stage): Promise<void> {
  return context.waitForEvents(random.whole(4, 40));
}
