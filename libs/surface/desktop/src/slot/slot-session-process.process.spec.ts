import { poll } from '@pilothouse/core/time/deadlines';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contextWithin } from '../testing/desktop.fixture.ts';
import { SlotSessionProcess } from './slot-session-process.ts';

let folder: string;
let received: string;
let reasons: string[];
let session: SlotSessionProcess | undefined;

/** Starts a session whose process runs a script. `pipe` is its end of the channel. */
async function start(script: string): Promise<SlotSessionProcess> {
  const entry = join(folder, 'session.mjs');
  await writeFile(
    entry,
    `import { Socket } from 'node:net'; import { existsSync } from 'node:fs'; import { spawn } from 'node:child_process';
     const pipe = new Socket({ fd: 3 }); ${script}`,
  );
  session = new SlotSessionProcess(
    { entry },
    { PATH: '/usr/bin:/bin' },
    {
      onData: (bytes, onTaken) => {
        received += Buffer.from(bytes).toString();
        onTaken();
      },
      onEnd: (reason) => reasons.push(reason),
    },
  );
  return session;
}

const expectSoon = async (condition: () => boolean) =>
  expect(await poll(async () => condition() || undefined, contextWithin(20))).toBe(true);

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pilothouse-slot-session-'));
  received = '';
  reasons = [];
  session = undefined;
});

afterEach(async () => {
  const pid = session?.initPid;
  if (pid) process.kill(pid, 'SIGTERM');
  await session?.ended();
  await rm(folder, { recursive: true });
});

test('bytes count as written only when the session reads them', async () => {
  const go = join(folder, 'go');
  const slow = await start(`
    pipe.write('started');
    const timer = setInterval(() => { if (existsSync(${JSON.stringify(go)})) { clearInterval(timer); pipe.resume(); } }, 20);`);
  await expectSoon(() => received === 'started');
  let isWritten = false;
  // More than the buffer of the socket.
  slow.write(Buffer.alloc(8_000_000), () => (isWritten = true));
  expect(isWritten).toBe(false);
  await writeFile(go, '');
  await expectSoon(() => isWritten);
});

test('ended programs whose parent has ended are collected', async () => {
  // Each program leaves a child, which ends later than its parent.
  await start(`
    for (let count = 0; count < 5; count += 1) spawn('/bin/sh', ['-c', '(sleep 0.1; exit) &']);
    const { readdirSync, readFileSync } = await import('node:fs');
    const read = (file) => { try { return readFileSync(file, 'latin1'); } catch { return ''; } };
    const states = () => readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => read('/proc/' + pid + '/stat'))
      .map((stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' ')).filter(([, parent]) => Number(parent) === process.ppid);
    let seen = 0;
    setInterval(() => { const count = states().length; seen = Math.max(seen, count); if (seen > 1 && count === 1) pipe.write('alone'); }, 5);`);
  await expectSoon(() => received.includes('alone'));
});

test('a process that ends by itself is reported', async () => {
  const ended = await start('process.exit(7);');
  await expectSoon(() => reasons.length === 1);
  expect(reasons).toEqual(['It exited with 7']);
  expect(ended.initPid).toBeNull();
});
