import { withTimeout } from '@pilothouse/core';
import { FleetQueueStore, type Pool, type QueueStats } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { FLEET_LABEL } from './fleet-label.ts';

/** Seconds for which statistics are cached, at least. Prometheus reads a replica every 15 s. */
const CACHE_SECONDS = 10;

/** Statistics are cached for at least this multiple of their read time, so that reading them takes at most 5 % of one connection. */
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

/**
 * Declares metrics of the queues. They describe the whole installation and are equal at every replica: aggregate with `max`, not with `sum`.
 * @param onFleet called for each existing fleet
 */
export function declareQueueMetrics(
  metrics: Metrics,
  queues: Pick<QueueStatsReader, 'read'>,
  onFleet: (fleet: string) => void,
): void {
  metrics.gauge({
    name: 'queue_runs',
    help: 'Runs of a fleet that have not ended: backlog, admitted (next in line), running, awaiting_user',
    labels: { fleet: FLEET_LABEL, state: ['backlog', 'admitted', 'running', 'awaiting_user'] },
    async collect(gauge) {
      for (const { fleet, backlog, admitted, running, awaitingUser } of (await queues.read()) ?? []) {
        onFleet(fleet);
        gauge.set(backlog, { fleet, state: 'backlog' });
        gauge.set(admitted, { fleet, state: 'admitted' });
        gauge.set(running, { fleet, state: 'running' });
        gauge.set(awaitingUser, { fleet, state: 'awaiting_user' });
      }
    },
  });
  metrics.gauge({
    name: 'queue_oldest_run_age_seconds',
    help: 'How long the oldest queued run of a fleet has waited; 0: none waits',
    labels: { fleet: FLEET_LABEL },
    async collect(gauge) {
      for (const { fleet, oldestSeconds } of (await queues.read()) ?? []) gauge.set(oldestSeconds, { fleet });
    },
  });
  metrics.gauge({
    name: 'queue_paused',
    help: '1 while the fleet gives out no runs, because it is paused',
    labels: { fleet: FLEET_LABEL },
    async collect(gauge) {
      for (const { fleet, paused } of (await queues.read()) ?? []) gauge.set(paused ? 1 : 0, { fleet });
    },
  });
  metrics.gauge({
    name: 'database_up',
    help: '1 if PostgreSQL answered the queue statistics of this replica',
    collect: async (gauge) => gauge.set((await queues.read()) ? 1 : 0),
  });
}
