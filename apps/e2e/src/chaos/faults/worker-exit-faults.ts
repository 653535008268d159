import type { Failpoint } from '@pilothouse/infra-fault';
import type { ChaosWorker } from '../system/worker-process.ts';
import { SOLO_SLOTS } from '../system/chaos-settings.ts';
import { waiting, WAITING_STEP } from '../plan/random-workflow.ts';
import { takeControl, releaseControl } from './manual-control-faults.ts';
import type { Fault, Stage } from './fault.ts';
import { isWorkerFailpoint, briefPausesAt, withPeriodicWake } from './failpoint-timing.ts';
import { startWorkers } from './case-workload.ts';

/** Failpoints of a run whose worker drains. */
const exitFailpoints = [
  'worker.before-handback',
  'gateway.handed-back',
  'gateway.slot-released',
] as const satisfies Failpoint[];

/** Waiting runs; a person controls every second one. */
const RUNS = SOLO_SLOTS;

/** Sends SIGTERM to a worker twice: it returns everything immediately. The system may merge two equal signals. */
function signalExit(worker: ChaosWorker): void {
  worker.program.signal('SIGTERM');
  worker.program.signal('SIGINT');
}

/** State of the runs of a draining worker. */
interface ExitingWorker {
  readonly exitingWorker: ChaosWorker;
  readonly runs: readonly string[];
  /** Runs under manual control. */
  readonly controlledRuns: readonly string[];
}

/**
 * Submits runs to a worker that then drains.
 * @param orders for the worker and for the first replica
 */
async function startExit(
  stage: Stage,
  orders: { worker?: string | undefined; replica: string },
): Promise<ExitingWorker> {
  const { context } = stage;
  context.useDedicatedFleet();
  if (orders.replica !== '') await context.system.replica(0).arm(orders.replica);
  const [exitingWorker] = await startWorkers(stage, [orders.worker], { slots: RUNS });
  if (!exitingWorker) throw new Error('No worker was started');
  const runs = await Promise.all(Array.from({ length: RUNS }, () => context.submit(waiting())));
  await Promise.all(runs.map((run) => context.waitForStep(run, WAITING_STEP)));
  const driven = runs.filter((_, index) => index % 2 === 1);
  await Promise.all(driven.map((run) => takeControl(stage, run)));
  signalExit(exitingWorker);
  return { exitingWorker: exitingWorker, runs, controlledRuns: driven };
}

const moments = ({ random }: Stage) => ({
  worker: briefPausesAt(random, exitFailpoints.filter(isWorkerFailpoint)),
  replica: briefPausesAt(
    random,
    exitFailpoints.filter((name) => !isWorkerFailpoint(name)),
  ),
});

/** A draining worker is delayed, and another one continues the returned runs. */
export const exitWithSuccessor: Fault = async (stage) => {
  const { context } = stage;
  await withPeriodicWake(
    () => [...context.workers, ...context.system.replicas],
    async () => {
      const exit = await startExit(stage, moments(stage));
      await context.waitForExit(exit.exitingWorker);
      await recoverRuns(stage, exit);
    },
  );
};

/** A draining worker is delayed, and the returned runs are canceled before another worker takes them. */
export const exitWithoutSuccessor: Fault = async (stage) => {
  const { context } = stage;
  await withPeriodicWake(
    () => [...context.workers, ...context.system.replicas],
    async () => {
      const { exitingWorker, runs } = await startExit(stage, moments(stage));
      await context.waitForExit(exitingWorker);
      await Promise.all(runs.map((run) => context.cancel(run)));
    },
  );
};

/** A draining worker, or the replica that receives its messages, is killed. */
export const killedWhileDraining =
  (name: Failpoint): Fault =>
  async (stage) => {
    const { context, random } = stage;
    const order = `${name}:${random.integer(1, 3)}=kill`;
    const orders = isWorkerFailpoint(name) ? { worker: order, replica: '' } : { replica: order };
    const exit = await startExit(stage, orders);
    const replica = context.system.replica(0);
    await context.waitUntil(() => exit.exitingWorker.fired.length + replica.fired > 0, 10_000);
    await recoverRuns(stage, exit);
  };

/** Another worker takes the remaining runs. Control is released, and waiting runs are canceled. */
async function recoverRuns(stage: Stage, { runs, controlledRuns: driven }: ExitingWorker): Promise<void> {
  const { context } = stage;
  await startWorkers(stage, [undefined], { slots: RUNS });
  await Promise.all(driven.map((run) => releaseControl(stage, run)));
  await context.waitForAttempts(runs, 2);
  await Promise.all(runs.map((run) => context.cancel(run)));
}
