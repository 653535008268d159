import type { Hand } from '../system/worker-process.ts';
import { letters, visits } from '../plan/random-workflow.ts';
import type { Fault, Stage } from './fault.ts';
import { someWork } from './case-workload.ts';

/** Milliseconds after its grace in which a worker has come to a boundary, has handed back what it had, and has closed what it had open. */
const BEYOND_GRACE_MS = 20_000;

/** SIGTERM to a worker in the middle of its work: it hands back what does not end within its grace, asks nobody, and goes by itself. */
export const workerDrained: Fault = async (stage) => {
  const { scene } = stage;
  const { hand, graceMs } = await busyHand(stage);
  hand.program.signal('SIGTERM');
  await hand.program.gone('it was told to end', graceMs + BEYOND_GRACE_MS);
  scene.drained = { worker: hand.name, goneAt: Date.now() };
  const { code, signal } = (await hand.program.exit) ?? {};
  if (code !== 0) throw new Error(`A worker that was told to end did so with ${signal ?? code}`);
};

/** SIGTERM to a worker, and `kill -9` before it is gone. */
export const workerKilledDraining: Fault = async (stage) => {
  const { hand, graceMs } = await busyHand(stage);
  hand.program.signal('SIGTERM');
  await stage.scene.while(stage.dice.whole(0, graceMs + 300));
  await hand.kill();
};

/** A worker that has work, and another one; the first has little time once it is told to end. */
async function busyHand({ scene, dice, surface }: Stage): Promise<{ hand: Hand; graceMs: number }> {
  const seconds = dice.pick([0, 0, 1]);
  const [hand] = await Promise.all([
    scene.hire({ env: { PILOTHOUSE_DRAIN_GRACE_SECONDS: String(seconds) } }),
    scene.hire(),
  ]);
  const long = surface === 'browser' ? 3 : 5;
  await Promise.all([scene.submit(letters(long)), scene.submit(letters(long)), scene.submit(visits(3 * long))]);
  await someWork({ scene, dice, surface }, 1);
  await scene.sees(() => !hand.isIdle, 10_000);
  await scene.while(dice.whole(0, surface === 'browser' ? 1_000 : 200));
  return { hand, graceMs: seconds * 1_000 };
}
