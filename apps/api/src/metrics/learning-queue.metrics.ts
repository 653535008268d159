import { learningJobKinds } from '@pilothouse/contract/learning/learning-job.schema';
import type { LearningQueueStats } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';

/**
 * Declares metrics of the background jobs. The API reports them, so that they exist while no learner runs. They are equal at every replica:
 * aggregate with `max`.
 */
export function declareLearningQueueMetrics(
  metrics: Metrics,
  queue: { read(): Promise<readonly LearningQueueStats[] | null> },
): void {
  metrics.gauge({
    name: 'learning_jobs',
    help: 'Background jobs of the installation. `queued` jobs wait for a learner or for their next attempt; a learner holds `running` jobs',
    labels: { kind: learningJobKinds, status: ['queued', 'running'] },
    async collect(gauge) {
      const stats = await queue.read();
      if (stats === null) return;
      for (const kind of learningJobKinds) {
        const { queued = 0, running = 0 } = stats.find((candidate) => candidate.kind === kind) ?? {};
        gauge.set(queued, { kind, status: 'queued' });
        gauge.set(running, { kind, status: 'running' });
      }
    },
  });
  metrics.gauge({
    name: 'learning_queue_age_seconds',
    help: 'Seconds that the oldest due background job has waited for a learner; 0: no job is due',
    labels: { kind: learningJobKinds },
    async collect(gauge) {
      const stats = await queue.read();
      if (stats === null) return;
      for (const kind of learningJobKinds)
        gauge.set(stats.find((candidate) => candidate.kind === kind)?.oldestSeconds ?? 0, { kind });
    },
  });
}
