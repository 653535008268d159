import { GOAL_STEP, remembering, type WorkflowPlan } from '../plan/random-workflow.ts';
import { END_MS } from '../case-runner.ts';
import type { Hand } from '../system/worker-process.ts';
import type { Fault, Stage } from './fault.ts';
import { hireAll } from './case-workload.ts';

/** Milliseconds by which all is late between the worker and its gateway: so long what it wants remembered is on its way. */
const LATE_MS = 300;

/** Milliseconds after the last word of the model in which the worker hears it, looks at the page, and what led there is kept. */
const KEEPING_MS = 3 * LATE_MS;

/** Milliseconds in which what is remembered is done again. */
const USING_MS = 1_500;

/** `kill -9` of a worker when what its agent did is to be remembered, and of the next one while it does the same again. */
export const rememberingKilled: Fault = async (stage) => {
  const { scene, dice } = stage;
  const plan = await scene.publish(remembering());
  await hireAll(stage, [undefined, undefined]);
  const { hand } = await reaches(stage, plan);
  await scene.while(dice.whole(0, KEEPING_MS));
  await hand?.kill();
  await scene.allEnded(END_MS);
  const using = await scene.begins(await scene.submit(plan), GOAL_STEP);
  await scene.while(dice.whole(0, USING_MS));
  await using?.kill();
  await scene.submit(plan);
};

/**
 * A replica stands still with what is to be remembered in its ear, until another worker has the run, and goes on before that one has done anything: of the
 * attempt that is over it must keep nothing.
 */
export const rememberingTooLate: Fault = async (stage) => {
  const { scene } = stage;
  const { models } = scene.house;
  const replica = scene.house.replica(0);
  const plan = await scene.publish(remembering());
  scene.alone();
  await hireAll(stage, [undefined]);
  const { run } = await reaches(stage, plan);
  const release = models.hold();
  try {
    await scene.while(LATE_MS / 2);
    replica.freeze();
    await scene.hire({ preferred: 1 });
    await scene.tried([run], 2);
    // Longer than what is on its way is excused for.
    await scene.while(LATE_MS);
    replica.wake();
    await scene.while(2 * LATE_MS);
  } finally {
    release();
  }
  await scene.allEnded(END_MS);
  await scene.submit(plan);
};

/** PostgreSQL dies when what an agent did is to be remembered. */
export const rememberingCrashed: Fault = async (stage) => {
  const { scene, dice } = stage;
  const plan = await scene.publish(remembering());
  await hireAll(stage, [undefined, undefined]);
  await reaches(stage, plan);
  // Not before the record of the call is durable: a run whose record cannot be written fails.
  await scene.while(dice.whole(LATE_MS, KEEPING_MS));
  await scene.house.servers.crashPostgres(dice.whole(0, 1_000));
  await scene.allEnded(END_MS);
  await scene.submit(plan);
};

/** A run whose agent has just been told that its goal is reached; its worker has not heard it. */
async function reaches({ scene }: Stage, plan: WorkflowPlan): Promise<{ run: string; hand: Hand | undefined }> {
  const { models } = scene.house;
  const before = models.reached;
  const run = await scene.submit(plan);
  const hand = await scene.begins(run, GOAL_STEP);
  if (hand) hand.gate.delayMs = LATE_MS;
  const isReached = await scene.sees(() => models.reached > before, END_MS, run);
  if (!isReached) throw new Error('The agent never came to its goal');
  return { run, hand };
}
