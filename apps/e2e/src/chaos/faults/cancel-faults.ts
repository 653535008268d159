import { BEYOND_LEASE_MS, type Hand } from '../system/worker-process.ts';
import { letters, visits } from '../plan/random-workflow.ts';
import type { Fault, Stage } from './fault.ts';
import { someWork } from './case-workload.ts';

/** Milliseconds by which everything between a worker and its gateway is late, so that what both say at once crosses on the way. */
const LATE_MS = 300;

/** A cancel, and `kill -9` of the worker that has the run: nobody else begins it. */
export const cancelledAndKilled: Fault = async (stage) => {
  const { scene, dice } = stage;
  const hand = await cancels(stage, 200);
  await scene.while(dice.whole(0, 30));
  await hand.kill();
};

/** A cancel, and the worker that has the run stands still beyond its lease: it neither does nor writes anything afterwards. */
export const cancelledAndStopped: Fault = async (stage) => {
  const { scene, dice } = stage;
  const hand = await cancels(stage, 200);
  hand.freeze();
  await scene.while(BEYOND_LEASE_MS + dice.whole(0, 1_000));
  hand.wake();
};

/** A cancel that crosses what the worker hands back on its way out: the run does not begin again elsewhere. */
export const cancelledAndDrained: Fault = async (stage) => {
  const hand = await cancels(stage, LATE_MS, { PILOTHOUSE_DRAIN_GRACE_SECONDS: '0' }, (busy) => {
    busy.gate.delayMs = LATE_MS;
    busy.program.signal('SIGTERM');
  });
  await hand.program.gone('it was told to end', 30_000);
};

/** Asks all runs to stop. @param before what is done to a worker that has some of them, first @returns that worker */
async function cancels(
  { scene, dice, surface }: Stage,
  maxWaitMs: number,
  env?: Readonly<Record<string, string>>,
  before: (hand: Hand) => void = () => undefined,
): Promise<Hand> {
  const [hand] = await Promise.all([scene.hire(env && { env }), scene.hire()]);
  const runs = await Promise.all([scene.submit(letters(4)), scene.submit(letters(4)), scene.submit(visits(12))]);
  runs.push(...(await someWork({ scene, dice, surface }, 1)));
  await scene.sees(() => !hand.isIdle, 10_000);
  await scene.while(dice.whole(0, maxWaitMs));
  before(hand);
  await scene.while(dice.whole(0, LATE_MS / 2));
  await Promise.all(runs.map((run) => scene.cancel(run)));
  return hand;
}
