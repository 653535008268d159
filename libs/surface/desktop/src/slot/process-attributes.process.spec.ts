import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readAttributes, restoreAttributes, type ProcessAttributes } from './process-attributes.ts';

/** A user without privileges, as that of a slot. The functions run as this user, too. */
const UID = 190_001;

let child: ChildProcess;
let pid: string;
let saved: ProcessAttributes;

beforeEach(async () => {
  child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => undefined, 1_000)'], {
    uid: UID,
    gid: UID,
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  pid = String(child.pid);
  saved = await readAttributes(Number(pid));
});

afterEach(() => child.kill('SIGKILL'));

const run = (program: string, args: string[]) => promisify(execFile)(program, args, { uid: UID, gid: UID });

/** Restores the attributes as the user of the process. @returns the attributes afterwards; rejects with its message */
async function restore(): Promise<ProcessAttributes> {
  const module = JSON.stringify(join(import.meta.dirname, 'process-attributes.ts'));
  const program = `
    const { restoreAttributes } = await import(${module});
    process.stdout.write(JSON.stringify(await restoreAttributes(${pid}, ${JSON.stringify(saved)})));`;
  const node = ['--experimental-transform-types', '--no-warnings', '--input-type=module', '-e', program];
  return JSON.parse((await run(process.execPath, node)).stdout) as ProcessAttributes;
}

test('attributes that nothing changed are the same', async () => {
  expect(await restoreAttributes(Number(pid), saved)).toBe(saved);
  expect(saved).toMatchObject({ 'thread nice': '0', 'thread policy': '0', 'thread I/O priority': 'none' });
});

test.each([
  ['Max open files', 'prlimit', () => ['--pid', pid, `--nofile=64:${saved['Max open files']?.split(':')[1]}`]],
  ['thread processors', 'taskset', () => ['-p', '-c', '0', pid]],
  ['thread I/O priority', 'ionice', () => ['-c', 'idle', '-p', pid]],
])('%s is set back', async (name, program, args) => {
  await run(program, args());
  expect((await readAttributes(Number(pid)))[name]).not.toBe(saved[name]);
  expect(await restore()).toEqual(saved);
});

test.each([
  ['Max open files', 'prlimit', () => ['--pid', pid, '--nofile=64:64']],
  ['thread nice', 'renice', () => ['-n', '10', '-p', pid]],
  ['thread policy', 'chrt', () => ['-i', '-p', '0', pid]],
])('%s that cannot be set back is an error', async (name, program, args) => {
  await run(program, args());
  await expect(restore()).rejects.toThrow(`A program changed the supervisor of the slot: ${name}`);
});
