import type { CaseContext } from '../case-context.ts';
import { anyWorkflow } from '../plan/random-workflow.ts';
import type { Fault, Stage } from './fault.ts';
import { startWorkers } from './case-workload.ts';

/** Runs that store an image of every step. */
const submitScreenshotRuns = ({ context, random }: Stage) =>
  Promise.all(Array.from({ length: 3 }, () => context.submit(anyWorkflow(random), { capture: { screenshots: 'on' } })));

const withStoreFault = (broken: (context: CaseContext) => Promise<unknown>): Fault => {
  return async (stage) => {
    const { context, random } = stage;
    await startWorkers(stage, [undefined, undefined]);
    const work = submitScreenshotRuns(stage);
    await context.pause(random.integer(0, 300));
    await broken(context);
    await work;
    await context.pause(random.integer(300, 2_000));
    await context.system.store.restore();
  };
};

/** The object store refuses writes: objects are lost, runs are not. */
export const storeRefuses = withStoreFault((context) => context.system.store.refuse());

/** The object store is full. Where that is impossible, it refuses writes instead, and the result says so. */
export const diskFull = withStoreFault(async (context) => {
  if ((await context.system.store.fill()) === 'refusing') context.substitute = 'object store refuses';
});
