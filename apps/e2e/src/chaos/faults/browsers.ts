import { killIfThere, processesOf, type WorkerProcess } from '../house/processes.ts';
import type { Fault, Stage } from './fault.ts';
import { hireAll, someWork, somewhere } from './work.ts';

/** The process of Chromium that the others are of: it has no type. */
const isRoot = ({ command }: WorkerProcess) => /chrom/.test(command) && !/ --type=|crashpad/.test(command);
const isRenderer = ({ command }: WorkerProcess) => command.includes(' --type=renderer');

/** `kill -9` of a worker's whole browser, while its runs are on it. */
export const browserKilled: Fault = (stage) => killsOf(stage, isRoot);

/** `kill -9` of the process of one of a worker's pages. */
export const pageKilled: Fault = (stage) => killsOf(stage, isRenderer);

/** Kills a process of each worker, one worker after the other. */
async function killsOf(stage: Stage, is: (one: WorkerProcess) => boolean): Promise<void> {
  const { scene, dice } = stage;
  const hands = await hireAll(stage, [undefined, undefined]);
  await someWork(stage);
  await somewhere(stage);
  for (const { name } of hands) {
    const fitting = (await processesOf(new Set([name]))).filter(is);
    if (fitting.length === 0) throw new Error(`${name} has no browser to kill`);
    killIfThere(dice.pick(fitting).pid);
    await scene.while(dice.whole(0, 800));
  }
}
