import { createServer } from 'node:net';
import { once } from 'node:events';
import { findProgram, spawnSupervised, type ChildSpec } from './supervised-child.ts';
import { OutputTail, findFreePort, isPortFree, waitUntilReady } from './embedded-server.ts';
import { stopProcess, isAlive, identifyProcess, signalProcess } from './process-identity.ts';

/** Options of a child that runs JavaScript code. */
const startScript = (script: string, options: Partial<ChildSpec> = {}) =>
  spawnSupervised({
    command: process.execPath,
    args: ['-e', script],
    env: {},
    stopSteps: [{ signal: 'SIGTERM', graceMs: 5000 }],
    onLine: () => undefined,
    ...options,
  });
const forever = 'setInterval(() => {}, 1000); console.log("here");';

test('reports every line of both streams, and the exit', async () => {
  const lines: string[] = [];
  const child = await startScript('console.log("a\\nb"); console.error("c"); process.exitCode = 3', {
    onLine: (l) => lines.push(l),
  });
  expect(await child.exited).toEqual({ code: 3, signal: null });
  expect(lines.sort()).toEqual(['a', 'b', 'c']);
});

test('receives only the given environment and input', async () => {
  const lines: string[] = [];
  const script = 'process.stdin.on("data", (d) => console.log(String(d), JSON.stringify(process.env)))';
  await (
    await startScript(script, { env: { A: '1' }, input: 'hello', onLine: (l) => lines.push(l) })
  ).exited;
  expect(lines).toEqual(['hello {"A":"1"}']);
});

test('a child that ignores a signal gets the next one, and finally SIGKILL', async () => {
  let ready: () => void = () => undefined;
  const printed = new Promise<void>((resolve) => (ready = resolve));
  const ignoring = await startScript(`process.on("SIGTERM", () => {}); process.on("SIGINT", () => {}); ${forever}`, {
    onLine: ready,
    stopSteps: [
      { signal: 'SIGTERM', graceMs: 50 },
      { signal: 'SIGINT', graceMs: 50 },
    ],
  });
  await printed;
  expect(await ignoring.stop()).toEqual({ code: null, signal: 'SIGKILL' });
  expect(isAlive(ignoring.identity)).toBe(false);
});

test('a process with the same number and another start time is left alone', async () => {
  const child = await startScript(forever);
  signalProcess({ pid: child.identity.pid, born: 'long ago' }, 'SIGKILL');
  expect(await stopProcess({ pid: child.identity.pid, born: 'long ago' })).toBe(true);
  expect(isAlive(child.identity)).toBe(true);
  await child.stop();
  expect(identifyProcess(child.identity.pid)).toBeUndefined();
});

test('waiting for a child that exits or never responds reports its last lines', async () => {
  const tail = new OutputTail(2);
  const child = await startScript('console.log("one\\ntwo\\nthree")', { onLine: (line) => tail.push(line) });
  const never = () => Promise.reject(new Error('not listening'));
  await expect(waitUntilReady('It', child, tail, never, { deadlineMs: 60_000 })).rejects.toThrow(
    'It ended instead of starting. Its last lines:\ntwo\nthree',
  );
  const slow = await startScript(forever);
  await expect(waitUntilReady('It', slow, new OutputTail(), never, { deadlineMs: 60 })).rejects.toThrow(
    /not ready after 0.06 s \(not listening\)/,
  );
  await slow.stop();
});

test('a program is looked up in the PATH', () => {
  expect(findProgram('sh')).toMatch(/\/sh$/);
  expect(findProgram('no-such-program')).toBeUndefined();
});

test('the next free port is selected, on the given host', async () => {
  const busy = createServer().listen(await findFreePort(0), '127.0.0.1');
  await once(busy, 'listening');
  const { port } = busy.address() as { port: number };
  expect(await isPortFree(port)).toBe(false);
  const next = await findFreePort(port);
  expect(next).toBeGreaterThan(port);
  expect(await isPortFree(next)).toBe(true);
  busy.close();
  await once(busy, 'close');
  expect(await findFreePort(port)).toBe(port);
});

test('any free port is outside the ephemeral range', async () => {
  const port = await findFreePort(0);
  expect(port).toBeLessThan(30_000);
  expect(await isPortFree(port)).toBe(true);
});
