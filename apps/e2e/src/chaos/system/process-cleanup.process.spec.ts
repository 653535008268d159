import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { killRemainingProcesses, processesOf } from './process-cleanup.ts';

const children: ChildProcess[] = [];
afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

/** A process without a supervisor, in a separate session. */
async function starts(environment: Readonly<Record<string, string>>, ...words: string[]): Promise<number> {
  const child = spawn('/bin/sh', ['-c', 'read forever', ...words], {
    env: environment,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  children.push(child);
  await once(child, 'spawn');
  return child.pid ?? 0;
}

const firstName = `spec-1-${process.pid}`;
const two = `spec-2-${process.pid}`;

test('a process is identified by its environment, or by the folder in its command line', async () => {
  const byName = await starts({ PILOTHOUSE_WORKER_NAME: firstName });
  const byFolder = await starts({}, `--user-data-dir=/tmp/data/work-${two}/worker-7/tmp`);
  await starts({ PILOTHOUSE_WORKER_NAME: `${firstName}0` });
  const processes = await processesOf(new Set([firstName, two]));
  expect(processes.map(({ pid, worker }) => [pid, worker]).sort()).toEqual(
    [
      [byName, firstName],
      [byFolder, two],
    ].sort(),
  );
});

test('leftover processes of a worker are reported and killed', async () => {
  const pid = await starts({ PILOTHOUSE_WORKER_NAME: firstName });
  const exits = children.map((child) => once(child, 'exit'));
  expect(await killRemainingProcesses(new Set([firstName]), 200)).toMatchObject([{ pid, worker: firstName }]);
  await Promise.all(exits);
  expect(await killRemainingProcesses(new Set([firstName]), 200)).toEqual([]);
});
