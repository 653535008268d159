import { failpoints, type Failpoint } from '@pilothouse/infra-fault';
import type { ChaosWorker } from '../system/worker-process.ts';
import { SOLO_SLOTS } from '../system/chaos-settings.ts';
import { END_MS } from '../case-context.ts';
import { letters, loops, waiting, WAITING_STEP, type WorkflowPlan } from '../plan/random-workflow.ts';
import type { SeededRandom } from '../plan/seeded-random.ts';
import { takeControl, releaseControl } from './manual-control-faults.ts';
import type { Fault, Stage } from './fault.ts';
import { startWorkers } from './case-workload.ts';

export const failpointNames = Object.keys(failpoints) as Failpoint[];

/** Failpoints that cannot delay, because the code does not wait. The process is stopped for a moment instead. */
export const needsStop = (name: Failpoint) => !failpoints[name].isAsync;
export const isWorkerFailpoint = (name: Failpoint) => name.startsWith('worker.') || name.startsWith('link.');

/** Failpoints that every step reaches. */
export const frequentFailpoints: ReadonlySet<Failpoint> = new Set([
  'worker.intent-durable',
  'worker.input-sent',
  'worker.outcome-buffered',
  'link.append-sent',
  'gateway.append-received',
  'gateway.append-durable',
  'gateway.safe-point-stored',
  'gateway.upload-granted',
  'worker.upload-sent',
  'gateway.upload-stored',
]);

/** Number of delays, and of stops, of a process at each failpoint. A stop lasts until the process is resumed. */
const PAUSE_COUNT = 12;
const STOP_COUNT = 6;

/** Runs that wait for a person. A worker has free slots beside them for runs that write letters. */
const WAITING = SOLO_SLOTS - 2;

/** Milliseconds between two polls for stopped processes. */
const WAKE_MS = 40;

/** Orders that delay a process briefly at failpoints, almost every time that it reaches them. */
export const briefPausesAt = (random: SeededRandom, names: readonly Failpoint[]): string =>
  names
    .flatMap((name) => {
      const stride = frequentFailpoints.has(name) ? random.integer(1, 3) : 1;
      return Array.from({ length: needsStop(name) ? STOP_COUNT : PAUSE_COUNT }, (_, nth) => {
        const action = needsStop(name) ? 'stop' : `pause/${random.integer(5, 40)}`;
        return `${name}:${1 + nth * stride}=${action}`;
      });
    })
    .join(',');

export const workerPauses = (random: SeededRandom) => briefPausesAt(random, failpointNames.filter(isWorkerFailpoint));
const replicaPauses = (random: SeededRandom) =>
  briefPausesAt(
    random,
    failpointNames.filter((name) => !isWorkerFailpoint(name)),
  );

/** Runs a function and resumes stopped processes after a moment. */
export async function withPeriodicWake(
  sleepers: () => readonly { wake(): void }[],
  work: () => Promise<void>,
): Promise<void> {
  const waking = setInterval(() => {
    for (const sleeper of sleepers()) sleeper.wake();
  }, WAKE_MS);
  await work().finally(() => clearInterval(waking));
}

/**
 * Submits runs that write letters, and runs that wait for a person in control.
 * @returns those that wait
 */
async function submitEveryKind({ context, random }: Stage): Promise<string[]> {
  const record = { screenshots: 'on' };
  const submit = (plan: WorkflowPlan, index: number) => {
    context.preferred = index % 2;
    return context.submit(plan, { capture: record });
  };
  const [waits] = await Promise.all([
    Promise.all(Array.from({ length: WAITING }, (_, index) => submit(waiting(), index))),
    Promise.all([letters(random.integer(1, 2)), loops(1)].map(submit)),
  ]);
  context.preferred = 0;
  return waits;
}

/** Takes control of runs, and releases or dismisses them. Continued runs are canceled. */
async function resumeAll(stage: Stage, runs: readonly string[]): Promise<void> {
  const { context } = stage;
  await Promise.all(
    runs.map(async (run, index) => {
      const token = await takeControl(stage, run);
      if (token !== null && index % 2 === 0) return context.dismiss(run);
      if (token !== null) await releaseControl(stage, run);
      await context.cancel(run);
    }),
  );
}

/**
 * Delays processes briefly at every failpoint, with runs of every kind. No process is killed: each run ends in one
 * attempt.
 */
export const pausedForMoments: Fault = (stage) => withBriefPauses(stage, () => Promise.resolve());

/** Like the previous one, and the worker is killed while the runs are active. The second attempts are delayed too. */
export const pausedAndRecovered: Fault = (stage) =>
  withBriefPauses(stage, async (victim, waits) => {
    const { context, random } = stage;
    await Promise.all(waits.map((run) => context.waitForStep(run, WAITING_STEP)));
    const taker = startWorkers(stage, [workerPauses(random)], { slots: SOLO_SLOTS });
    await victim.kill();
    await taker;
    await context.waitForAttempts(waits, 2);
    await Promise.all(waits.map((run) => context.waitForStep(run, WAITING_STEP)));
  });

async function withBriefPauses(
  stage: Stage,
  between: (first: ChaosWorker, waits: readonly string[]) => Promise<void>,
): Promise<void> {
  const { context, random } = stage;
  const { replicas } = context.system;
  context.useDedicatedFleet();
  await Promise.all(replicas.map((replica) => replica.arm(replicaPauses(random))));
  await withPeriodicWake(
    () => [...context.workers, ...replicas],
    async () => {
      const [worker] = await startWorkers(stage, [workerPauses(random)], { slots: SOLO_SLOTS });
      if (!worker) return;
      const waits = await submitEveryKind(stage);
      await between(worker, waits);
      await resumeAll(stage, waits);
      // Their ends are delayed too.
      await context.waitForAllRuns(END_MS);
    },
  );
}
