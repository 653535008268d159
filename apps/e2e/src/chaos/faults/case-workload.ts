import type { ChaosWorker, ChaosWorkerOptions } from '../system/worker-process.ts';
import { anyWorkflow } from '../plan/random-workflow.ts';
import type { Stage } from './fault.ts';

/**
 * Starts the workers of the case in parallel.
 * @param orders failpoints of each; undefined: none
 */
export function startWorkers(
  { context }: Stage,
  orders: readonly (string | undefined)[],
  options: Pick<ChaosWorkerOptions, 'env' | 'slots'> = {},
): Promise<ChaosWorker[]> {
  return Promise.all(
    orders.map((failpoints) => context.startWorker({ ...options, ...(failpoints !== undefined && { failpoints }) })),
  );
}

/** Starts two workers at the first replica: existing ones may have reconnected to the other one. */
export async function startWorkersAtFirstReplica(stage: Stage): Promise<ChaosWorker[]> {
  const workers = await startWorkers(stage, [undefined, undefined]);
  for (const { gate } of workers) gate.resetConnections();
  return workers;
}

/**
 * Submits a few random runs in sequence, without waiting for their ends.
 * @returns their ids
 */
export function submitSomeRuns(
  { context, random, surface }: Stage,
  count?: number,
  options: { capture?: object } = {},
): Promise<string[]> {
  const runs = count ?? (surface === 'browser' ? random.integer(2, 3) : random.integer(2, 5));
  return Promise.all(Array.from({ length: runs }, () => context.submit(anyWorkflow(random), options)));
}

/** Waits until a random point in the middle of the work. */
export function waitForSomeEvents({ context, random }: Stage): Promise<void> {
  return context.waitForEvents(random.integer(4, 40));
}
