import { GOAL_STEP, remembering, type WorkflowPlan } from '../plan/random-workflow.ts';
import { END_MS } from '../case-context.ts';
import type { ChaosWorker } from '../system/worker-process.ts';
import type { Fault, Stage } from './fault.ts';
import { startWorkers } from './case-workload.ts';

/** Milliseconds of delay between the worker and its gateway: cache writes stay in flight this long. */
const DELAY_MS = 300;

/**
 * Milliseconds after the last model response in which the worker receives it, observes the page, and stores the
 * actions.
 */
const KEEPING_MS = 3 * DELAY_MS;

/** Milliseconds in which cached actions are replayed. */
const USING_MS = 1_500;

/**
 * Kills a worker with `kill -9` before the actions of its agent are cached. Kills the next one while it replays them.
 */
export const workerKilledWhileCaching: Fault = async (stage) => {
  const { context, random } = stage;
  const plan = await context.publish(remembering());
  await startWorkers(stage, [undefined, undefined]);
  const { worker } = await runToGoal(stage, plan);
  await context.pause(random.integer(0, KEEPING_MS));
  await worker?.kill();
  await context.waitForAllRuns(END_MS);
  const using = await context.waitForStep(await context.submit(plan), GOAL_STEP);
  await context.pause(random.integer(0, USING_MS));
  await using?.kill();
  await context.submit(plan);
};

/**
 * A replica stalls with a received cache write until another worker has the run, and resumes before that one has
 * acted. It must store nothing of the ended attempt.
 */
export const cachedAfterLease: Fault = async (stage) => {
  const { context } = stage;
  const { models } = context.system;
  const replica = context.system.replica(0);
  const plan = await context.publish(remembering());
  context.useDedicatedFleet();
  await startWorkers(stage, [undefined]);
  const { run } = await runToGoal(stage, plan);
  const release = models.delayResponses();
  try {
    await context.pause(DELAY_MS / 2);
    replica.freeze();
    await context.startWorker({ preferred: 1 });
    await context.waitForAttempts([run], 2);
    // Longer than the allowance for data in flight.
    await context.pause(DELAY_MS);
    replica.wake();
    await context.pause(2 * DELAY_MS);
  } finally {
    release();
  }
  await context.waitForAllRuns(END_MS);
  await context.submit(plan);
};

/** PostgreSQL dies before actions are cached. */
export const postgresKilledWhileCaching: Fault = async (stage) => {
  const { context, random } = stage;
  const plan = await context.publish(remembering());
  await startWorkers(stage, [undefined, undefined]);
  await runToGoal(stage, plan);
  // Waits until the record of the call is durable: a run whose record cannot be written fails.
  await context.pause(random.integer(DELAY_MS, KEEPING_MS));
  await context.system.servers.crashPostgres(random.integer(0, 1_000));
  await context.waitForAllRuns(END_MS);
  await context.submit(plan);
};

/** A run whose model has reported the goal as reached, before the worker receives the response. */
async function runToGoal(
  { context }: Stage,
  plan: WorkflowPlan,
): Promise<{ run: string; worker: ChaosWorker | undefined }> {
  const { models } = context.system;
  const previouslyReached = models.reachedGoals;
  const run = await context.submit(plan);
  const worker = await context.waitForStep(run, GOAL_STEP);
  if (worker) worker.gate.delayMs = DELAY_MS;
  const isReached = await context.waitUntil(() => models.reachedGoals > previouslyReached, END_MS, run);
  if (!isReached) throw new Error('The agent did not reach its goal');
  return { run, worker };
}
