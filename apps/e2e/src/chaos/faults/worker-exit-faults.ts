import type { Failpoint } from '@pilothouse/infra-fault';
import type { Hand } from '../system/worker-process.ts';
import { SOLO_SLOTS } from '../system/chaos-settings.ts';
import { waiting, WAITING_STEP } from '../plan/random-workflow.ts';
import { drives, givesBack } from './manual-control-faults.ts';
import type { Fault, Stage } from './fault.ts';
import { isWorkers, momentsAt, whileAwake } from './failpoint-timing.ts';
import { hireAll } from './case-workload.ts';

/** Where a run comes by whose worker leaves. */
const ways = ['worker.before-handback', 'gateway.handed-back', 'gateway.slot-released'] as const satisfies Failpoint[];

/** Runs that wait, of which a person has every second one. */
const RUNS = SOLO_SLOTS;

/** A worker is told to leave, twice: it gives everything back at once. Two signals of one name may come as one. */
function toldToLeave(hand: Hand): void {
  hand.program.signal('SIGTERM');
  hand.program.signal('SIGINT');
}

/** What has become of the runs of a worker that leaves. */
interface Left {
  readonly leaver: Hand;
  readonly runs: readonly string[];
  /** Those that somebody drives. */
  readonly driven: readonly string[];
}

/** Runs at a worker that is told to leave. @param orders for the worker and for the first replica */
async function leaves(stage: Stage, orders: { worker?: string | undefined; replica: string }): Promise<Left> {
  const { scene } = stage;
  scene.alone();
  if (orders.replica !== '') await scene.house.replica(0).arm(orders.replica);
  const [leaver] = await hireAll(stage, [orders.worker], { slots: RUNS });
  if (!leaver) throw new Error('Nobody was hired');
  const runs = await Promise.all(Array.from({ length: RUNS }, () => scene.submit(waiting())));
  await Promise.all(runs.map((run) => scene.begins(run, WAITING_STEP)));
  const driven = runs.filter((_, at) => at % 2 === 1);
  await Promise.all(driven.map((run) => drives(stage, run)));
  toldToLeave(leaver);
  return { leaver, runs, driven };
}

const moments = ({ dice }: Stage) => ({
  worker: momentsAt(dice, ways.filter(isWorkers)),
  replica: momentsAt(
    dice,
    ways.filter((name) => !isWorkers(name)),
  ),
});

/** A worker leaves, is held up on the way, and somebody else goes on with what it gave back. */
export const leftToOthers: Fault = async (stage) => {
  const { scene } = stage;
  await whileAwake(
    () => [...scene.hands, ...scene.house.replicas],
    async () => {
      const left = await leaves(stage, moments(stage));
      await scene.ends(left.leaver);
      await goOn(stage, left);
    },
  );
};

/** A worker leaves, is held up on the way, and what it gave back is cancelled before anybody takes it. */
export const leftToNobody: Fault = async (stage) => {
  const { scene } = stage;
  await whileAwake(
    () => [...scene.hands, ...scene.house.replicas],
    async () => {
      const { leaver, runs } = await leaves(stage, moments(stage));
      await scene.ends(leaver);
      await Promise.all(runs.map((run) => scene.cancel(run)));
    },
  );
};

/** A worker leaves, and it or the replica that hears of it is killed on the way. */
export const leavingKilled =
  (name: Failpoint): Fault =>
  async (stage) => {
    const { scene, dice } = stage;
    const order = `${name}:${dice.whole(1, 3)}=kill`;
    const orders = isWorkers(name) ? { worker: order, replica: '' } : { replica: order };
    const left = await leaves(stage, orders);
    const replica = scene.house.replica(0);
    await scene.sees(() => left.leaver.fired.length + replica.fired > 0, 10_000);
    await goOn(stage, left);
  };

/** Somebody else takes what was left; the wheels go back, and what waits on is cancelled. */
async function goOn(stage: Stage, { runs, driven }: Left): Promise<void> {
  const { scene } = stage;
  await hireAll(stage, [undefined], { slots: RUNS });
  await Promise.all(driven.map((run) => givesBack(stage, run)));
  await scene.tried(runs, 2);
  await Promise.all(runs.map((run) => scene.cancel(run)));
}
