import { withTimeout } from '@pilothouse/core';
import { FleetQueueStore, type Pool, type QueueStats } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { FLEET_LABEL } from './fleet-label.ts';

/** Seconds for which figures are good: two replicas that are read every 15 s ask no oftener than that. */
const GOOD_SECONDS = 10;

/** Figures are good for so many times what it took to read them: a long backlog takes at most a twentieth of one connection. */
const REST = 20;

/** Milliseconds for the statement, and for all of it: Prometheus does not wait for a database that is away. */
const STATEMENT_MS = 2_000;
const PATIENCE_MS = 3_000;

/** The queues of all fleets, asked of PostgreSQL as seldom as can be. */
export class QueueStatsReader {
  private readonly pool: Pool;
  private readonly goodMs: number;
  private reading: Promise<readonly QueueStats[] | null> | undefined;
  private last: readonly QueueStats[] | null = null;
  private goodUntil = -Infinity;

  constructor(pool: Pool, goodMs = GOOD_SECONDS * 1000) {
    this.pool = pool;
    this.goodMs = goodMs;
  }

  /** The figures, at most some seconds old; null when PostgreSQL does not tell. Never throws, and answers within 3 s. */
  read(): Promise<readonly QueueStats[] | null> {
    if (performance.now() < this.goodUntil) return Promise.resolve(this.last);
    this.reading ??= this.ask().finally(() => (this.reading = undefined));
    return this.reading;
  }

  private async ask(): Promise<readonly QueueStats[] | null> {
    const began = performance.now();
    this.last = await withTimeout(this.query(), PATIENCE_MS).catch(() => null);
    const now = performance.now();
    this.goodUntil = now + Math.max(this.goodMs, REST * (now - began));
    return this.last;
  }

  private query(): Promise<QueueStats[]> {
    return new FleetQueueStore(this.pool).readStats(STATEMENT_MS);
  }
}

/**
 * The queues as metrics. They are true of the whole installation and the same at every replica: aggregate with `max`, not with `sum`.
 * @param begin told of each fleet there is
 */
export function declareQueueMetrics(
  metrics: Metrics,
  queues: Pick<QueueStatsReader, 'read'>,
  begin: (fleet: string) => void,
): void {
  metrics.gauge({
    name: 'queue_runs',
    help: 'Runs of a fleet that have not ended: backlog, admitted (next in line), running, awaiting_user',
    labels: { fleet: FLEET_LABEL, state: ['backlog', 'admitted', 'running', 'awaiting_user'] },
    async collect(gauge) {
      for (const { fleet, backlog, admitted, running, awaitingUser } of (await queues.read()) ?? []) {
        begin(fleet);
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
    help: '1 while the fleet gives out no runs, because somebody paused it',
    labels: { fleet: FLEET_LABEL },
    async collect(gauge) {
      for (const { fleet, paused } of (await queues.read()) ?? []) gauge.set(paused ? 1 : 0, { fleet });
    },
  });
  metrics.gauge({
    name: 'database_up',
    help: '1 when PostgreSQL told this replica the figures of the queues',
    collect: async (gauge) => gauge.set((await queues.read()) ? 1 : 0),
  });
}
