import { BEYOND_LEASE_MS } from '../system/worker-process.ts';
import { letters } from '../plan/random-workflow.ts';
import type { Fault } from './fault.ts';
import { hireAll, hireHere, someWork, somewhere } from './case-workload.ts';

/** `kill -9` of one of the two replicas. */
export const apiKilled: Fault = async (stage) => {
  const { scene, dice } = stage;
  await hireAll(stage, [undefined, undefined]);
  await someWork(stage);
  await somewhere(stage);
  await scene.house.replica(dice.whole(0, 1)).kill();
  await someWork(stage, 1);
};

/** `kill -9` of both, for shorter or longer than a lease. */
export const apisKilled: Fault = async (stage) => {
  const { scene, dice } = stage;
  await hireAll(stage, [undefined, undefined]);
  await someWork(stage);
  await somewhere(stage);
  await Promise.all(scene.house.replicas.map((replica) => replica.kill()));
  await scene.while(dice.whole(0, BEYOND_LEASE_MS));
};

/** A replica is told to stop while it is at work. */
export const apiStopped: Fault = async (stage) => {
  const { scene, dice } = stage;
  await hireAll(stage, [undefined, undefined]);
  await someWork(stage);
  await somewhere(stage);
  await scene.house.replica(dice.whole(0, 1)).stop();
};

/** A replica stands still for longer than a lease, with the workers that hang on it, and then goes on. */
export const apiFrozen: Fault = async (stage) => {
  const { scene, dice } = stage;
  await hireAll(stage, [undefined, undefined]);
  await someWork(stage);
  await somewhere(stage);
  const replica = scene.house.replica(dice.whole(0, 1));
  replica.freeze();
  await scene.while(dice.whole(500, BEYOND_LEASE_MS + 2_000));
  replica.wake();
};

/**
 * A replica stands still with events in hand that it has not written. Their workers say them again to the other one, and then the
 * first goes on: what it writes now is there already.
 */
export const eventsTwice: Fault = async (stage) => {
  const { scene, dice } = stage;
  const replica = scene.house.replica(0);
  await replica.arm(`gateway.append-received:${dice.whole(3, 14)}=stop`);
  const hands = await hireHere(stage);
  // Long enough to be still at work when the first replica is back.
  scene.house.siteGate.delayMs = dice.whole(60, 120);
  await Promise.all([1, 2, 3].map(() => scene.submit(letters(3))));
  await scene.sees(() => replica.fired > 0, 10_000);
  for (const { gate } of hands) {
    gate.preferred = 1;
    gate.cut();
  }
  await scene.while(dice.whole(400, 1_200));
  replica.wake();
};
