import { BEYOND_LEASE_MS } from '../system/worker-process.ts';
import { letters } from '../plan/random-workflow.ts';
import type { Fault } from './fault.ts';
import { startWorkers, startWorkersAtFirstReplica, submitSomeRuns, waitForSomeEvents } from './case-workload.ts';

/** `kill -9` of one of the two replicas. */
export const apiKilled: Fault = async (stage) => {
  const { context, random } = stage;
  await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  await context.system.replica(random.integer(0, 1)).kill();
  await submitSomeRuns(stage, 1);
};

/** `kill -9` of both, for shorter or longer than a lease. */
export const apisKilled: Fault = async (stage) => {
  const { context, random } = stage;
  await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  await Promise.all(context.system.replicas.map((replica) => replica.kill()));
  await context.pause(random.integer(0, BEYOND_LEASE_MS));
};

/** SIGTERM to a replica during its work. */
export const apiStopped: Fault = async (stage) => {
  const { context, random } = stage;
  await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  await context.system.replica(random.integer(0, 1)).stop();
};

/** A replica and its workers stall for longer than a lease, and resume. */
export const apiFrozen: Fault = async (stage) => {
  const { context, random } = stage;
  await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  const replica = context.system.replica(random.integer(0, 1));
  replica.freeze();
  await context.pause(random.integer(500, BEYOND_LEASE_MS + 2_000));
  replica.wake();
};

/**
 * A replica stalls with received events that it has not written. Their workers send them to the other one. When the
 * first replica resumes, its writes are duplicates.
 */
export const eventsTwice: Fault = async (stage) => {
  const { context, random } = stage;
  const replica = context.system.replica(0);
  await replica.arm(`gateway.append-received:${random.integer(3, 14)}=stop`);
  const workers = await startWorkersAtFirstReplica(stage);
  // Long enough to be running when the first replica resumes.
  context.system.siteGate.delayMs = random.integer(60, 120);
  await Promise.all([1, 2, 3].map(() => context.submit(letters(3))));
  await context.waitUntil(() => replica.fired > 0, 10_000);
  for (const { gate } of workers) {
    gate.preferred = 1;
    gate.resetConnections();
  }
  await context.pause(random.integer(400, 1_200));
  replica.wake();
};
