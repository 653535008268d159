import { withTimeout } from '@pilothouse/core/time/deadlines';

/** Milliseconds for which a result is cached, at least. Prometheus reads a replica every 15 s. */
const CACHE_TTL_MS = 10_000;

/** Multiple of the read time for which a result is cached. Reading then takes at most 5 % of one connection. */
const CACHE_TIME_FACTOR = 20;

/** Milliseconds for the statement, and for the whole read: Prometheus does not wait for an unavailable database. */
const STATEMENT_TIMEOUT_MS = 2_000;
const READ_TIMEOUT_MS = 3_000;

/** Reads values of a store for metrics, and caches them. */
export class CachedRead<Result> {
  private readonly readStats: (timeoutMs: number) => Promise<Result>;
  private readonly cacheMs: number;
  private pending: Promise<Result | null> | undefined;
  private last: Result | null = null;
  private cachedUntil = -Infinity;

  /** @param readStats reads within a statement timeout in milliseconds */
  constructor(readStats: (timeoutMs: number) => Promise<Result>, cacheMs = CACHE_TTL_MS) {
    this.readStats = readStats;
    this.cacheMs = cacheMs;
  }

  /** Returns a result that is some seconds old at most, null if the store does not answer. Never rejects, and resolves within 3 s. */
  read(): Promise<Result | null> {
    if (performance.now() < this.cachedUntil) return Promise.resolve(this.last);
    this.pending ??= this.refresh().finally(() => (this.pending = undefined));
    return this.pending;
  }

  private async refresh(): Promise<Result | null> {
    const start = performance.now();
    this.last = await withTimeout(this.readStats(STATEMENT_TIMEOUT_MS), READ_TIMEOUT_MS).catch(() => null);
    const now = performance.now();
    this.cachedUntil = now + Math.max(this.cacheMs, CACHE_TIME_FACTOR * (now - start));
    return this.last;
  }
}
