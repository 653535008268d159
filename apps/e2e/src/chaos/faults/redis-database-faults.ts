import { breakWrite } from '../system/write-interruption.ts';
import { abreast } from '../plan/random-workflow.ts';
import type { Fault } from './fault.ts';
import { startWorkers, submitSomeRuns, waitForSomeEvents } from './case-workload.ts';

/** Flushes Redis while runs wait and while they are active. */
export const redisFlushed: Fault = async (stage) => {
  const { context, random } = stage;
  // No worker takes them yet, so their jobs are lost.
  context.useDedicatedFleet();
  await submitSomeRuns(stage, 4);
  await context.system.servers.flushRedis();
  await startWorkers(stage, [undefined, undefined]);
  for (let times = random.integer(1, 3); times > 0; times -= 1) {
    await submitSomeRuns(stage, 2);
    await context.pause(random.integer(0, 300));
    await context.system.servers.flushRedis();
  }
};

/** Kills Redis and restarts it with its file. */
export const redisRestarted: Fault = async (stage) => {
  await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  await stage.context.system.servers.restartRedis();
  await submitSomeRuns(stage, 2);
};

/** Redis holds its connections open and does not respond. */
export const redisPaused: Fault = async (stage) => {
  const { context, random } = stage;
  await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  context.system.servers.pauseRedis();
  await submitSomeRuns(stage, 2);
  await context.pause(random.integer(500, 4_000));
  context.system.servers.resumeRedis();
};

/** PostgreSQL dies during writes, stays away for a while, and recovers from its log. */
export const postgresCrashed: Fault = async (stage) => {
  await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  await stage.context.system.servers.crashPostgres(stage.random.integer(0, 2_000));
  await submitSomeRuns(stage, 1);
};

/** PostgreSQL closes all connections and accepts new ones. */
export const postgresRestarted: Fault = async (stage) => {
  await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  await stage.context.system.servers.restartPostgres();
  await submitSomeRuns(stage, 1);
};

/**
 * Connections break one by one during writes of runs, before a commit or before its response. Later events of a run,
 * which arrive at a high rate, must not overtake the repeated write.
 */
export const writesBroken: Fault = async (stage) => {
  const { context, random, surface } = stage;
  await startWorkers(stage, [undefined, undefined]);
  let broken = 0;
  for (let times = surface === 'browser' ? random.integer(2, 4) : random.integer(4, 8); times > 0; times -= 1) {
    await Promise.all([context.submit(abreast(random.integer(1, 3))), submitSomeRuns(stage, 1)]);
    await context.pause(random.integer(0, 100));
    if (await breakWrite(context.system.pool, random.pick(['lost', 'lost', 'kept']))) broken += 1;
  }
  if (broken === 0) throw new Error('No write was in progress');
};
