import { GOAL_STEP, remembering, type WorkflowPlan } from '../plan/random-workflow.ts';
import { END_MS } from '../case-runner.ts';
import type { ChaosWorker } from '../system/worker-process.ts';
import type { Fault, Stage } from './fault.ts';
import { startWorkers } from './case-workload.ts';

/** Milliseconds by which all is late between the worker and its gateway: so long what it wants remembered is on its way. */
const DELAY_MS = 300;

/** Milliseconds after the last word of the model in which the worker hears it, looks at the page, and what led there is kept. */
const KEEPING_MS = 3 * DELAY_MS;

/** Milliseconds in which what is remembered is done again. */
const USING_MS = 1_500;

/** `kill -9` of a worker when what its agent did is to be remembered, and of the next one while it does the same again. */
export const workerKilledWhileCaching: Fault = async (stage) => {
  const { context, random } = stage;
  const plan = await context.publish(remembering());
  await startWorkers(stage, [undefined, undefined]);
  const { worker } = await runToGoal(stage, plan);
  await context.pause(random.whole(0, KEEPING_MS));
  await worker?.kill();
  await context.waitForAllRuns(END_MS);
  const using = await context.waitForStep(await context.submit(plan), GOAL_STEP);
  await context.pause(random.whole(0, USING_MS));
  await using?.kill();
  await context.submit(plan);
};

/**
 * A replica stands still with what is to be remembered in its ear, until another worker has the run, and goes on before that one has done anything: of the
 * attempt that is over it must keep nothing.
 */
export const cachedTooLate: Fault = async (stage) => {
  const { context } = stage;
  const { models } = context.system;
  const replica = context.system.replica(0);
  const plan = await context.publish(remembering());
  context.useOwnFleet();
  await startWorkers(stage, [undefined]);
  const { run } = await runToGoal(stage, plan);
  const release = models.hold();
  try {
    await context.pause(DELAY_MS / 2);
    replica.freeze();
    await context.startWorker({ preferred: 1 });
    await context.waitForAttempts([run], 2);
    // Longer than what is on its way is excused for.
    await context.pause(DELAY_MS);
    replica.wake();
    await context.pause(2 * DELAY_MS);
  } finally {
    release();
  }
  await context.waitForAllRuns(END_MS);
  await context.submit(plan);
};

/** PostgreSQL dies when what an agent did is to be remembered. */
export const postgresKilledWhileCaching: Fault = async (stage) => {
  const { context, random } = stage;
  const plan = await context.publish(remembering());
  await startWorkers(stage, [undefined, undefined]);
  await runToGoal(stage, plan);
  // Not before the record of the call is durable: a run whose record cannot be written fails.
  await context.pause(random.whole(DELAY_MS, KEEPING_MS));
  await context.system.servers.crashPostgres(random.whole(0, 1_000));
  await context.waitForAllRuns(END_MS);
  await context.submit(plan);
};

/** A run whose agent has just been told that its goal is reached; its worker has not heard it. */
async function runToGoal(
  { context }: Stage,
  plan: WorkflowPlan,
): Promise<{ run: string; worker: ChaosWorker | undefined }> {
  const { models } = context.system;
  const before = models.reached;
  const run = await context.submit(plan);
  const worker = await context.waitForStep(run, GOAL_STEP);
  if (worker) worker.gate.delayMs = DELAY_MS;
  const isReached = await context.waitUntil(() => models.reached > before, END_MS, run);
  if (!isReached) throw new Error('The agent never came to its goal');
  return { run, worker };
}
