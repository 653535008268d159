/**
 * Holds a stack, a console and a browser that several spec files use, one after the other. See shared-stack.ts.
 *
 *   node shared-stack-holder.ts SOCKET IDLE_SECONDS
 *
 * Every connection to the socket is one user. It receives the addresses as a line of JSON, once the servers have
 * answered, and sends a byte when it has left no active run. The holder ends when a program has ended, when a user ends
 * without that byte, when it has had no user for the given time, and by SIGTERM.
 */
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { systemTimers, type Timer } from '@pilothouse/core/time/timers';
import { launchBrowserServer } from './console-page.ts';
import { startConsole } from './console-process.ts';
import type { SharedServers } from './shared-stack.ts';
import { Stack } from './stack.ts';

/** A run of one spec leaves the second worker free for what has to go on. */
const WORKERS = 2;

const [socketPath = '', idleSeconds = '0'] = process.argv.slice(2);

const stack = await Stack.start({ workers: WORKERS });
const consoleServer = await startConsole(stack.client.url);
const browser = await launchBrowserServer();
// Without a user the console shows the set-up page.
await stack.client.createFirstUser({ name: 'Operator', email: 'operator@example.com', password: 'a lamp on the pier' });

const servers: SharedServers = {
  apiUrl: stack.client.url,
  consoleUrl: consoleServer.url,
  siteUrl: stack.site.url,
  browserUrl: browser.wsEndpoint(),
  databaseUrl: stack.database.url,
};

async function isHealthy(): Promise<boolean> {
  const programs = [stack.api, stack.site.program, consoleServer.program, ...stack.workers];
  if (!programs.every(({ isRunning }) => isRunning) || browser.process().exitCode !== null) return false;
  const urls = [`${servers.apiUrl}/readyz`, `${servers.consoleUrl}/healthz`];
  const answers = await Promise.allSettled(urls.map((url) => fetch(url, { signal: AbortSignal.timeout(10_000) })));
  return answers.every((answer) => answer.status === 'fulfilled' && answer.value.ok);
}

let isStopping = false;
/** Stops all servers. A failure is written beside the socket, for the test run to report. */
async function stop(): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  // The connection of a user ends with this process, so a replacement starts when these servers are gone.
  listener.close();
  const results = await Promise.allSettled([browser.close(), consoleServer.program.stop()]);
  results.push(...(await Promise.allSettled([stack.stop()])));
  const failures = results.flatMap((result) => (result.status === 'rejected' ? [String(result.reason)] : []));
  if (failures.length > 0) writeFileSync(`${socketPath}.error`, failures.join('\n'));
  rmSync(`${socketPath}.${process.pid}.pid`, { force: true });
  process.exit(failures.length === 0 ? 0 : 1);
}

const users = new Set<Socket>();
let idleTimer: Timer | undefined;
function stopWhenIdle(): void {
  systemTimers.clearTimeout(idleTimer);
  if (users.size === 0) idleTimer = systemTimers.setTimeout(() => void stop(), Number(idleSeconds) * 1_000);
}

const listener = createServer((user) => {
  let hasReleased = false;
  users.add(user);
  systemTimers.clearTimeout(idleTimer);
  user.on('error', () => undefined);
  user.on('data', () => (hasReleased = true));
  user.on('close', () => {
    users.delete(user);
    // Runs of a killed spec file would occupy slots.
    if (hasReleased) stopWhenIdle();
    else void stop();
  });
  void isHealthy().then(async (isUsable) => {
    if (isUsable) user.write(`${JSON.stringify(servers)}\n`);
    else await stop();
  });
});
process.on('SIGTERM', () => void stop());
// The path is in a folder of this user only.
listener.listen(socketPath);
// A spec file that ended before the start was complete never connects.
idleTimer = systemTimers.setTimeout(() => void stop(), Math.max(30, Number(idleSeconds)) * 1_000);
