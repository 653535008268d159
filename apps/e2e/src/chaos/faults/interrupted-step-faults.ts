import { behind, BEHIND_STEP } from '../plan/random-workflow.ts';
import type { Fault } from './fault.ts';
import { hireAll } from './case-workload.ts';

/**
 * Workers die at a step that says by itself what is to become of it, behind one that must not be repeated: the one asks, the other ends its run as failed. Now and
 * then who takes over dies, too, once it has asked.
 */
export const lostInDoubts: Fault = async (stage) => {
  const { scene, dice } = stage;
  scene.alone();
  const where = dice.pick(['worker.intent-durable', 'worker.input-sent', 'worker.outcome-buffered'] as const);
  const onWorkerLost = dice.pick(['resume', 'restart'] as const);
  const order = `${where}:${BEHIND_STEP + 1}=kill`;
  const hands = await hireAll(stage, [order, order], { slots: 1 });
  await Promise.all(
    (['ask', 'fail'] as const).map((onInterrupted) => scene.submit(behind(onInterrupted, { onWorkerLost }))),
  );
  await scene.sees(() => hands.every(({ isAlive }) => !isAlive), 20_000);
  if (dice.chance(0.5)) return;
  const [asking] = await hireAll(stage, ['worker.question-durable:1=kill'], { slots: 2 });
  await scene.sees(() => !asking?.isAlive, 15_000);
};
