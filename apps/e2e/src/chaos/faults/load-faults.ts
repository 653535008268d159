import { visits, waiting } from '../plan/random-workflow.ts';
import type { Fault } from './fault.ts';
import { startWorkers, submitSomeRuns } from './case-workload.ts';

/** Number of simultaneous runs. */
const RUN_COUNT = 500;

/** 500 simultaneous runs on two workers. */
export const runBurst: Fault = async (stage) => {
  const { context } = stage;
  context.useDedicatedFleet();
  context.system.siteGate.delayMs = 0;
  await startWorkers(stage, [undefined, undefined], { slots: 4 });
  await Promise.all(Array.from({ length: RUN_COUNT }, () => context.submit(visits(1))));
};

/** Cancels runs while they end: exactly one of the two outcomes applies. */
export const cancelRace: Fault = async (stage) => {
  const { context, random } = stage;
  await startWorkers(stage, [undefined, undefined]);
  const runs = [...(await submitSomeRuns(stage, 5)), await context.submit(waiting())];
  await Promise.all(
    runs.map(async (run) => {
      await context.pause(random.integer(0, 600));
      await context.cancel(run);
    }),
  );
};

/** Many clients send the same request with the same Idempotency-Key. */
export const duplicateSubmits: Fault = async (stage) => {
  const { context, random } = stage;
  await startWorkers(stage, [undefined, undefined]);
  await Promise.all(Array.from({ length: 3 }, () => context.submitTogether(visits(2), random.integer(4, 12))));
};
