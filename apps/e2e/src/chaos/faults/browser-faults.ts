import { killIfRunning, processesOf, type WorkerProcess } from '../system/process-cleanup.ts';
import type { Fault, Stage } from './fault.ts';
import { startWorkers, submitSomeRuns, waitForSomeEvents } from './case-workload.ts';

/** The main process of Chromium: its command line has no type. */
const isBrowserProcess = ({ command }: WorkerProcess) => /chrom/.test(command) && !/ --type=|crashpad/.test(command);
const isRenderer = ({ command }: WorkerProcess) => command.includes(' --type=renderer');

/** `kill -9` of the whole browser of a worker with active runs. */
export const browserKilled: Fault = (stage) =>
  killProcesses(stage, isBrowserProcess, (roots) => [stage.random.pick(roots)]);

/** `kill -9` of the page processes of a worker. It is unknown which of them are in use. */
export const pageKilled: Fault = (stage) => killProcesses(stage, isRenderer, (pages) => pages);

/** Kills processes of each worker that has some, one worker after the other. */
async function killProcesses(
  stage: Stage,
  is: (process: WorkerProcess) => boolean,
  select: (fitting: readonly WorkerProcess[]) => readonly WorkerProcess[],
): Promise<void> {
  const { context, random } = stage;
  const workers = await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  let killed = 0;
  for (const { name } of workers) {
    const fitting = (await processesOf(new Set([name]))).filter(is);
    if (fitting.length === 0) continue;
    for (const { pid } of select(fitting)) killIfRunning(pid);
    killed += 1;
    await context.pause(random.integer(0, 800));
  }
  if (killed === 0) throw new Error('No worker had a browser to kill');
}
