import type { Metrics } from '@pilothouse/infra-telemetry';
import { periodicTaskNames } from '../common/periodic-tasks.ts';
import { sweeperTaskNames } from '../common/sweeper-task-names.ts';

const droppedKinds = ['events', 'ephemeral'] as const;

/** Run events; or ephemeral messages: screencast frames, agent thinking and manual control. */
export type DroppedKind = (typeof droppedKinds)[number];

/** Declares the metrics of a replica about its own work. */
export const declareReplicaMetrics = (metrics: Metrics) => ({
  dropped: metrics.counter({
    name: 'live_dropped_total',
    help: 'Messages that were not published to other replicas because Redis was unavailable or too slow. `events` are read from PostgreSQL instead; `ephemeral` messages (screencast, thoughts, manual control) are lost',
    labels: { kind: droppedKinds },
  }),
  sweeps: metrics.counter({
    name: 'sweeper_task_failures_total',
    help: 'Failed tasks of a sweep, and failed items of them. The next sweep tries again',
    labels: { task: sweeperTaskNames },
  }),
  tasks: metrics.counter({
    name: 'periodic_task_failures_total',
    help: 'Runs of periodic tasks that failed or missed their deadline. The task runs again after its interval',
    labels: { task: periodicTaskNames },
  }),
  /** @param count returns the current number of clients */
  declareReaderCount: (count: () => number): void =>
    void metrics.gauge({
      name: 'event_stream_clients',
      help: 'Clients that stream events from this replica',
      collect: (gauge) => gauge.set(count()),
    }),
});
