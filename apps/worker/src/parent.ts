import type { Readable } from 'node:stream';

/**
 * Notices when the process that started this one is gone, however it died: the system closes its end of our stdin then.
 * Does nothing where nobody promised to keep stdin open.
 * @param kind `stdin` (PILOTHOUSE_PARENT): stdin stays open, and silent, as long as the parent lives
 * @param gone called once, when the parent is gone; the worker is to drain and end
 * @returns what ends the watch
 */
export function watchParent(kind: 'stdin' | undefined, stdin: Readable, gone: () => void): () => void {
  if (kind === undefined) return () => undefined;
  let watching = true;
  const notice = () => {
    if (!watching) return;
    watching = false;
    gone();
  };
  stdin.on('end', notice).on('close', notice).on('error', notice);
  if (stdin.readableEnded || stdin.destroyed) queueMicrotask(notice);
  // What does not flow does not end.
  stdin.resume();
  return () => {
    watching = false;
    stdin.off('end', notice).off('close', notice).off('error', notice);
    stdin.on('error', () => undefined);
    // A watch that is over keeps no process alive.
    stdin.destroy();
  };
}
