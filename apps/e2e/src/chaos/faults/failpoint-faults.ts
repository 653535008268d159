import type { Failpoint } from '@pilothouse/infra-fault';
import { BEYOND_LEASE_MS, type ChaosWorker } from '../system/worker-process.ts';
import type { Replica } from '../system/api-replica.ts';
import { SLOTS } from '../system/chaos-settings.ts';
import { FIRST_LETTER, letters, loops, waiting, WAITING_STEP } from '../plan/random-workflow.ts';
import { takeControl } from './manual-control-faults.ts';
import type { Fault, Stage } from './fault.ts';
import { killedWhileDraining } from './worker-exit-faults.ts';
import { failpointNames, needsStop, isWorkerFailpoint, briefPausesAt, frequentFailpoints } from './failpoint-timing.ts';
import { startWorkers, startWorkersAtFirstReplica, submitSomeRuns } from './case-workload.ts';

/** The action at a failpoint and its conditions. */
export const variations = [
  'killed',
  'killed with all workers',
  'stopped beyond the lease',
  'stopped for a moment',
  'delayed',
  'delayed beyond the lease',
] as const;
export type Variation = (typeof variations)[number];

/** The workload that makes runs reach a rare failpoint, and the number of processes that a case kills there. */
const special = {
  'worker.question-durable': { inject: questionFault, kills: 2 },
  'run.answered': { inject: answeredFault, kills: 1 },
  'worker.restored': { inject: restoredFault, kills: 2 },
  'run.cancelled': { inject: endedByPersonFault, kills: 3 },
  'run.dismissed': { inject: endedByPersonFault, kills: 3 },
  'sweeper.reclaimed': { inject: reclaimedFault, kills: 1 },
  'worker.before-handback': { inject: (stage, name) => killedWhileDraining(name)(stage), kills: 1 },
  'gateway.handed-back': { inject: (stage, name) => killedWhileDraining(name)(stage), kills: 1 },
  'gateway.slot-released': { inject: (stage, name) => killedWhileDraining(name)(stage), kills: 1 },
} satisfies Partial<Record<Failpoint, Special>>;

type FailpointFault = (stage: Stage, name: Failpoint, variation: Variation) => Promise<void>;
interface Special {
  readonly inject: FailpointFault;
  readonly kills: number;
}

const specialAt = (name: Failpoint) => (special as Partial<Record<Failpoint, Special>>)[name];

/** Number of parallel victim workers, and of lives in which one replica breaks. */
const WORKERS = 2;
const LIVES = 3;

/** Breaks processes at a failpoint. */
export const atFailpoint = (name: Failpoint, variation: Variation): Fault => {
  const fault = specialAt(name)?.inject ?? (isWorkerFailpoint(name) ? workerFault : replicaFault);
  return (stage) => fault(stage, name, variation);
};

/** Maximum number of processes that a case kills at a failpoint. */
export function killsAt(name: Failpoint, variation: Variation): number {
  if (!variation.startsWith('killed')) return 0;
  const lives = variation === 'killed' ? LIVES : 1;
  return specialAt(name)?.kills ?? (isWorkerFailpoint(name) ? WORKERS : lives);
}

/** Workload for the victims. Where files are involved, runs that store some. */
const workFor = (stage: Stage, name: Failpoint, count: number) =>
  submitSomeRuns(stage, count, name.includes('upload') ? { capture: { screenshots: 'on' } } : {});

/** Two victim workers and a healthy one. */
async function workerFault(stage: Stage, name: Failpoint, variation: Variation): Promise<void> {
  const { context, surface } = stage;
  const isBrowser = surface === 'browser';
  // The existing workers could take almost all runs. Of the workers of the case a victim has more slots than the
  // healthy one.
  if (isBrowser) context.useDedicatedFleet();
  const orders = Array.from({ length: WORKERS }, () => ordersFor(stage, name, variation));
  const [armed] = await Promise.all([
    startWorkers(stage, orders, isBrowser ? { slots: SLOTS } : {}),
    context.startWorker(isBrowser ? { slots: SLOTS - 1 } : {}),
  ]);
  await workUntil(
    stage,
    name,
    () => armed.every(({ fired }) => fired.length > 0),
    () => wakeLater(stage, armed, variation),
  );
  if (variation === 'killed with all workers') await killAll(stage);
}

/** A replica breaks, and breaks again after its workers reconnect. A kill happens in another life. */
async function replicaFault(stage: Stage, name: Failpoint, variation: Variation): Promise<void> {
  const { context } = stage;
  const replica = context.system.replica(0);
  let lives = killsAt(name, variation);
  const failpoints = ordersFor(stage, name, variation);
  await replica.arm(failpoints);
  const workers = await startWorkersAtFirstReplica(stage);
  for (let round = 0; round < 4 && replica.fired < failpoints.split(',').length; round += 1) {
    const previouslyFired = replica.fired;
    const work = workFor(stage, name, stage.surface === 'browser' ? 1 : 3);
    await context.waitUntil(() => replica.fired > previouslyFired, 6_000);
    await onFired(stage, replica, workers, variation);
    await work;
    if (variation.startsWith('killed') && replica.fired > previouslyFired) {
      lives -= 1;
      if (lives === 0) return;
      await replica.restart({ failpoints });
    }
    // They may have reconnected to the other replica.
    for (const { gate } of workers) gate.resetConnections();
  }
}

/** Failpoints that a replica reaches whenever runs are active. */
const commonFailpoints = failpointNames.filter((name) => !isWorkerFailpoint(name) && !(name in special));

/** A replica is delayed or stopped repeatedly, at every failpoint that it reaches. */
export const pausedEverywhere: Fault = async (stage) => {
  const { context, random } = stage;
  const replica = context.system.replica(0);
  const orders = commonFailpoints.flatMap((name) =>
    [1, 2, 3].map((nth) => {
      const count = frequentFailpoints.has(name) ? nth * random.integer(3, 9) : nth * 2;
      const action =
        needsStop(name) || random.chance(0.2) ? 'stop' : `pause/${random.pick([30, 100, 300, 300, BEYOND_LEASE_MS])}`;
      return `${name}:${count}=${action}`;
    }),
  );
  const failpoints = orders.join(',');
  await replica.arm(failpoints);
  const workers = await startWorkersAtFirstReplica(stage);
  for (let round = 0; round < 4 && replica.fired < orders.length; round += 1) {
    const work = submitSomeRuns(stage, 3);
    for (let moments = 0; moments < 15 && replica.fired < orders.length; moments += 1) {
      await context.pause(random.integer(100, 300));
      replica.wake();
      if (random.chance(0.1)) await context.pause(BEYOND_LEASE_MS);
    }
    await work;
    if (random.chance(0.5)) for (const { gate } of workers) gate.resetConnections();
  }
};

/** Either replica may be the one that sweeps. */
async function reclaimedFault(stage: Stage, name: Failpoint, variation: Variation): Promise<void> {
  const { context } = stage;
  const { replicas } = context.system;
  // Only the runs of one victim are recovered, so every one of them counts.
  const isUnassigned = variation === 'delayed';
  const orders = () => (isUnassigned ? briefPausesAt(stage.random, [name]) : everyTime(stage, name, variation));
  await Promise.all(replicas.map((replica) => replica.arm(orders())));
  const runs = await loseWorker(stage, isUnassigned ? 6 : 3);
  await context.waitUntil(() => replicas.some((replica) => replica.fired > 0), 15_000);
  if (isUnassigned)
    await context.waitUntil(() => replicas.reduce((sum, { fired }) => sum + fired, 0) >= runs.length, 10_000);
  await wakeLater(stage, replicas, variation);
  // Before another worker exists.
  if (isUnassigned) await Promise.all(runs.map((run) => context.cancel(run)));
}

/**
 * Kills the only worker in the middle of its work.
 * @returns its runs
 */
async function loseWorker(stage: Stage, count: number): Promise<string[]> {
  const { context, random } = stage;
  context.useDedicatedFleet();
  const [victim] = await startWorkers(stage, [undefined], { slots: count });
  const runs = await Promise.all(Array.from({ length: count }, () => context.submit(letters(3))));
  await context.waitForEvents(random.integer(10, 30));
  await victim?.kill();
  return runs;
}

/** Recovering workers break when they have restored a run. */
async function restoredFault(stage: Stage, name: Failpoint, variation: Variation): Promise<void> {
  const { context } = stage;
  await loseWorker(stage, 4);
  const order = everyTime(stage, name, variation);
  const recoveringWorkers = await startWorkers(stage, [order, order], { slots: 2 });
  await context.waitUntil(() => recoveringWorkers.every(({ fired }) => fired.length > 0), 15_000);
  await wakeLater(stage, recoveringWorkers, variation);
  if (variation === 'killed with all workers') await killAll(stage);
}

/** The replica breaks that received the dismissal of a run. */
async function endedByPersonFault(stage: Stage, name: Failpoint, variation: Variation): Promise<void> {
  const { context } = stage;
  const replica = context.system.replica(0);
  context.useDedicatedFleet();
  const workers = await startWorkers(stage, [undefined]);
  const runs = await Promise.all([1, 2, 3].map(() => context.submit(waiting())));
  await Promise.all(runs.map((run) => context.waitForStep(run, WAITING_STEP)));
  const dismisses = name === 'run.dismissed';
  if (dismisses) await Promise.all(runs.map((run) => takeControl(stage, run)));
  const order = everyTime(stage, name, variation);
  const end = (run: string) => (dismisses ? context.dismiss(run) : context.cancel(run));
  await replica.arm(order);
  if (variation === 'killed') {
    for (const [index, run] of runs.entries()) {
      if (index > 0) await replica.restart({ failpoints: order });
      await end(run);
    }
    return;
  }
  const ending = Promise.all(runs.map(end));
  await context.waitUntil(() => replica.fired > 0, 10_000);
  await onFired(stage, replica, workers, variation);
  await ending;
}

/** Two workers die when it is unknown whether their letter was sent. The recovering workers break while they ask. */
async function questionFault(stage: Stage, name: Failpoint, variation: Variation): Promise<void> {
  const { context } = stage;
  await interruptStep(stage);
  const order = ordersFor(stage, name, variation);
  const recoveringWorkers = await startWorkers(stage, [order, order], { slots: 1 });
  await context.waitUntil(() => recoveringWorkers.every(({ fired }) => fired.length > 0), 15_000);
  await wakeLater(stage, recoveringWorkers, variation);
  if (variation === 'killed with all workers') await killAll(stage);
}

/** Like the previous one, and the replica breaks that received the answer. */
async function answeredFault(stage: Stage, name: Failpoint, variation: Variation): Promise<void> {
  const { context } = stage;
  const replica = context.system.replica(0);
  await interruptStep(stage);
  await replica.arm(everyTime(stage, name, variation));
  const workers = await startWorkers(stage, [undefined, undefined], { slots: 1 });
  await context.waitUntil(() => replica.fired > 0, 15_000);
  await onFired(stage, replica, workers, variation);
}

/** Two runs whose workers were killed after the intent to send a letter, and may have sent it. */
async function interruptStep(stage: Stage): Promise<void> {
  const { context, random } = stage;
  context.useDedicatedFleet();
  const failpoint = random.pick(['worker.intent-durable', 'worker.input-sent', 'worker.outcome-buffered'] as const);
  const order = `${failpoint}:${FIRST_LETTER + 1}=kill`;
  const workers = await startWorkers(stage, [order, order], { slots: 1 });
  await Promise.all(
    [1, 2].map(() =>
      context.submit(random.chance(0.5) ? letters(2, { onInterrupted: 'ask' }) : loops(1, { onInterrupted: 'ask' })),
    ),
  );
  await context.waitUntil(() => workers.every(({ isAlive }) => !isAlive), 20_000);
}

/** Submits work until a condition is met. */
async function workUntil(stage: Stage, name: Failpoint, is: () => boolean, then: () => Promise<void>): Promise<void> {
  for (let round = 0; round < 3 && !is(); round += 1) {
    const work = workFor(stage, name, stage.surface === 'browser' ? 2 : 4);
    await stage.context.waitUntil(is, 5_000);
    await then();
    await work;
  }
}

async function onFired(
  stage: Stage,
  replica: Replica,
  workers: readonly ChaosWorker[],
  variation: Variation,
): Promise<void> {
  if (replica.fired === 0) return;
  if (variation === 'killed with all workers') await Promise.all(workers.map((worker) => worker.kill()));
  // The same events arrive by the other replica while the first still holds them.
  if (variation.startsWith('delayed')) for (const { gate } of workers) gate.resetConnections();
  await wakeLater(stage, [replica], variation);
}

async function wakeLater(
  { context, random }: Stage,
  sleepers: readonly { wake(): void }[],
  variation: Variation,
): Promise<void> {
  if (variation === 'stopped beyond the lease') await context.pause(BEYOND_LEASE_MS + random.integer(0, 1_000));
  else if (variation === 'stopped for a moment' || variation === 'delayed')
    await context.pause(random.integer(50, 400));
  else return;
  for (const sleeper of sleepers) sleeper.wake();
}

async function killAll({ context }: Stage): Promise<void> {
  await Promise.all(context.workers.map((worker) => worker.kill()));
}

/** Failpoint orders for one process. An action that does not kill is repeated. */
function ordersFor(stage: Stage, name: Failpoint, variation: Variation): string {
  const { random, surface } = stage;
  const first = frequentFailpoints.has(name)
    ? random.integer(1, surface === 'browser' ? 6 : 15)
    : random.integer(1, isWorkerFailpoint(name) ? 1 : 2);
  return orders(stage, name, variation, (index) => first + index * 2);
}

/** Failpoint orders for a process that reaches the failpoint only a few times: from the first time on. */
const everyTime = (stage: Stage, name: Failpoint, variation: Variation): string =>
  orders(stage, name, variation, (index) => 1 + index);

function orders({ random }: Stage, name: Failpoint, variation: Variation, nth: (index: number) => number): string {
  const action = actionOf(random.integer(80, 300), needsStop(name), variation);
  const times = action === 'kill' ? 1 : variation.endsWith('beyond the lease') ? 2 : 3;
  return Array.from({ length: times }, (_, index) => `${name}:${nth(index)}=${action}`).join(',');
}

function actionOf(ms: number, sudden: boolean, variation: Variation): string {
  switch (variation) {
    case 'killed':
    case 'killed with all workers':
      return 'kill';
    case 'stopped beyond the lease':
    case 'stopped for a moment':
      return 'stop';
    case 'delayed':
      return sudden ? 'stop' : `pause/${ms}`;
    case 'delayed beyond the lease':
      return sudden ? 'stop' : `pause/${BEYOND_LEASE_MS}`;
  }
}
