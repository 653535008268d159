import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from './installation-paths.ts';

/** What the process in the background tells the one in the terminal. */
export type DetachMessage = { say: string } | { ready: true } | { failed: string };

/** Tells the terminal; when nobody listens any more, to the standard output, which is a log file then. */
export function tell(message: DetachMessage): void {
  if (process.connected) process.send?.(message);
  else if ('say' in message) console.log(message.say);
}

/**
 * Starts the same command again in the background, in a session of its own, and waits until it is ready. Throws what it says when
 * it does not come up. An abort stops it.
 */
export function startDetached(
  installation: Installation,
  args: string[],
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  mkdirSync(installation.state, { recursive: true });
  mkdirSync(installation.logs, { recursive: true, mode: 0o700 });
  const log = openSync(join(installation.logs, 'up.log'), 'a', 0o600);
  const script = process.argv[1] ?? '';
  const child = spawn(process.execPath, [...process.execArgv, script, 'up', '--in-background', ...args], {
    cwd: installation.root,
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  signal.addEventListener('abort', () => child.kill('SIGTERM'), { once: true });
  return new Promise((resolve, reject) => {
    let reason = `Pilothouse exited during start. See ${join(installation.logs, 'up.log')}`;
    child.once('error', reject);
    child.on('message', (message: DetachMessage) => {
      if ('say' in message) say(message.say);
      if ('failed' in message) reason = message.failed;
      if (!('ready' in message)) return;
      child.disconnect();
      child.unref();
      resolve();
    });
    child.once('exit', () => reject(new Error(reason)));
  });
}
