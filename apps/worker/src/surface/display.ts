import { PilothouseError } from '@pilothouse/contract';
import type { Log } from '@pilothouse/core';
import { spawn, type ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { once } from 'node:events';

/** Milliseconds for the display to come up. */
const START_MS = 10_000;
/** Exit code of the script where there is no Xvfb. */
const NO_XVFB = 77;

/**
 * The display lives as long as this shell's stdin is open, that is as long as the worker: a worker that is killed leaves none
 * behind. Descriptor 3 carries the number of the display, 4 is open as long as Xvfb lives.
 */
const script = `
command -v Xvfb >/dev/null || exit ${NO_XVFB}
mkdir -m 1777 /tmp/.X11-unix 2>/dev/null
Xvfb -displayfd 3 -screen 0 1920x1080x24 -nolisten tcp -noreset </dev/null >/dev/null 2>&1 &
x=$!
exec 3>&- 4>&-
cat >/dev/null
kill $x 2>/dev/null
wait $x
`;

/** A virtual X display, a child of this process. */
export interface Display {
  /** Value of DISPLAY, e.g. `:7`. */
  readonly name: string;
  /** Resolves when it went away, by itself or by `stop`. */
  readonly gone: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts Xvfb on a display number that is free.
 * @returns null where Xvfb is not installed
 * @throws PilothouseError SURFACE_UNAVAILABLE when it does not start
 */
export async function startDisplay(environment: Readonly<Record<string, string>>, log: Log): Promise<Display | null> {
  // A group of its own: Ctrl-C at a terminal is for the worker, which still needs the display while it drains.
  const child = spawn('/bin/sh', ['-c', script], {
    stdio: ['pipe', 'ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
    env: environment,
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const signal = AbortSignal.timeout(START_MS);
  const gone = ended(child.stdio[4] as Readable);
  const number = await firstLine(child.stdio[3] as Readable, signal).catch(() => '');
  if (number === '') {
    child.stdin?.end();
    const [code] = await exited;
    if (code === NO_XVFB) return null;
    throw new PilothouseError(
      'SURFACE_UNAVAILABLE',
      'Xvfb did not start a display; set PILOTHOUSE_HEADLESS=true to do without',
    );
  }
  const name = `:${number}`;
  log.info({ display: name }, 'a virtual display is up');
  return { name, gone, stop: () => stopped(child, exited) };
}

async function stopped(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.stdin?.end();
  await exited;
}

async function ended(pipe: Readable): Promise<void> {
  pipe.resume();
  await once(pipe, 'close').catch(() => undefined);
}

async function firstLine(pipe: Readable, signal: AbortSignal): Promise<string> {
  let text = '';
  pipe.setEncoding('utf8');
  signal.addEventListener('abort', () => pipe.destroy(), { once: true });
  for await (const chunk of pipe) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.trim();
}
