import { breakWrite } from '../system/write-interruption.ts';
import { abreast } from '../plan/random-workflow.ts';
import type { Fault } from './fault.ts';
import { hireAll, someWork, somewhere } from './case-workload.ts';

/** Redis forgets everything, while runs wait and while they run. */
export const redisFlushed: Fault = async (stage) => {
  const { scene, dice } = stage;
  // Nobody takes them yet: their hints are there to be lost.
  scene.alone();
  await someWork(stage, 4);
  await scene.house.servers.flushRedis();
  await hireAll(stage, [undefined, undefined]);
  for (let times = dice.whole(1, 3); times > 0; times -= 1) {
    await someWork(stage, 2);
    await scene.while(dice.whole(0, 300));
    await scene.house.servers.flushRedis();
  }
};

/** Redis dies and comes back with what its file has. */
export const redisRestarted: Fault = async (stage) => {
  await hireAll(stage, [undefined, undefined]);
  await someWork(stage);
  await somewhere(stage);
  await stage.scene.house.servers.restartRedis();
  await someWork(stage, 2);
};

/** Redis keeps its connections and answers nothing. */
export const redisPaused: Fault = async (stage) => {
  const { scene, dice } = stage;
  await hireAll(stage, [undefined, undefined]);
  await someWork(stage);
  await somewhere(stage);
  scene.house.servers.pauseRedis();
  await someWork(stage, 2);
  await scene.while(dice.whole(500, 4_000));
  scene.house.servers.resumeRedis();
};

/** PostgreSQL dies in the middle of what it writes, stays away for a while, and comes back with what its log has. */
export const postgresCrashed: Fault = async (stage) => {
  await hireAll(stage, [undefined, undefined]);
  await someWork(stage);
  await somewhere(stage);
  await stage.scene.house.servers.crashPostgres(stage.dice.whole(0, 2_000));
  await someWork(stage, 1);
};

/** PostgreSQL cuts everybody off and comes back. */
export const postgresRestarted: Fault = async (stage) => {
  await hireAll(stage, [undefined, undefined]);
  await someWork(stage);
  await somewhere(stage);
  await stage.scene.house.servers.restartPostgres();
  await someWork(stage, 1);
};

/**
 * Connections break one by one while runs are written over them, before a commit or before its answer. What a run says next, and it says much at a time,
 * does not pass what is written again.
 */
export const writesBroken: Fault = async (stage) => {
  const { scene, dice, surface } = stage;
  await hireAll(stage, [undefined, undefined]);
  let broken = 0;
  for (let times = surface === 'browser' ? dice.whole(2, 4) : dice.whole(4, 8); times > 0; times -= 1) {
    await Promise.all([scene.submit(abreast(dice.whole(1, 3))), someWork(stage, 1)]);
    await scene.while(dice.whole(0, 100));
    if (await breakWrite(scene.house.pool, dice.pick(['lost', 'lost', 'kept']))) broken += 1;
  }
  if (broken === 0) throw new Error('No write was there to be broken');
};
