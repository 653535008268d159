import { letters, visits, type WorkflowPlan } from '../plan/random-workflow.ts';
import { BEYOND_LEASE_MS } from '../system/worker-process.ts';
import type { Fault, Stage } from './fault.ts';
import { hireAll, somewhere } from './case-workload.ts';

/** Workers die under runs that are not to be taken over: each ends as failed, and nobody acts on it again. */
export const lostForGood: Fault = (stage) => kills(stage, { onWorkerLost: 'fail' });

/** Workers die under runs that begin anew: at their first step, on an empty surface; what must not be repeated is asked about. */
export const lostAndBegunAnew: Fault = (stage) => kills(stage, { onWorkerLost: 'restart' });

async function kills(stage: Stage, more: Pick<WorkflowPlan, 'onWorkerLost'>): Promise<void> {
  const { scene, dice } = stage;
  const [first, second] = await hireAll(stage, [undefined, undefined, undefined]);
  const plans = [visits(dice.whole(4, 8), more), letters(2, {}, more), letters(2, { idempotent: true }, more)];
  await Promise.all(plans.map((plan) => scene.submit(plan)));
  await somewhere(stage);
  await first?.kill();
  await scene.while(dice.pick([0, BEYOND_LEASE_MS]));
  await second?.kill();
}
