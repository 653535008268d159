import { withTimeout } from '@pilothouse/core';
import { FleetQueueStore, type Pool, type QueueStats } from '@pilothouse/infra-db';

/** Seconds for which statistics are cached, at least. Prometheus reads a replica every 15 s. */
const CACHE_SECONDS = 10;

/**
 * Multiple of their read time for which statistics are cached. Reading them then takes at most 5 % of one connection.
 */
const CACHE_TIME_FACTOR = 20;

/** Milliseconds for the statement, and for the whole read: Prometheus does not wait for an unavailable database. */
const STATEMENT_TIMEOUT_MS = 2_000;
const READ_TIMEOUT_MS = 3_000;

/** Reads and caches the queue statistics of all fleets. */
export class QueueStatsReader {
  private readonly pool: Pool;
  private readonly cacheMs: number;
  private pending: Promise<readonly QueueStats[] | null> | undefined;
  private last: readonly QueueStats[] | null = null;
  private cachedUntil = -Infinity;

  constructor(pool: Pool, cacheMs = CACHE_SECONDS * 1000) {
    this.pool = pool;
    this.cacheMs = cacheMs;
  }

  /** Returns statistics that are some seconds old at most, null if PostgreSQL does not answer. Never rejects, and resolves within 3 s. */
  read(): Promise<readonly QueueStats[] | null> {
    if (performance.now() < this.cachedUntil) return Promise.resolve(this.last);
    this.pending ??= this.refresh().finally(() => (this.pending = undefined));
    return this.pending;
  }

  private async refresh(): Promise<readonly QueueStats[] | null> {
    const start = performance.now();
    this.last = await withTimeout(this.query(), READ_TIMEOUT_MS).catch(() => null);
    const now = performance.now();
    this.cachedUntil = now + Math.max(this.cacheMs, CACHE_TIME_FACTOR * (now - start));
    return this.last;
  }

  private query(): Promise<QueueStats[]> {
    return new FleetQueueStore(this.pool).readStats(STATEMENT_TIMEOUT_MS);
  }
}
