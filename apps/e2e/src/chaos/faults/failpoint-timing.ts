import { failpoints, type Failpoint } from '@pilothouse/infra-fault';
import type { Hand } from '../system/worker-process.ts';
import { SOLO_SLOTS } from '../system/chaos-settings.ts';
import { END_MS } from '../case-runner.ts';
import { letters, loops, waiting, WAITING_STEP, type WorkflowPlan } from '../plan/random-workflow.ts';
import type { Dice } from '../plan/seeded-random.ts';
import { drives, givesBack } from './manual-control-faults.ts';
import type { Fault, Stage } from './fault.ts';
import { hireAll } from './case-workload.ts';

export const failpointNames = Object.keys(failpoints) as Failpoint[];

/** Failpoints that nothing waits at cannot be held up: there the process is stopped for a moment instead. */
export const isSudden = (name: Failpoint) => !failpoints[name].isAsync;
export const isWorkers = (name: Failpoint) => name.startsWith('worker.') || name.startsWith('link.');

/** Failpoints that every step passes. */
export const often: ReadonlySet<Failpoint> = new Set([
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

/** Times that a process is held up at each failpoint; stopped, it waits for somebody to wake it. */
const HOLDS = 12;
const STOPS = 6;

/** Runs that wait for a person; beside them a worker has room for those that write letters. */
const WAITING = SOLO_SLOTS - 2;

/** Milliseconds between two looks for who stands still. */
const WAKE_MS = 40;

/** Orders that hold a process up for a moment at failpoints, each time that it comes by, or nearly. */
export const momentsAt = (dice: Dice, names: readonly Failpoint[]): string =>
  names
    .flatMap((name) => {
      const stride = often.has(name) ? dice.whole(1, 3) : 1;
      return Array.from({ length: isSudden(name) ? STOPS : HOLDS }, (_, nth) => {
        const deed = isSudden(name) ? 'stop' : `pause/${dice.whole(5, 40)}`;
        return `${name}:${1 + nth * stride}=${deed}`;
      });
    })
    .join(',');

export const momentsOfWorker = (dice: Dice) => momentsAt(dice, failpointNames.filter(isWorkers));
const momentsOfReplica = (dice: Dice) =>
  momentsAt(
    dice,
    failpointNames.filter((name) => !isWorkers(name)),
  );

/** Does something while nobody stands still for longer than a moment. */
export async function whileAwake(
  sleepers: () => readonly { wake(): void }[],
  work: () => Promise<void>,
): Promise<void> {
  const waking = setInterval(() => {
    for (const sleeper of sleepers()) sleeper.wake();
  }, WAKE_MS);
  await work().finally(() => clearInterval(waking));
}

/** Runs that write letters, and runs that wait for somebody who drives them. @returns those that wait */
async function everyKind({ scene, dice }: Stage): Promise<string[]> {
  const record = { screenshots: 'on' };
  const submit = (plan: WorkflowPlan, at: number) => {
    scene.preferred = at % 2;
    return scene.submit(plan, { capture: record });
  };
  const [waits] = await Promise.all([
    Promise.all(Array.from({ length: WAITING }, (_, at) => submit(waiting(), at))),
    Promise.all([letters(dice.whole(1, 2)), loops(1)].map(submit)),
  ]);
  scene.preferred = 0;
  return waits;
}

/** Takes the wheel of runs, and gives it back, or dismisses them; what goes on then is cancelled. */
async function seenTo(stage: Stage, runs: readonly string[]): Promise<void> {
  const { scene } = stage;
  await Promise.all(
    runs.map(async (run, at) => {
      const token = await drives(stage, run);
      if (token !== null && at % 2 === 0) return scene.dismiss(run);
      if (token !== null) await givesBack(stage, run);
      await scene.cancel(run);
    }),
  );
}

/**
 * Processes that are held up for a moment wherever runs come by, and runs of every kind. Nobody breaks: each run comes to its end in one attempt.
 */
export const heldUpForMoments: Fault = (stage) => passing(stage, () => Promise.resolve());

/** The same, and the worker is killed when the runs are at work: another attempt is made at each, and all of that is held up, too. */
export const heldUpAndTakenOver: Fault = (stage) =>
  passing(stage, async (victim, waits) => {
    const { scene, dice } = stage;
    await Promise.all(waits.map((run) => scene.begins(run, WAITING_STEP)));
    const taker = hireAll(stage, [momentsOfWorker(dice)], { slots: SOLO_SLOTS });
    await victim.kill();
    await taker;
    await scene.tried(waits, 2);
    await Promise.all(waits.map((run) => scene.begins(run, WAITING_STEP)));
  });

async function passing(stage: Stage, between: (first: Hand, waits: readonly string[]) => Promise<void>): Promise<void> {
  const { scene, dice } = stage;
  const { replicas } = scene.house;
  scene.alone();
  await Promise.all(replicas.map((replica) => replica.arm(momentsOfReplica(dice))));
  await whileAwake(
    () => [...scene.hands, ...replicas],
    async () => {
      const [hand] = await hireAll(stage, [momentsOfWorker(dice)], { slots: SOLO_SLOTS });
      if (!hand) return;
      const waits = await everyKind(stage);
      await between(hand, waits);
      await seenTo(stage, waits);
      // Their ends are to be held up, too.
      await scene.allEnded(END_MS);
    },
  );
}
