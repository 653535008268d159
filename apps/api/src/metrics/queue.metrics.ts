import type { Metrics } from '@pilothouse/infra-telemetry';
import { FLEET_LABEL } from './labels.ts';
import type { QueueStatsReader } from './queue.figures.ts';

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
    name: 'queue_oldest_seconds',
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
