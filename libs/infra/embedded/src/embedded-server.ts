import type { ChildExit, SupervisedChild } from './supervised-child.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { systemTimers } from '@pilothouse/core/time/timers';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** A server that was started on this machine. */
export interface EmbeddedServer {
  url: string;
  port: number;
  identity: ProcessIdentity;
  exited: Promise<ChildExit>;
  stop(): Promise<ChildExit>;
}

/** The last output lines of a child process, for error messages. */
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
 * Calls `probe` until it does not throw. Throws with the last lines of the child when the child ends first, when
 * `deadlineMs` is over or when the signal is aborted.
 */
export async function waitUntilReady(
  serverName: string,
  child: Pick<SupervisedChild, 'exited'>,
  tail: OutputTail,
  probe: () => Promise<void>,
  { deadlineMs, signal }: { deadlineMs: number; signal?: AbortSignal },
): Promise<void> {
  let hasExited = false;
  void child.exited.then(() => (hasExited = true));
  const deadline = performance.now() + deadlineMs;
  for (;;) {
    try {
      await probe();
      if (!hasExited) return;
    } catch (error) {
      if (performance.now() > deadline) {
        const reason = error instanceof Error ? error.message : String(error);
        throw new Error(
          `${serverName} was not ready after ${deadlineMs / 1000} s (${reason}). Its last lines:\n${tail}`,
        );
      }
    }
    if (hasExited) throw new Error(`${serverName} ended instead of starting. Its last lines:\n${tail}`);
    await Promise.race([systemTimers.delay(25, signal), child.exited]);
  }
}

/**
 * Range for free ports. It is below the ephemeral ports (Linux from 32768, Kubernetes nodes from 30000): no outgoing
 * connection can take a port between check and use. It has no ports that browsers refuse.
 */
const FREE_PORTS = { from: 11_000, to: 30_000, tries: 50 } as const;

/** True when a server can listen there now. */
export function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/** Returns the preferred port, or the first free one of the 50 after it, or any free one. 0 selects any. */
export async function findFreePort(preferred: number, host = '127.0.0.1'): Promise<number> {
  const last = Math.min(preferred + 50, 65_535);
  for (let port = preferred; port > 0 && port <= last; port += 1) if (await isPortFree(port, host)) return port;
  for (let attempt = 0; attempt < FREE_PORTS.tries; attempt += 1) {
    const port = randomInt(FREE_PORTS.from, FREE_PORTS.to);
    if (await isPortFree(port, host)) return port;
  }
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port: 0, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
