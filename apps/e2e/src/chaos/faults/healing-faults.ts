import { END_MS } from '../case-context.ts';
import { healing, LOST_STEP, type WorkflowPlan } from '../plan/random-workflow.ts';
import type { Fault, Stage } from './fault.ts';
import { startWorkers } from './case-workload.ts';

/** Maximum milliseconds in which a step whose element is missing waits, finds another element, and acts on it. */
const HEALING_MS = 13_000;

/** Milliseconds between two scans for ended runs with healed steps. */
const OBSERVATION_MS = 1_000;

/** `kill -9` of a worker while it heals a step that must not be repeated. The healed target is proposed once. */
export const healerKilled: Fault = async (stage) => {
  const { context, random } = stage;
  await startWorkers(stage, [undefined, undefined]);
  const plan = await heals(stage);
  const [run] = await Promise.all([context.submit(plan), context.submit(plan)]);
  const worker = await context.waitForStep(run, LOST_STEP);
  await context.pause(random.integer(0, HEALING_MS));
  await worker?.kill();
};

/** Kills replicas with `kill -9` before the version of healed steps is stored, after it, and after the proposal. */
export const proposerKilled: Fault = async (stage) => {
  const { context, random } = stage;
  await startWorkers(stage, [undefined]);
  const plan = await heals(stage);
  const run = await context.submit(plan);
  await context.waitForAllRuns(END_MS);
  if ((await context.runStates())?.find(({ id }) => id === run)?.status !== 'completed') return;
  await context.waitForHealedRun(plan);
  for (const replica of random.shuffle(context.system.replicas)) {
    await context.pause(random.integer(0, OBSERVATION_MS));
    await replica.kill();
    if (random.chance(0.5)) await replica.start();
  }
};

/** A workflow that needs healing. A browser without time to observe the page heals nothing: the step then fails. */
function heals({ context }: Stage): Promise<WorkflowPlan> {
  context.mayFail.push('TARGET_NOT_FOUND');
  return context.publish(healing());
}
