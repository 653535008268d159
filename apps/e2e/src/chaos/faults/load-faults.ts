import { visits, waiting } from '../plan/random-workflow.ts';
import type { Fault } from './fault.ts';
import { hireAll, someWork } from './case-workload.ts';

/** Runs that are submitted at once. */
const MANY = 500;

/** 500 runs at once, and two workers for them. */
export const runBurst: Fault = async (stage) => {
  const { scene } = stage;
  scene.alone();
  scene.house.siteGate.delayMs = 0;
  await hireAll(stage, [undefined, undefined], { slots: 4 });
  await Promise.all(Array.from({ length: MANY }, () => scene.submit(visits(1))));
};

/** Runs are cancelled while they end: either the one or the other, and never both. */
export const cancelRace: Fault = async (stage) => {
  const { scene, dice } = stage;
  await hireAll(stage, [undefined, undefined]);
  const runs = [...(await someWork(stage, 5)), await scene.submit(waiting())];
  await Promise.all(
    runs.map(async (run) => {
      await scene.while(dice.whole(0, 600));
      await scene.cancel(run);
    }),
  );
};

/** Many clients send the same request with the same Idempotency-Key. */
export const duplicateSubmits: Fault = async (stage) => {
  const { scene, dice } = stage;
  await hireAll(stage, [undefined, undefined]);
  await Promise.all(Array.from({ length: 3 }, () => scene.submitTogether(visits(2), dice.whole(4, 12))));
};
