import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import { writeAuthority } from '@pilothouse/surface-desktop';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { once } from 'node:events';

/** Milliseconds for the display to start. */
const START_MS = 10_000;
/** Exit code of the script when Xvfb is not installed. */
const NO_XVFB = 77;

/**
 * The display lives while stdin of this shell is open, so it never outlives the worker. Descriptor 3 returns the display number. Descriptor
 * 4 stays open while Xvfb lives. Only clients that know the cookie in $1 can connect.
 */
const script = `
command -v Xvfb >/dev/null || exit ${NO_XVFB}
mkdir -m 1777 /tmp/.X11-unix 2>/dev/null
Xvfb -displayfd 3 -screen 0 1920x1080x24 -nolisten tcp -noreset -auth "$1" </dev/null >/dev/null 2>&1 &
x=$!
exec 3>&- 4>&-
cat >/dev/null
kill $x 2>/dev/null
wait $x
`;

/** A virtual X display, a child of this process. */
export interface VirtualDisplay {
  /** Value of DISPLAY, e.g. `:7`. */
  readonly name: string;
  /** Value of XAUTHORITY: the file with the cookie, readable only by its user. */
  readonly authority: string;
  /** Resolves when the display has exited, by itself or after `stop`. */
  readonly exited: Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts Xvfb on a free display number.
 * @param folder for the file with the cookie
 * @returns null: Xvfb is not installed
 * @throws PilothouseError SURFACE_UNAVAILABLE when it does not start
 */
export async function startVirtualDisplay(
  environment: Readonly<Record<string, string>>,
  log: Log,
  folder: string,
): Promise<VirtualDisplay | null> {
  const cookies = await mkdtemp(join(folder, 'x-'));
  const authority = join(cookies, 'authority');
  await writeAuthority(authority, randomBytes(16));
  // A separate process group: Ctrl-C at a terminal is for the worker, which still needs the display while it drains.
  const child = spawn('/bin/sh', ['-c', script, 'sh', authority], {
    stdio: ['pipe', 'ignore', 'ignore', 'pipe', 'pipe'],
    detached: true,
    env: environment,
  });
  const exited = once(child, 'exit') as Promise<[number | null]>;
  const signal = AbortSignal.timeout(START_MS);
  const displayExited = ended(child.stdio[4] as Readable);
  const number = await firstLine(child.stdio[3] as Readable, signal).catch(() => '');
  if (number === '') {
    child.stdin?.end();
    const [code] = await exited;
    await rm(cookies, { recursive: true, force: true });
    if (code === NO_XVFB) return null;
    throw new PilothouseError(
      'SURFACE_UNAVAILABLE',
      'Xvfb did not start a display. Set PILOTHOUSE_HEADLESS=true to run without a display.',
    );
  }
  const name = `:${number}`;
  log.info({ display: name }, 'virtual display started');
  const stop = async () => {
    await stopped(child, exited);
    await rm(cookies, { recursive: true, force: true });
  };
  return { name, authority, exited: displayExited, stop };
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
