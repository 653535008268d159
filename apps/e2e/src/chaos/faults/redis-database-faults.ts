import { breakWrite } from '../system/write-interruption.ts';
import { abreast } from '../plan/random-workflow.ts';
import type { Fault } from './fault.ts';
import { startWorkers, submitSomeRuns, waitForSomeEvents } from './case-workload.ts';

/** Redis forgets everything, while runs wait and while they run. */
export const redisFlushed: Fault = async (stage) => {
  const { context, random } = stage;
  // Nobody takes them yet: their hints are there to be lost.
  context.useOwnFleet();
  await submitSomeRuns(stage, 4);
  await context.system.servers.flushRedis();
  await startWorkers(stage, [undefined, undefined]);
  for (let times = random.whole(1, 3); times > 0; times -= 1) {
    await submitSomeRuns(stage, 2);
    await context.pause(random.whole(0, 300));
    await context.system.servers.flushRedis();
  }
};

/** Redis dies and comes back with what its file has. */
export const redisRestarted: Fault = async (stage) => {
  await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  await stage.context.system.servers.restartRedis();
  await submitSomeRuns(stage, 2);
};

/** Redis keeps its connections and answers nothing. */
export const redisPaused: Fault = async (stage) => {
  const { context, random } = stage;
  await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  context.system.servers.pauseRedis();
  await submitSomeRuns(stage, 2);
  await context.pause(random.whole(500, 4_000));
  context.system.servers.resumeRedis();
};

/** PostgreSQL dies in the middle of what it writes, stays away for a while, and comes back with what its log has. */
export const postgresCrashed: Fault = async (stage) => {
  await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  await stage.context.system.servers.crashPostgres(stage.random.whole(0, 2_000));
  await submitSomeRuns(stage, 1);
};

/** PostgreSQL cuts everybody off and comes back. */
export const postgresRestarted: Fault = async (stage) => {
  await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  await stage.context.system.servers.restartPostgres();
  await submitSomeRuns(stage, 1);
};

/**
 * Connections break one by one while runs are written over them, before a commit or before its answer. What a run says next, and it says much at a time,
 * does not pass what is written again.
 */
export const writesBroken: Fault = async (stage) => {
  const { context, random, surface } = stage;
  await startWorkers(stage, [undefined, undefined]);
  let broken = 0;
  for (let times = surface === 'browser' ? random.whole(2, 4) : random.whole(4, 8); times > 0; times -= 1) {
    await Promise.all([context.submit(abreast(random.whole(1, 3))), submitSomeRuns(stage, 1)]);
    await context.pause(random.whole(0, 100));
    if (await breakWrite(context.system.pool, random.pick(['lost', 'lost', 'kept']))) broken += 1;
  }
  if (broken === 0) throw new Error('No write was there to be broken');
};
