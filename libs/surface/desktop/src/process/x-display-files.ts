import { randomInt } from 'node:crypto';
import { access, chmod, mkdir, rm, writeFile } from 'node:fs/promises';

const SOCKET_FOLDER = '/tmp/.X11-unix';

/** Display numbers: TCP ports 6000 + n are not opened, so all up to 65,535 - 6,000 are usable. Low ones belong to people. */
const MIN_DISPLAY = 1_000;
const MAX_DISPLAY = 59_000;

const MAX_ATTEMPTS = 100;

const filesOf = (number: string | number): string[] => [`${SOCKET_FOLDER}/X${number}`, `/tmp/.X${number}-lock`];

/** A random display, for a container without other X servers. Other containers of its pod share the abstract names of sockets. */
export const randomDisplay = (): string => `:${randomInt(MIN_DISPLAY, MAX_DISPLAY)}`;

/**
 * Returns a random display without a socket or lock. A server cannot replace those of another user, also when they are stale.
 * @param randomNumber gives numbers of displays
 * @throws Error if 100 numbers are in use
 */
export async function unusedDisplay(randomNumber = () => randomInt(MIN_DISPLAY, MAX_DISPLAY)): Promise<string> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const number = randomNumber();
    const existing = await Promise.all(
      filesOf(number).map((path) =>
        access(path).then(
          () => path,
          () => null,
        ),
      ),
    );
    if (existing.every((path) => path === null)) return `:${number}`;
  }
  throw new Error(`No display is free; remove stale sockets from ${SOCKET_FOLDER}`);
}

/**
 * Reserves a random display with its lock file, for a server with a separate /tmp. Its number is then unique on the machine.
 * `removeDisplayFiles` ends the reservation; that of a killed process stays.
 * @throws Error if 100 numbers are in use
 */
export async function reserveDisplay(): Promise<string> {
  for (;;) {
    const display = await unusedDisplay();
    // As the X server writes it.
    const content = `${String(process.pid).padStart(10)}\n`;
    const isReserved = await writeFile(`/tmp/.X${display.slice(1)}-lock`, content, { flag: 'wx', mode: 0o444 }).then(
      () => true,
      ({ code }: NodeJS.ErrnoException) => {
        if (code === 'EEXIST') return false;
        throw new Error(`/tmp/.X${display.slice(1)}-lock cannot be written; make /tmp writable for the worker`);
      },
    );
    if (isReserved) return display;
  }
}

/** Makes the folder for the sockets of X servers, which servers of other users write to. Does nothing if it exists. */
export async function makeSocketFolder(): Promise<void> {
  try {
    await mkdir(SOCKET_FOLDER);
    // The mode of mkdir is subject to the umask.
    await chmod(SOCKET_FOLDER, 0o1777);
  } catch {
    // Already exists, or the X server reports the error.
  }
}

/** Removes the socket and the lock of a display. A killed X server leaves them behind. */
export async function removeDisplayFiles(display: string): Promise<void> {
  for (const path of filesOf(display.slice(1))) await rm(path, { force: true });
}
