import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '../installation/installation-paths.ts';

/** Message of the background process to the terminal. */
export type DetachMessage = { line: string } | { ready: true } | { failed: string };

/** Sends a message to the terminal. After the terminal has disconnected, it goes to stdout, which is the log file. */
export function sendToTerminal(message: DetachMessage): void {
  if (process.connected) process.send?.(message);
  else if ('line' in message) console.log(message.line);
}

/**
 * Starts the same command in the background, in its own session, and waits until it is ready. An abort stops it.
 * @throws Error with the reason if the start fails
 */
export function startDetached(
  installation: Installation,
  args: string[],
  printLine: (line: string) => void,
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
      if ('line' in message) printLine(message.line);
      if ('failed' in message) reason = message.failed;
      if (!('ready' in message)) return;
      child.disconnect();
      child.unref();
      resolve();
    });
    child.once('exit', () => reject(new Error(reason)));
  });
}
