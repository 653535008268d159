import { BEYOND_LEASE_MS } from '../system/worker-process.ts';
import { letters } from '../plan/random-workflow.ts';
import { END_MS } from '../case-context.ts';
import type { Fault } from './fault.ts';
import { startWorkers, submitSomeRuns, waitForSomeEvents } from './case-workload.ts';

/** `kill -9` of a worker at any event; sometimes also of the next one. */
export const workerKilled: Fault = async (stage) => {
  const [first, second] = await startWorkers(stage, [undefined, undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  await first?.kill();
  if (stage.random.chance(0.5)) {
    await stage.context.pause(stage.random.integer(0, BEYOND_LEASE_MS));
    await second?.kill();
  }
};

/** A worker stalls until another one has its runs, and resumes: it must not act or write. */
export const workerStopped: Fault = async (stage) => {
  const [zombie] = await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  zombie?.freeze();
  await stage.context.pause(BEYOND_LEASE_MS + stage.random.integer(0, 1_500));
  zombie?.wake();
};

/**
 * The only worker stalls until its runs are taken away, and resumes. Its messages belong to an ended attempt, and the
 * next attempt is its own too.
 */
export const loneWorkerStopped: Fault = async (stage) => {
  const { context, random } = stage;
  context.useDedicatedFleet();
  const failpoint = random.pick([
    'worker.outcome-buffered',
    'worker.outcome-buffered',
    'worker.input-sent',
    'link.append-sent',
  ]);
  const [worker] = await startWorkers(stage, [`${failpoint}:${random.integer(3, 7)}=stop`]);
  // Fewer than its slots: runs that it loses are assigned to it again while it stalls.
  await context.submit(letters(2));
  const hasStopped = await context.waitUntil(() => (worker?.fired.length ?? 0) > 0, END_MS);
  if (!hasStopped) throw new Error('The worker reached no point at which to stop');
  await context.pause(BEYOND_LEASE_MS + random.integer(0, 1_500));
  worker?.wake();
  await context.waitForAllRuns(15_000);
};

/** Breaks the connection of a worker several times. */
export const socketCut: Fault = async (stage) => {
  const workers = await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  for (let times = stage.random.integer(1, 4); times > 0; times -= 1) {
    await stage.context.pause(stage.random.integer(20, 400));
    stage.random.pick(workers).gate.resetConnections();
  }
};

/** Freezes the connection of a worker: for shorter or longer than a lease. */
export const socketFrozen: Fault = async (stage) => {
  const [worker] = await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  if (!worker) return;
  worker.gate.mode = 'frozen';
  await stage.context.pause(stage.random.integer(300, BEYOND_LEASE_MS + 1_000));
  worker.gate.mode = 'open';
};

/** Delays all traffic of a worker. */
export const socketSlow: Fault = async (stage) => {
  const [worker] = await startWorkers(stage, [undefined, undefined]);
  if (worker) worker.gate.delayMs = stage.random.integer(100, 600);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
};

/** Cuts the network of all workers for a while. */
export const socketsClosed: Fault = async (stage) => {
  const workers = await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  for (const { gate } of workers) gate.mode = 'closed';
  await stage.context.pause(stage.random.integer(500, BEYOND_LEASE_MS));
  for (const { gate } of workers) gate.mode = 'open';
};
