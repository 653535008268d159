import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identifyProcess } from '@pilothouse/infra-embedded';
import { createWorkFolder } from './work-folder.ts';

let parent: string;
let otherProcess: ChildProcess | undefined;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'chaos-folder-spec-'));
});
afterEach(async () => {
  otherProcess?.kill('SIGKILL');
  await rm(parent, { recursive: true, force: true });
});

/** Creates a folder like the process of another system. */
async function folder(name: string, owner: string | null): Promise<string> {
  const dir = join(parent, name);
  await mkdir(join(dir, 'postgres'), { recursive: true });
  await writeFile(join(dir, 'postgres', 'data'), 'data');
  if (owner !== null) await writeFile(join(dir, 'owner.json'), owner);
  return dir;
}

test('the folder of a dead process is removed by the next system, and no other', async () => {
  otherProcess = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(otherProcess, 'spawn');
  const owner = JSON.stringify(identifyProcess(Number(otherProcess.pid)));
  const theirs = await folder('pilothouse-chaos-h0-abcdef', owner);
  const recentFolder = await folder('pilothouse-chaos-h1-abcdef', null);
  const compiled = await folder('pilothouse-chaos-compiled', owner);
  const ours = await createWorkFolder('h0', parent);
  expect([theirs, recentFolder, compiled, ours].map((dir) => existsSync(dir))).toEqual([true, true, true, true]);
  otherProcess.kill('SIGKILL');
  await once(otherProcess, 'exit');
  const next = await createWorkFolder('h1', parent);
  expect([theirs, recentFolder, compiled, ours, next].map((dir) => existsSync(dir))).toEqual([
    false,
    true,
    true,
    true,
    true,
  ]);
});
