import type { Failpoint } from '@pilothouse/infra-fault';
import type { ChaosWorker } from '../system/worker-process.ts';
import { SOLO_SLOTS } from '../system/chaos-settings.ts';
import { waiting, WAITING_STEP } from '../plan/random-workflow.ts';
import { takeControl, releaseControl } from './manual-control-faults.ts';
import type { Fault, Stage } from './fault.ts';
import { isWorkers, momentsAt, whileAwake } from './failpoint-timing.ts';
import { startWorkers } from './case-workload.ts';

/** Where a run comes by whose worker leaves. */
const exitFailpoints = [
  'worker.before-handback',
  'gateway.handed-back',
  'gateway.slot-released',
] as const satisfies Failpoint[];

/** Runs that wait, of which a person has every second one. */
const RUNS = SOLO_SLOTS;

/** A worker is told to leave, twice: it gives everything back at once. Two signals of one name may come as one. */
function signalExit(worker: ChaosWorker): void {
  worker.program.signal('SIGTERM');
  worker.program.signal('SIGINT');
}

/** What has become of the runs of a worker that leaves. */
interface ExitingWorker {
  readonly leaver: ChaosWorker;
  readonly runs: readonly string[];
  /** Those that somebody drives. */
  readonly driven: readonly string[];
}

/** Runs at a worker that is told to leave. @param orders for the worker and for the first replica */
async function startExit(
  stage: Stage,
  orders: { worker?: string | undefined; replica: string },
): Promise<ExitingWorker> {
  const { context } = stage;
  context.useOwnFleet();
  if (orders.replica !== '') await context.system.replica(0).arm(orders.replica);
  const [leaver] = await startWorkers(stage, [orders.worker], { slots: RUNS });
  if (!leaver) throw new Error('Nobody was hired');
  const runs = await Promise.all(Array.from({ length: RUNS }, () => context.submit(waiting())));
  await Promise.all(runs.map((run) => context.waitForStep(run, WAITING_STEP)));
  const driven = runs.filter((_, at) => at % 2 === 1);
  await Promise.all(driven.map((run) => takeControl(stage, run)));
  signalExit(leaver);
  return { leaver, runs, driven };
}

const moments = ({ random }: Stage) => ({
  worker: momentsAt(random, exitFailpoints.filter(isWorkers)),
  replica: momentsAt(
    random,
    exitFailpoints.filter((name) => !isWorkers(name)),
  ),
});

/** A worker leaves, is held up on the way, and somebody else goes on with what it gave back. */
export const exitWithSuccessor: Fault = async (stage) => {
  const { context } = stage;
  await whileAwake(
    () => [...context.workers, ...context.system.replicas],
    async () => {
      const left = await startExit(stage, moments(stage));
      await context.waitForExit(left.leaver);
      await recoverRuns(stage, left);
    },
  );
};

/** A worker leaves, is held up on the way, and what it gave back is cancelled before anybody takes it. */
export const exitWithoutSuccessor: Fault = async (stage) => {
  const { context } = stage;
  await whileAwake(
    () => [...context.workers, ...context.system.replicas],
    async () => {
      const { leaver, runs } = await startExit(stage, moments(stage));
      await context.waitForExit(leaver);
      await Promise.all(runs.map((run) => context.cancel(run)));
    },
  );
};

/** A worker leaves, and it or the replica that hears of it is killed on the way. */
export const leavingKilled =
  (name: Failpoint): Fault =>
  async (stage) => {
    const { context, random } = stage;
    const order = `${name}:${random.whole(1, 3)}=kill`;
    const orders = isWorkers(name) ? { worker: order, replica: '' } : { replica: order };
    const left = await startExit(stage, orders);
    const replica = context.system.replica(0);
    await context.waitUntil(() => left.leaver.fired.length + replica.fired > 0, 10_000);
    await recoverRuns(stage, left);
  };

/** Somebody else takes what was left; the wheels go back, and what waits on is cancelled. */
async function recoverRuns(stage: Stage, { runs, driven }: ExitingWorker): Promise<void> {
  const { context } = stage;
  await startWorkers(stage, [undefined], { slots: RUNS });
  await Promise.all(driven.map((run) => releaseControl(stage, run)));
  await context.waitForAttempts(runs, 2);
  await Promise.all(runs.map((run) => context.cancel(run)));
}
