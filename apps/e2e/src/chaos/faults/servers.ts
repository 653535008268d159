import type { Fault } from './fault.ts';
import { hireAll, someWork, somewhere } from './work.ts';

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
