import { behind, BEHIND_STEP } from '../plan/random-workflow.ts';
import type { Fault } from './fault.ts';
import { startWorkers } from './case-workload.ts';

/**
 * Workers die at a step with its own policy for an unknown result, after a step that must not be repeated. The first
 * asks, the second fails its run. Sometimes the recovering worker dies too, after its question.
 */
export const workersKilledInDoubt: Fault = async (stage) => {
  const { context, random } = stage;
  context.useDedicatedFleet();
  const failpoint = random.pick(['worker.intent-durable', 'worker.input-sent', 'worker.outcome-buffered'] as const);
  const onWorkerLost = random.pick(['resume', 'restart'] as const);
  const order = `${failpoint}:${BEHIND_STEP + 1}=kill`;
  const workers = await startWorkers(stage, [order, order], { slots: 1 });
  await Promise.all(
    (['ask', 'fail'] as const).map((onInterrupted) => context.submit(behind(onInterrupted, { onWorkerLost }))),
  );
  await context.waitUntil(() => workers.every(({ isAlive }) => !isAlive), 20_000);
  if (random.chance(0.5)) return;
  const [asking] = await startWorkers(stage, ['worker.question-durable:1=kill'], { slots: 2 });
  await context.waitUntil(() => !asking?.isAlive, 15_000);
};
