import { killIfRunning, processesOf, type WorkerProcess } from '../system/process-cleanup.ts';
import type { Fault, Stage } from './fault.ts';
import { startWorkers, submitSomeRuns, waitForSomeEvents } from './case-workload.ts';

/** The process of Chromium that the others are of: it has no type. */
const isRoot = ({ command }: WorkerProcess) => /chrom/.test(command) && !/ --type=|crashpad/.test(command);
const isRenderer = ({ command }: WorkerProcess) => command.includes(' --type=renderer');

/** `kill -9` of a worker's whole browser, while its runs are on it. */
export const browserKilled: Fault = (stage) => killsOf(stage, isRoot, (roots) => [stage.random.pick(roots)]);

/** `kill -9` of the processes of a worker's pages: which of them are at work nobody can tell. */
export const pageKilled: Fault = (stage) => killsOf(stage, isRenderer, (pages) => pages);

/** Kills processes of each worker that has some, one worker after the other. */
async function killsOf(
  stage: Stage,
  is: (one: WorkerProcess) => boolean,
  which: (fitting: readonly WorkerProcess[]) => readonly WorkerProcess[],
): Promise<void> {
  const { context, random } = stage;
  const workers = await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  let killed = 0;
  for (const { name } of workers) {
    const fitting = (await processesOf(new Set([name]))).filter(is);
    if (fitting.length === 0) continue;
    for (const { pid } of which(fitting)) killIfRunning(pid);
    killed += 1;
    await context.pause(random.whole(0, 800));
  }
  if (killed === 0) throw new Error('Nobody had a browser to kill');
}
