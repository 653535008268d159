import type { Failpoint } from '@pilothouse/infra-fault';
import { BEYOND_LEASE_MS, type Hand } from '../system/worker-process.ts';
import type { Replica } from '../system/api-replica.ts';
import { SLOTS } from '../system/chaos-settings.ts';
import { FIRST_LETTER, letters, loops, waiting, WAITING_STEP } from '../plan/random-workflow.ts';
import { drives } from './manual-control-faults.ts';
import type { Fault, Stage } from './fault.ts';
import { leavingKilled } from './worker-exit-faults.ts';
import { failpointNames, isSudden, isWorkers, momentsAt, often } from './failpoint-timing.ts';
import { hireAll, hireHere, someWork } from './case-workload.ts';

/** How a process is broken at a failpoint, and what goes with it. */
export const variations = [
  'killed',
  'killed with all workers',
  'stopped beyond the lease',
  'stopped for a moment',
  'held up',
  'held up beyond the lease',
] as const;
export type Variation = (typeof variations)[number];

/** How runs are brought to failpoints that they do not come by of themselves, and how many processes a case kills there. */
const special = {
  'worker.question-durable': { play: askedFault, kills: 2 },
  'run.answered': { play: answeredFault, kills: 1 },
  'worker.restored': { play: restoredFault, kills: 2 },
  'run.cancelled': { play: endedByPersonFault, kills: 3 },
  'run.dismissed': { play: endedByPersonFault, kills: 3 },
  'sweeper.reclaimed': { play: takenBackFault, kills: 1 },
  'worker.before-handback': { play: (stage, name) => leavingKilled(name)(stage), kills: 1 },
  'gateway.handed-back': { play: (stage, name) => leavingKilled(name)(stage), kills: 1 },
  'gateway.slot-released': { play: (stage, name) => leavingKilled(name)(stage), kills: 1 },
} satisfies Partial<Record<Failpoint, Special>>;

type FailpointFault = (stage: Stage, name: Failpoint, variation: Variation) => Promise<void>;
interface Special {
  readonly play: FailpointFault;
  readonly kills: number;
}

const specialAt = (name: Failpoint) => (special as Partial<Record<Failpoint, Special>>)[name];

/** Workers that break side by side, and lives in which one replica does. */
const WORKERS = 2;
const LIVES = 3;

/** Breaks processes at a failpoint. */
export const atFailpoint = (name: Failpoint, variation: Variation): Fault => {
  const fault = specialAt(name)?.play ?? (isWorkers(name) ? workerFault : replicaFault);
  return (stage) => fault(stage, name, variation);
};

/** How many processes a case kills at a failpoint, if all of them come by there. */
export function killsAt(name: Failpoint, variation: Variation): number {
  if (!variation.startsWith('killed')) return 0;
  const lives = variation === 'killed' ? LIVES : 1;
  return specialAt(name)?.kills ?? (isWorkers(name) ? WORKERS : lives);
}

/** Work for whoever breaks at a failpoint: where files come by, runs that keep some. */
const workFor = (stage: Stage, name: Failpoint, count: number) =>
  someWork(stage, count, name.includes('upload') ? { capture: { screenshots: 'on' } } : {});

/** Two workers that break, and one that does not. */
async function workerFault(stage: Stage, name: Failpoint, variation: Variation): Promise<void> {
  const { scene, surface } = stage;
  const isBrowser = surface === 'browser';
  // There are hardly more runs than those take that are there already; and of those of the case one that breaks has more room than the sound one.
  if (isBrowser) scene.alone();
  const orders = Array.from({ length: WORKERS }, () => ordersFor(stage, name, variation));
  const [armed] = await Promise.all([
    hireAll(stage, orders, isBrowser ? { slots: SLOTS } : {}),
    scene.hire(isBrowser ? { slots: SLOTS - 1 } : {}),
  ]);
  await workUntil(
    stage,
    name,
    () => armed.every(({ fired }) => fired.length > 0),
    () => wakeLater(stage, armed, variation),
  );
  if (variation === 'killed with all workers') await killAll(stage);
}

/** A replica that breaks, and breaks again when its workers are back; killed, it does so in another life. */
async function replicaFault(stage: Stage, name: Failpoint, variation: Variation): Promise<void> {
  const { scene } = stage;
  const replica = scene.house.replica(0);
  let lives = killsAt(name, variation);
  const failpoints = ordersFor(stage, name, variation);
  await replica.arm(failpoints);
  const hands = await hireHere(stage);
  for (let round = 0; round < 4 && replica.fired < failpoints.split(',').length; round += 1) {
    const before = replica.fired;
    const work = workFor(stage, name, stage.surface === 'browser' ? 1 : 3);
    await scene.sees(() => replica.fired > before, 6_000);
    await onFired(stage, replica, hands, variation);
    await work;
    if (variation.startsWith('killed') && replica.fired > before) {
      lives -= 1;
      if (lives === 0) return;
      await replica.again({ failpoints });
    }
    // They may have gone to the other replica.
    for (const { gate } of hands) gate.cut();
  }
}

/** Failpoints that a replica passes whenever runs are at work. */
const everyday = failpointNames.filter((name) => !isWorkers(name) && !(name in special));

/** A replica that is held up, or stands still, again and again, wherever it comes by. */
export const heldUpEverywhere: Fault = async (stage) => {
  const { scene, dice } = stage;
  const replica = scene.house.replica(0);
  const orders = everyday.flatMap((name) =>
    [1, 2, 3].map((nth) => {
      const at = often.has(name) ? nth * dice.whole(3, 9) : nth * 2;
      const deed =
        isSudden(name) || dice.chance(0.2) ? 'stop' : `pause/${dice.pick([30, 100, 300, 300, BEYOND_LEASE_MS])}`;
      return `${name}:${at}=${deed}`;
    }),
  );
  const failpoints = orders.join(',');
  await replica.arm(failpoints);
  const hands = await hireHere(stage);
  for (let round = 0; round < 4 && replica.fired < orders.length; round += 1) {
    const work = someWork(stage, 3);
    for (let moments = 0; moments < 15 && replica.fired < orders.length; moments += 1) {
      await scene.while(dice.whole(100, 300));
      replica.wake();
      if (dice.chance(0.1)) await scene.while(BEYOND_LEASE_MS);
    }
    await work;
    if (dice.chance(0.5)) for (const { gate } of hands) gate.cut();
  }
};

/** Both replicas may be the one that sweeps. */
async function takenBackFault(stage: Stage, name: Failpoint, variation: Variation): Promise<void> {
  const { scene } = stage;
  const { replicas } = scene.house;
  // The runs of one victim are all that is taken back: everyone counts.
  const isForNobody = variation === 'held up';
  const orders = () => (isForNobody ? momentsAt(stage.dice, [name]) : everyTime(stage, name, variation));
  await Promise.all(replicas.map((replica) => replica.arm(orders())));
  const runs = await loseWorker(stage, isForNobody ? 6 : 3);
  await scene.sees(() => replicas.some((replica) => replica.fired > 0), 15_000);
  if (isForNobody) await scene.sees(() => replicas.reduce((sum, { fired }) => sum + fired, 0) >= runs.length, 10_000);
  await wakeLater(stage, replicas, variation);
  // Before there is another worker.
  if (isForNobody) await Promise.all(runs.map((run) => scene.cancel(run)));
}

/** The only worker is killed in the middle of its work. @returns its runs */
async function loseWorker(stage: Stage, count: number): Promise<string[]> {
  const { scene, dice } = stage;
  scene.alone();
  const [victim] = await hireAll(stage, [undefined], { slots: count });
  const runs = await Promise.all(Array.from({ length: count }, () => scene.submit(letters(3))));
  await scene.events(dice.whole(10, 30));
  await victim?.kill();
  return runs;
}

/** Those that take over what a worker left break where they have restored it. */
async function restoredFault(stage: Stage, name: Failpoint, variation: Variation): Promise<void> {
  const { scene } = stage;
  await loseWorker(stage, 4);
  const order = everyTime(stage, name, variation);
  const takers = await hireAll(stage, [order, order], { slots: 2 });
  await scene.sees(() => takers.every(({ fired }) => fired.length > 0), 15_000);
  await wakeLater(stage, takers, variation);
  if (variation === 'killed with all workers') await killAll(stage);
}

/** The replica breaks that a person told to end a run. */
async function endedByPersonFault(stage: Stage, name: Failpoint, variation: Variation): Promise<void> {
  const { scene } = stage;
  const replica = scene.house.replica(0);
  scene.alone();
  const hands = await hireAll(stage, [undefined]);
  const runs = await Promise.all([1, 2, 3].map(() => scene.submit(waiting())));
  await Promise.all(runs.map((run) => scene.begins(run, WAITING_STEP)));
  const dismisses = name === 'run.dismissed';
  if (dismisses) await Promise.all(runs.map((run) => drives(stage, run)));
  const order = everyTime(stage, name, variation);
  const end = (run: string) => (dismisses ? scene.dismiss(run) : scene.cancel(run));
  await replica.arm(order);
  if (variation === 'killed') {
    for (const [at, run] of runs.entries()) {
      if (at > 0) await replica.again({ failpoints: order });
      await end(run);
    }
    return;
  }
  const ending = Promise.all(runs.map(end));
  await scene.sees(() => replica.fired > 0, 10_000);
  await onFired(stage, replica, hands, variation);
  await ending;
}

/** Two workers die where nobody knows whether their letter was sent; those that take over break while they ask. */
async function askedFault(stage: Stage, name: Failpoint, variation: Variation): Promise<void> {
  const { scene } = stage;
  await leaveInDoubt(stage);
  const order = ordersFor(stage, name, variation);
  const askers = await hireAll(stage, [order, order], { slots: 1 });
  await scene.sees(() => askers.every(({ fired }) => fired.length > 0), 15_000);
  await wakeLater(stage, askers, variation);
  if (variation === 'killed with all workers') await killAll(stage);
}

/** As before, and the replica breaks that was told the answer. */
async function answeredFault(stage: Stage, name: Failpoint, variation: Variation): Promise<void> {
  const { scene } = stage;
  const replica = scene.house.replica(0);
  await leaveInDoubt(stage);
  await replica.arm(everyTime(stage, name, variation));
  const hands = await hireAll(stage, [undefined, undefined], { slots: 1 });
  await scene.sees(() => replica.fired > 0, 15_000);
  await onFired(stage, replica, hands, variation);
}

/** Two runs whose workers were killed after the intent to send a letter, and may have sent it. */
async function leaveInDoubt(stage: Stage): Promise<void> {
  const { scene, dice } = stage;
  scene.alone();
  const where = dice.pick(['worker.intent-durable', 'worker.input-sent', 'worker.outcome-buffered'] as const);
  const order = `${where}:${FIRST_LETTER + 1}=kill`;
  const hands = await hireAll(stage, [order, order], { slots: 1 });
  await Promise.all(
    [1, 2].map(() =>
      scene.submit(dice.chance(0.5) ? letters(2, { onInterrupted: 'ask' }) : loops(1, { onInterrupted: 'ask' })),
    ),
  );
  await scene.sees(() => hands.every(({ isAlive }) => !isAlive), 20_000);
}

/** Submits work until what is waited for has happened. */
async function workUntil(stage: Stage, name: Failpoint, is: () => boolean, then: () => Promise<void>): Promise<void> {
  for (let round = 0; round < 3 && !is(); round += 1) {
    const work = workFor(stage, name, stage.surface === 'browser' ? 2 : 4);
    await stage.scene.sees(is, 5_000);
    await then();
    await work;
  }
}

async function onFired(stage: Stage, replica: Replica, hands: readonly Hand[], variation: Variation): Promise<void> {
  if (replica.fired === 0) return;
  if (variation === 'killed with all workers') await Promise.all(hands.map((hand) => hand.kill()));
  // The same events come again by the other replica, while the first still has them in hand.
  if (variation.startsWith('held up')) for (const { gate } of hands) gate.cut();
  await wakeLater(stage, [replica], variation);
}

async function wakeLater(
  { scene, dice }: Stage,
  sleepers: readonly { wake(): void }[],
  variation: Variation,
): Promise<void> {
  if (variation === 'stopped beyond the lease') await scene.while(BEYOND_LEASE_MS + dice.whole(0, 1_000));
  else if (variation === 'stopped for a moment' || variation === 'held up') await scene.while(dice.whole(50, 400));
  else return;
  for (const sleeper of sleepers) sleeper.wake();
}

async function killAll({ scene }: Stage): Promise<void> {
  await Promise.all(scene.hands.map((hand) => hand.kill()));
}

/** Orders for one process: a deed that lets it live is done more than once. */
function ordersFor(stage: Stage, name: Failpoint, variation: Variation): string {
  const { dice, surface } = stage;
  const first = often.has(name)
    ? dice.whole(1, surface === 'browser' ? 6 : 15)
    : dice.whole(1, isWorkers(name) ? 1 : 2);
  return orders(stage, name, variation, (at) => first + at * 2);
}

/** Orders for a process that comes by only a few times: from the first time on. */
const everyTime = (stage: Stage, name: Failpoint, variation: Variation): string =>
  orders(stage, name, variation, (at) => 1 + at);

function orders({ dice }: Stage, name: Failpoint, variation: Variation, nth: (at: number) => number): string {
  const deed = deedOf(dice.whole(80, 300), isSudden(name), variation);
  const times = deed === 'kill' ? 1 : variation.endsWith('beyond the lease') ? 2 : 3;
  return Array.from({ length: times }, (_, at) => `${name}:${nth(at)}=${deed}`).join(',');
}

function deedOf(ms: number, sudden: boolean, variation: Variation): string {
  switch (variation) {
    case 'killed':
    case 'killed with all workers':
      return 'kill';
    case 'stopped beyond the lease':
    case 'stopped for a moment':
      return 'stop';
    case 'held up':
      return sudden ? 'stop' : `pause/${ms}`;
    case 'held up beyond the lease':
      return sudden ? 'stop' : `pause/${BEYOND_LEASE_MS}`;
  }
}
