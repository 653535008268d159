import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { failpoint } from './failpoint.ts';

const start = (orders: string) => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'testing/failpoint-process.ts')], {
    env: { PATH: process.env.PATH, ORDERS: orders },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  const errorLines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => errorLines.push(line));
  return { child, lines, errorLines, closed: once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]> };
};

const allLines = [1, 2, 3].flatMap((round) => [`sent ${round}`, `acted ${round} at once`]).concat('ended');

test('a process without rules passes every failpoint without output', async () => {
  const { closed, lines, errorLines } = start('');
  expect(await closed).toEqual([0, null]);
  expect(lines).toEqual(allLines);
  expect(errorLines).toEqual([]);
  expect(failpoint('gateway.claimed', 'a run')).toBeUndefined();
});

test('kill ends the process at the configured hit', async () => {
  const { closed, lines, errorLines } = start('link.append-sent:2=kill');
  expect(await closed).toEqual([null, 'SIGKILL']);
  expect(lines).toEqual(allLines.slice(0, 2));
  expect(errorLines.at(0)).toMatch(/failpoints enabled/);
  expect(errorLines.at(-1)).toBe('failpoint link.append-sent:2=kill of r2');
});

test('stop freezes the process until SIGCONT', async () => {
  const { child, closed, lines } = start('worker.intent-durable=stop');
  const state = () => readFileSync(`/proc/${child.pid}/stat`, 'utf8').replace(/^.*\) /s, '')[0];
  while (state() !== 'T') await new Promise(setImmediate);
  expect(lines).not.toContain(allLines[1]);
  child.kill('SIGCONT');
  expect(await closed).toEqual([0, null]);
  expect(lines.filter((line) => line.startsWith('sent'))).toHaveLength(3);
});

test('pause delays the configured hit once', async () => {
  const { closed, lines } = start('worker.intent-durable:2=pause/150');
  expect(await closed).toEqual([0, null]);
  expect(lines).toEqual(allLines.map((line) => (line.startsWith('acted 2') ? 'acted 2 late' : line)));
});

test('several rules are executed, each at its failpoint', async () => {
  const { closed, lines } = start('worker.intent-durable:1=pause/150, link.append-sent:3=kill');
  expect(await closed).toEqual([null, 'SIGKILL']);
  expect(lines).toEqual(['sent 1', 'acted 1 late', 'sent 2', 'acted 2 at once']);
});

test('rules in a file are read again on SIGUSR2: counters restart, and an empty file removes all rules', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fault-spec-'));
  const file = join(folder, 'orders');
  await writeFile(file, 'worker.intent-durable:2=stop');
  const { child, closed, errorLines, lines } = start(`@${file}`);
  const state = () => readFileSync(`/proc/${child.pid}/stat`, 'utf8').replace(/^.*\) /s, '')[0];
  while (state() !== 'T') await new Promise(setImmediate);
  await writeFile(file, 'link.append-sent:1=kill');
  child.kill('SIGUSR2');
  child.kill('SIGCONT');
  expect(await closed).toEqual([null, 'SIGKILL']);
  // The delay depends on the length of the pause.
  expect(lines.at(-1)).toMatch(/^acted 2 /);
  expect(errorLines.at(-1)).toBe('failpoint link.append-sent:1=kill of r3');
  await writeFile(file, '');
  const sound = start(`@${file}`);
  expect(await sound.closed).toEqual([0, null]);
  expect(sound.lines).toEqual(allLines);
  await rm(folder, { recursive: true });
});
