import { systemTimers, type Timer } from '@pilothouse/core';
import pg from 'pg';
import { isServerUnreachable } from './database-availability.ts';

/** Milliseconds a new connection may take to be ready. */
export const CONNECT_MS = 2_000;

/** Milliseconds after which a statement without an answer makes the server be looked for. */
const DOUBT_MS = 800;

/** Milliseconds between two looks at the statements without an answer. */
const LOOK_MS = 200;

/** Milliseconds for which one connection that was made shows that the server is there. */
const TRUST_MS = 5_000;

/** Milliseconds for which a connection is waited for while the server is away. */
const WAIT_MS = 2_800;

interface Waiting {
  /** Monotonic milliseconds. */
  readonly since: number;
  /** Ends it as a connection that broke. */
  readonly end: () => void;
}

/**
 * Finds out within three seconds that the server of a pool is away, also where its machine or network is gone without a goodbye: established connections
 * would hang until their statement is given up. A slow statement is not ended: a new connection shows that the server is there.
 */
export class Reach {
  readonly #config: pg.ClientConfig;
  readonly #waiting = new Set<Waiting>();
  #look: Timer | undefined;
  #isLooking = false;
  /** Monotonic milliseconds at which the last connection that succeeded was begun. */
  #reachedAt = -Infinity;
  #isAway = false;

  constructor(config: pg.ClientConfig) {
    this.#config = { ...config, connectionTimeoutMillis: CONNECT_MS };
  }

  /** The last attempt to connect failed because the server is unavailable. */
  get isAway(): boolean {
    return this.#isAway;
  }

  /** Notes how an attempt to connect ended. @param begun monotonic milliseconds */
  connected(begun: number, failure?: unknown): void {
    this.#isAway = failure !== undefined && isServerUnreachable(failure);
    if (!this.#isAway) this.#reachedAt = Math.max(this.#reachedAt, begun);
  }

  /** Watches a statement until the function that this gives back is called. @param end breaks its connection */
  watch(end: () => void): () => void {
    const statement = { since: performance.now(), end };
    this.#waiting.add(statement);
    this.#look ??= systemTimers.setInterval(() => this.#lookAtWaiting(), LOOK_MS).unref();
    return () => void this.#waiting.delete(statement);
  }

  /** Calls `giveUp` once a connection was waited for long enough while the server is away. @returns ends that */
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
