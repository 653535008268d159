import type { QueueStats } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';

/** Maximum number of fleets with a separate label; others are `other`. Fleet names are configuration and belong to no project. */
export const FLEET_LABEL = { maxValues: 200 } as const;

/**
 * Declares metrics of the queues. They describe the whole installation and are equal at every replica: aggregate with `max`, not with `sum`.
 * @param onFleet called for each existing fleet
 */
export function declareQueueMetrics(
  metrics: Metrics,
  queues: { read(): Promise<readonly QueueStats[] | null> },
  onFleet: (fleet: string) => void,
): void {
  metrics.gauge({
    name: 'queue_runs',
    help: 'Runs of a fleet that have not ended. `admitted` runs are next for a worker; `backlog` runs wait behind them. The length of the queue is the sum of both',
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
    help: 'Seconds since the oldest queued run of a fleet last entered the queue; 0: the queue is empty',
    labels: { fleet: FLEET_LABEL },
    async collect(gauge) {
      for (const { fleet, oldestSeconds } of (await queues.read()) ?? []) gauge.set(oldestSeconds, { fleet });
    },
  });
  metrics.gauge({
    name: 'queue_paused',
    help: '1 while the fleet is paused',
    labels: { fleet: FLEET_LABEL },
    async collect(gauge) {
      for (const { fleet, paused } of (await queues.read()) ?? []) gauge.set(paused ? 1 : 0, { fleet });
    },
  });
  metrics.gauge({
    name: 'database_up',
    help: '1 if PostgreSQL answered the last queue statistics of this replica',
    collect: async (gauge) => gauge.set((await queues.read()) ? 1 : 0),
  });
}
