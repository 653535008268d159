import type { Scene } from '../case-runner.ts';
import { anyWorkflow } from '../plan/random-workflow.ts';
import type { Fault, Stage } from './fault.ts';
import { hireAll } from './case-workload.ts';

/** Runs that keep an image of every step. */
const shotWork = ({ scene, dice }: Stage) =>
  Promise.all(Array.from({ length: 3 }, () => scene.submit(anyWorkflow(dice), { capture: { screenshots: 'on' } })));

const whileStore = (broken: (scene: Scene) => Promise<unknown>): Fault => {
  return async (stage) => {
    const { scene, dice } = stage;
    await hireAll(stage, [undefined, undefined]);
    const work = shotWork(stage);
    await scene.while(dice.whole(0, 300));
    await broken(scene);
    await work;
    await scene.while(dice.whole(300, 2_000));
    await scene.house.store.mend();
  };
};

/** The object store takes nothing: what it was to keep is lost, and no run is. */
export const storeRefuses = whileStore((scene) => scene.house.store.refuse());

/** There is no room for objects. Where nobody can make it so it is played as the store that refuses, and that is said. */
export const diskFull = whileStore(async (scene) => {
  if ((await scene.house.store.fill()) === 'refusing') scene.playedAs = 'object store refuses';
});
