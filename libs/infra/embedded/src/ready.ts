import { setTimeout as pause } from 'node:timers/promises';
import type { SupervisedChild } from './child.ts';

/** The last lines that a child wrote, to show when it does not come up. */
export class OutputTail {
  readonly #lines: string[] = [];
  readonly #size: number;

  constructor(size = 20) {
    this.#size = size;
  }

  push(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > this.#size) this.#lines.shift();
  }

  toString(): string {
    return this.#lines.join('\n');
  }
}

/**
 * Asks `probe` again and again until it does not throw. Throws, with the child's last lines, when the child ends first, when
 * `deadlineMs` is over or when the signal is aborted.
 */
export async function waitUntilReady(
  what: string,
  child: Pick<SupervisedChild, 'exited'>,
  tail: OutputTail,
  probe: () => Promise<void>,
  { deadlineMs, signal }: { deadlineMs: number; signal?: AbortSignal },
): Promise<void> {
  let ended = false;
  void child.exited.then(() => (ended = true));
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    try {
      await probe();
      if (!ended) return;
    } catch (error) {
      if (performance.now() > deadline) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(`${what} was not ready after ${deadlineMs / 1000} s (${reason}). Its last lines:\n${tail}`);
      }
    }
    if (ended) throw new Error(`${what} ended instead of starting. Its last lines:\n${tail}`);
    await Promise.race([pause(25, undefined, { signal }), child.exited]);
  }
}
