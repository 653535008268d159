import { jobKinds } from '@pilothouse/contract/job/job.schema';
import type { BackgroundQueueStats } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';

/**
 * Declares metrics of the background jobs. The API reports them, so that they exist while no job runner runs. They are equal at every replica:
 * aggregate with `max`.
 */
export function declareBackgroundQueueMetrics(
  metrics: Metrics,
  queue: { read(): Promise<readonly BackgroundQueueStats[] | null> },
): void {
  metrics.gauge({
    name: 'learning_jobs',
    help: 'Background jobs of the installation. `queued` jobs wait for a job runner or for their next attempt; a job runner holds `running` jobs',
    labels: { kind: jobKinds, status: ['queued', 'running'] },
    async collect(gauge) {
      const stats = await queue.read();
      if (stats === null) return;
      for (const kind of jobKinds) {
        const { queued = 0, running = 0 } = stats.find((candidate) => candidate.kind === kind) ?? {};
        gauge.set(queued, { kind, status: 'queued' });
        gauge.set(running, { kind, status: 'running' });
      }
    },
  });
  metrics.gauge({
    name: 'learning_queue_age_seconds',
    help: 'Seconds that the oldest due background job has waited for a job runner; 0: no job is due',
    labels: { kind: jobKinds },
    async collect(gauge) {
      const stats = await queue.read();
      if (stats === null) return;
      for (const kind of jobKinds)
        gauge.set(stats.find((candidate) => candidate.kind === kind)?.oldestSeconds ?? 0, { kind });
    },
  });
}
