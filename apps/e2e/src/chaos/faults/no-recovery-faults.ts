import { letters, visits, type WorkflowPlan } from '../plan/random-workflow.ts';
import { BEYOND_LEASE_MS } from '../system/worker-process.ts';
import type { Fault, Stage } from './fault.ts';
import { startWorkers, waitForSomeEvents } from './case-workload.ts';

/** Workers die under runs that are not to be taken over: each ends as failed, and nobody acts on it again. */
export const workersKilledWithoutRecovery: Fault = (stage) => kills(stage, { onWorkerLost: 'fail' });

/** Workers die under runs that begin anew: at their first step, on an empty surface; what must not be repeated is asked about. */
export const workersKilledAndRestarted: Fault = (stage) => kills(stage, { onWorkerLost: 'restart' });

async function kills(stage: Stage, more: Pick<WorkflowPlan, 'onWorkerLost'>): Promise<void> {
  const { context, random } = stage;
  const [first, second] = await startWorkers(stage, [undefined, undefined, undefined]);
  const plans = [visits(random.whole(4, 8), more), letters(2, {}, more), letters(2, { idempotent: true }, more)];
  await Promise.all(plans.map((plan) => context.submit(plan)));
  await waitForSomeEvents(stage);
  await first?.kill();
  await context.pause(random.pick([0, BEYOND_LEASE_MS]));
  await second?.kill();
}
