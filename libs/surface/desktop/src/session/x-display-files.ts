import { chmod, mkdir, rm } from 'node:fs/promises';

const SOCKET_FOLDER = '/tmp/.X11-unix';

/** Makes the folder of the sockets of X servers, which servers of other users write to. Does nothing if it exists. */
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
  const number = display.slice(1);
  for (const path of [`${SOCKET_FOLDER}/X${number}`, `/tmp/.X${number}-lock`]) await rm(path, { force: true });
}
