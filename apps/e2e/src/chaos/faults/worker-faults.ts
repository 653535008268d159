import { BEYOND_LEASE_MS } from '../system/worker-process.ts';
import { letters } from '../plan/random-workflow.ts';
import { END_MS } from '../case-runner.ts';
import type { Fault } from './fault.ts';
import { hireAll, someWork, somewhere } from './case-workload.ts';

/** `kill -9` of a worker, at any event; now and then of the next one, too. */
export const workerKilled: Fault = async (stage) => {
  const [first, second] = await hireAll(stage, [undefined, undefined, undefined]);
  await someWork(stage);
  await somewhere(stage);
  await first?.kill();
  if (stage.dice.chance(0.5)) {
    await stage.scene.while(stage.dice.whole(0, BEYOND_LEASE_MS));
    await second?.kill();
  }
};

/** A worker stands still until somebody else has its runs, and then goes on: it must do and write nothing more. */
export const workerStopped: Fault = async (stage) => {
  const [zombie] = await hireAll(stage, [undefined, undefined]);
  await someWork(stage);
  await somewhere(stage);
  zombie?.freeze();
  await stage.scene.while(BEYOND_LEASE_MS + stage.dice.whole(0, 1_500));
  zombie?.wake();
};

/**
 * The only worker there is stands still until its runs were taken from it, and goes on where it stood; what it says then is of an
 * attempt that is over, and the next one is its own, too.
 */
export const loneWorkerStopped: Fault = async (stage) => {
  const { scene, dice } = stage;
  scene.alone();
  const where = dice.pick([
    'worker.outcome-buffered',
    'worker.outcome-buffered',
    'worker.input-sent',
    'link.append-sent',
  ]);
  const [hand] = await hireAll(stage, [`${where}:${dice.whole(3, 7)}=stop`]);
  // Less than it has slots for: what is taken from it is given to it again, while it stands.
  await scene.submit(letters(2));
  const stood = await scene.sees(() => (hand?.fired.length ?? 0) > 0, END_MS);
  if (!stood) throw new Error('The worker came nowhere by where it was to stand still');
  await scene.while(BEYOND_LEASE_MS + dice.whole(0, 1_500));
  hand?.wake();
  await scene.allEnded(15_000);
};

/** The connection of a worker breaks, several times. */
export const socketCut: Fault = async (stage) => {
  const hands = await hireAll(stage, [undefined, undefined]);
  await someWork(stage);
  for (let times = stage.dice.whole(1, 4); times > 0; times -= 1) {
    await stage.scene.while(stage.dice.whole(20, 400));
    stage.dice.pick(hands).gate.cut();
  }
};

/** The connection of a worker stays and carries nothing: shorter than a lease, or longer. */
export const socketFrozen: Fault = async (stage) => {
  const [hand] = await hireAll(stage, [undefined, undefined]);
  await someWork(stage);
  await somewhere(stage);
  if (!hand) return;
  hand.gate.mode = 'frozen';
  await stage.scene.while(stage.dice.whole(300, BEYOND_LEASE_MS + 1_000));
  hand.gate.mode = 'open';
};

/** Everything a worker says and hears takes its time. */
export const socketSlow: Fault = async (stage) => {
  const [hand] = await hireAll(stage, [undefined, undefined]);
  if (hand) hand.gate.delayMs = stage.dice.whole(100, 600);
  await someWork(stage);
  await somewhere(stage);
};

/** Nobody is there any more for a while; the network of all of them is gone. */
export const socketsClosed: Fault = async (stage) => {
  const hands = await hireAll(stage, [undefined, undefined]);
  await someWork(stage);
  await somewhere(stage);
  for (const { gate } of hands) gate.mode = 'closed';
  await stage.scene.while(stage.dice.whole(500, BEYOND_LEASE_MS));
  for (const { gate } of hands) gate.mode = 'open';
};
