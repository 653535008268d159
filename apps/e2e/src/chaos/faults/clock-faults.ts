import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CaseContext } from '../case-context.ts';
import type { Fault, Stage } from './fault.ts';
import { startWorkers, submitSomeRuns, waitForSomeEvents } from './case-workload.ts';

const folders = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib', '/usr/local/lib'];

/**
 * Path of libfaketime for multithreaded programs.
 * @throws Error when it is not installed
 */
function library(): string {
  const path = folders.map((folder) => join(folder, 'faketime/libfaketimeMT.so.1')).find(existsSync);
  if (!path) throw new Error('libfaketime is not installed. Install it (Debian, Ubuntu: apt-get install libfaketime)');
  return path;
}

/** A wall clock that can be moved forward or back while a process runs. */
async function clockOf(context: CaseContext, name: string) {
  const file = join(context.system.dir, `clock-${name}`);
  await writeFile(file, '+0');
  const step = (seconds: number) => writeFile(file, `${seconds < 0 ? '' : '+'}${seconds}`);
  const env = {
    LD_PRELOAD: library(),
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  return { env, step };
}

const steps = (stage: Stage) => stage.random.pick([-3_600, -30, 30, 3_600, 86_400]);

/** Moves the clock of a running worker. */
export const workerClock: Fault = async (stage) => {
  const { context } = stage;
  const { env, step } = await clockOf(context, 'worker');
  await Promise.all([context.startWorker({ env }), context.startWorker()]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  await step(steps(stage));
  await submitSomeRuns(stage, 2);
};

/** Moves the clock of a running replica. */
export const apiClock: Fault = async (stage) => {
  const { context } = stage;
  const { env, step } = await clockOf(context, 'api');
  await context.system.replica(0).restart({ env });
  await startWorkers(stage, [undefined, undefined]);
  await submitSomeRuns(stage);
  await waitForSomeEvents(stage);
  await step(steps(stage));
  await submitSomeRuns(stage, 2);
  await context.pause(1_500);
  await step(0);
};
