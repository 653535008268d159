import { letters, visits, type WorkflowPlan } from '../plan/random-workflow.ts';
import { BEYOND_LEASE_MS } from '../system/worker-process.ts';
import type { Fault, Stage } from './fault.ts';
import { startWorkers, waitForSomeEvents } from './case-workload.ts';

/** Workers die with runs that must not be recovered: each ends as failed, and no worker acts on it again. */
export const workersKilledWithoutRecovery: Fault = (stage) => kills(stage, { onWorkerLost: 'fail' });

/**
 * Workers die with runs that restart at their first step, on an empty surface. Steps that must not be repeated are
 * asked about.
 */
export const workersKilledAndRestarted: Fault = (stage) => kills(stage, { onWorkerLost: 'restart' });

async function kills(stage: Stage, policy: Pick<WorkflowPlan, 'onWorkerLost'>): Promise<void> {
  const { context, random } = stage;
  const [first, second] = await startWorkers(stage, [undefined, undefined, undefined]);
  const plans = [
    visits(random.integer(4, 8), policy),
    letters(2, {}, policy),
    letters(2, { idempotent: true }, policy),
  ];
  await Promise.all(plans.map((plan) => context.submit(plan)));
  await waitForSomeEvents(stage);
  await first?.kill();
  await context.pause(random.pick([0, BEYOND_LEASE_MS]));
  await second?.kill();
}
