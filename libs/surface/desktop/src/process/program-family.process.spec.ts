import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemTimers } from '@pilothouse/core/time/timers';
import { comesToRest, isSameProgram } from './program-family.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pilothouse-family-'));
});
afterEach(() => rm(folder, { recursive: true }));

test.each([
  ['editor', true],
  ['dbus-daemon', false],
])('two programs that a session of %s started are one program: %s', async (name, isSame) => {
  const leader = join(folder, name);
  await copyFile('/bin/sh', leader);
  const child = spawn(leader, ['-c', 'sleep 60 & echo $!; sleep 60 & echo $!; wait'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    let text = '';
    while (text.split('\n').length < 3) text += String((await once(child.stdout, 'data'))[0]);
    const [first, second] = text.split('\n').map((pid) => ({ appId: pid, pid: Number(pid) }));
    const leading = { appId: name, pid: child.pid ?? 0 };
    if (!first || !second) throw new Error(`Two ids were expected: ${text}`);
    expect(await isSameProgram(first, second)).toBe(isSame);
    expect(await isSameProgram(leading, second)).toBe(true);
  } finally {
    if (child.pid !== undefined) process.kill(-child.pid);
  }
});

test('a process belongs to the program that has started it and ended', async () => {
  const child = spawn('/bin/sh', ['-c', 'sleep 60 >/dev/null & echo $!'], {
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const pid = Number(String((await once(child.stdout, 'data'))[0]));
  await ended;
  try {
    const started = { appId: '', pid: child.pid ?? 0 };
    expect(await isSameProgram({ appId: 'sleep', pid }, started)).toBe(true);
    expect(await isSameProgram(started, { appId: 'sleep', pid })).toBe(true);
    expect(await isSameProgram({ appId: 'test', pid: process.pid }, started)).toBe(false);
  } finally {
    process.kill(pid);
  }
});

test('a program rests while it waits for input, and neither while it computes nor after its end', async () => {
  const rests = async (script: string) => {
    const child = spawn('/bin/sh', ['-c', `echo started; ${script}`], { stdio: ['pipe', 'pipe', 'ignore'] });
    await once(child.stdout, 'data');
    try {
      return await comesToRest(child.pid ?? 0, systemTimers, 300);
    } finally {
      if (child.kill('SIGKILL')) await once(child, 'exit');
      expect(await comesToRest(child.pid ?? 0, systemTimers, 300)).toBe(false);
    }
  };
  expect(await rests('read line')).toBe(true);
  expect(await rests('while :; do :; done')).toBe(false);
});
