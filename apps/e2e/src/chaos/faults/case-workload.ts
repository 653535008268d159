import type { Hand, HandOptions } from '../system/worker-process.ts';
import { anyWorkflow } from '../plan/random-workflow.ts';
import type { Stage } from './fault.ts';

/** Workers of the case, all at once. @param orders failpoints of each; undefined: none */
export function hireAll(
  { scene }: Stage,
  orders: readonly (string | undefined)[],
  more: Pick<HandOptions, 'env' | 'slots'> = {},
): Promise<Hand[]> {
  return Promise.all(
    orders.map((failpoints) => scene.hire({ ...more, ...(failpoints !== undefined && { failpoints }) })),
  );
}

/** Two workers at the first replica: those that were there may have gone to the other one. */
export async function hireHere(stage: Stage): Promise<Hand[]> {
  const hands = await hireAll(stage, [undefined, undefined]);
  for (const { gate } of hands) gate.cut();
  return hands;
}

/** Submits a few runs of any kind, one after the other, without waiting for the first before the last. @returns their ids */
export function someWork(
  { scene, dice, surface }: Stage,
  count?: number,
  more: { capture?: object } = {},
): Promise<string[]> {
  const runs = count ?? (surface === 'browser' ? dice.whole(2, 3) : dice.whole(2, 5));
  return Promise.all(Array.from({ length: runs }, () => scene.submit(anyWorkflow(dice), more)));
}

/** Waits until the work has come to some point in the middle. */
export function somewhere({ scene, dice }: Stage): Promise<void> {
  return scene.events(dice.whole(4, 40));
}
