import { systemTimers, type Timer } from '@pilothouse/core';
import pg from 'pg';
import { isServerUnreachable } from './database-availability.ts';

/** Timeout of a new connection, in milliseconds. */
export const CONNECT_MS = 2_000;

/** Milliseconds after which an unanswered statement triggers a check of the server. */
const DOUBT_MS = 800;

/** Milliseconds between two checks of unanswered statements. */
const LOOK_MS = 200;

/** Milliseconds for which a new connection proves that the server is reachable. */
const TRUST_MS = 5_000;

/** Milliseconds that a request waits for a connection while the server is unavailable. */
const WAIT_MS = 2_800;

interface Waiting {
  /** Monotonic milliseconds. */
  readonly since: number;
  /** Breaks the connection of the statement. */
  readonly end: () => void;
}

/**
 * Detects within three seconds that the server of a pool is unavailable, even if its machine or network failed silently.
 * Established connections would otherwise hang until their statements time out.
 * A slow statement is not ended while new connections succeed.
 */
export class Reach {
  readonly #config: pg.ClientConfig;
  readonly #waiting = new Set<Waiting>();
  #look: Timer | undefined;
  #isLooking = false;
  /** Monotonic milliseconds at which the last successful connection attempt started. */
  #reachedAt = -Infinity;
  #isAway = false;

  constructor(config: pg.ClientConfig) {
    this.#config = { ...config, connectionTimeoutMillis: CONNECT_MS };
  }

  /** The last attempt to connect failed because the server is unavailable. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Records the result of a connection attempt. @param begun monotonic milliseconds */
  connected(begun: number, failure?: unknown): void {
    this.#isAway = failure !== undefined && isServerUnreachable(failure);
    if (!this.#isAway) this.#reachedAt = Math.max(this.#reachedAt, begun);
  }

  /** Watches a statement until the returned function is called. @param end breaks its connection */
  watch(end: () => void): () => void {
    const statement = { since: performance.now(), end };
    this.#waiting.add(statement);
    this.#look ??= systemTimers.setInterval(() => this.#lookAtWaiting(), LOOK_MS).unref();
    return () => void this.#waiting.delete(statement);
  }

  /** Calls `giveUp` when a connection is not available in time during an outage. @returns cancels the wait */
  watchQueue(giveUp: () => void): () => void {
    const since = performance.now();
    const timer = systemTimers
      .setInterval(() => {
        if (this.#isAway && performance.now() - since >= WAIT_MS) giveUp();
      }, LOOK_MS)
      .unref();
    return () => systemTimers.clearInterval(timer);
  }

  #lookAtWaiting(): void {
    if (this.#waiting.size === 0) {
      systemTimers.clearInterval(this.#look);
      this.#look = undefined;
      return;
    }
    const now = performance.now();
    const isDoubtful = ({ since }: Waiting) =>
      now - since > DOUBT_MS && (since > this.#reachedAt || now - this.#reachedAt > TRUST_MS);
    if (!this.#isLooking && [...this.#waiting].some(isDoubtful)) void this.#probe();
  }

  async #probe(): Promise<void> {
    this.#isLooking = true;
    const begun = performance.now();
    const client = new pg.Client(this.#config);
    client.on('error', () => undefined);
    try {
      await client.connect();
      this.connected(begun);
    } catch (error) {
      this.connected(begun, error);
      if (this.#isAway) for (const { since, end } of [...this.#waiting]) if (since <= begun) end();
    } finally {
      this.#isLooking = false;
      void client.end().catch(() => undefined);
    }
  }
}
