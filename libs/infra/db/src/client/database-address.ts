import { systemTimers, type Timer } from '@pilothouse/core/time/timers';
import pg from 'pg';
import { isServerUnreachable } from './database-availability.ts';

/** Timeout of a new connection, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 2_000;

/** Milliseconds after which an unanswered statement triggers a check of the server. */
const PROBE_AFTER_MS = 800;

/** Milliseconds between two checks of unanswered statements. */
const CHECK_INTERVAL_MS = 200;

/** Milliseconds for which a new connection proves that the server is reachable. */
const PROBE_VALID_MS = 5_000;

/** Milliseconds that a request waits for a connection while the server is unavailable. */
const MAX_QUEUE_WAIT_MS = 2_800;

interface PendingStatement {
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** Breaks the connection of the statement. */
  readonly end: () => void;
}

/**
 * Detects within three seconds that the server of a pool is unavailable, even if its machine or network failed silently.
 * Established connections would otherwise hang until their statements time out.
 * A slow statement is not ended while new connections succeed.
 */
export class ServerReachability {
  readonly #config: pg.ClientConfig;
  readonly #pending = new Set<PendingStatement>();
  #checkTimer: Timer | undefined;
  #isProbing = false;
  /** Monotonic milliseconds at which the last successful connection attempt started. */
  #lastReachedAt = -Infinity;
  #isUnreachable = false;

  constructor(config: pg.ClientConfig) {
    this.#config = { ...config, connectionTimeoutMillis: CONNECT_TIMEOUT_MS };
  }

  /** The last attempt to connect failed because the server is unavailable. */
  get isUnreachable(): boolean {
    return this.#isUnreachable;
  }

  /** Records the result of a connection attempt. @param startedAt monotonic milliseconds */
  connected(startedAt: number, failure?: unknown): void {
    this.#isUnreachable = failure !== undefined && isServerUnreachable(failure);
    if (!this.#isUnreachable) this.#lastReachedAt = Math.max(this.#lastReachedAt, startedAt);
  }

  /** Watches a statement until the returned function is called. @param end breaks its connection */
  watch(end: () => void): () => void {
    const statement = { startedAt: performance.now(), end };
    this.#pending.add(statement);
    this.#checkTimer ??= systemTimers.setInterval(() => this.#checkPendingStatements(), CHECK_INTERVAL_MS).unref();
    return () => void this.#pending.delete(statement);
  }

  /** Calls `giveUp` when a connection is not available in time during an outage. @returns cancels the wait */
  watchQueue(onTimeout: () => void): () => void {
    const startedAt = performance.now();
    const timer = systemTimers
      .setInterval(() => {
        if (this.#isUnreachable && performance.now() - startedAt >= MAX_QUEUE_WAIT_MS) onTimeout();
      }, CHECK_INTERVAL_MS)
      .unref();
    return () => systemTimers.clearInterval(timer);
  }

  #checkPendingStatements(): void {
    if (this.#pending.size === 0) {
      systemTimers.clearInterval(this.#checkTimer);
      this.#checkTimer = undefined;
      return;
    }
    const now = performance.now();
    const needsProbe = ({ startedAt: since }: PendingStatement) =>
      now - since > PROBE_AFTER_MS && (since > this.#lastReachedAt || now - this.#lastReachedAt > PROBE_VALID_MS);
    if (!this.#isProbing && [...this.#pending].some(needsProbe)) void this.#probe();
  }

  async #probe(): Promise<void> {
    this.#isProbing = true;
    const startedAt = performance.now();
    const client = new pg.Client(this.#config);
    client.on('error', () => undefined);
    try {
      await client.connect();
      this.connected(startedAt);
    } catch (error) {
      this.connected(startedAt, error);
      if (this.#isUnreachable)
        for (const { startedAt: since, end } of [...this.#pending]) if (since <= startedAt) end();
    } finally {
      this.#isProbing = false;
      void client.end().catch(() => undefined);
    }
  }
}
