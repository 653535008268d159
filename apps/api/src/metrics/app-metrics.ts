import { systemClock, type BlobStore } from '@pilothouse/core';
import { FleetNames, type Pool } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { jobNames, type JobName } from '../common/periodic-job.ts';
import { sweeperTaskNames, type SweeperTaskName } from '../run-lifecycle/sweeper/sweep-tasks.ts';
import { declareDatabaseMetrics, type CommitKind } from './database.metrics.ts';
import { instrumentObjectStore } from './object-store.metrics.ts';
import { QueueStatsReader, declareQueueMetrics } from './queue.metrics.ts';
import { RunMetrics } from './run.metrics.ts';

const droppedKinds = ['events', 'ephemeral'] as const;

/** Run events; or ephemeral messages: screencast frames, agent thinking and manual control. */
export type DroppedKind = (typeof droppedKinds)[number];

/** Metrics of a replica. docs/metrics.md describes them. */
export interface AppMetrics {
  readonly runs: Pick<RunMetrics, 'onWritten' | 'onPublished'>;
  /** Returns the `onFlush` of a group commit. */
  flushed(commit: CommitKind): (size: number, ms: number) => void;
  /** Wraps a store so that its requests are measured. */
  instrumentStore(store: BlobStore): BlobStore;
  /** Counts messages that were not published to other replicas. */
  dropped(kind: DroppedKind): (count: number) => void;
  /** Counts a failed task of a sweep, or a failed item of it. */
  sweeperTaskFailed(task: SweeperTaskName): void;
  /** Counts a failed run of a periodic job. */
  jobFailed(job: JobName): void;
  /** Declares the number of clients that stream events. */
  declareReaderCount(count: () => number): void;
}

/** Declares the metrics of a replica. Call it once for each `metrics`. */
export function createAppMetrics(metrics: Metrics, pool: Pool): AppMetrics {
  const runs = new RunMetrics(metrics, new FleetNames(pool), systemClock);
  declareQueueMetrics(metrics, new QueueStatsReader(pool), (fleet) => runs.initializeCounters(fleet));
  const dropped = metrics.counter({
    name: 'live_dropped_total',
    help: 'Messages that were not published to other replicas because Redis was unavailable or too slow',
    labels: { kind: droppedKinds },
  });
  const sweeps = metrics.counter({
    name: 'sweeper_task_failures_total',
    help: 'Tasks of a sweep, and single items of them, that failed',
    labels: { task: sweeperTaskNames },
  });
  const jobs = metrics.counter({
    name: 'job_failures_total',
    help: 'Runs of periodic jobs that failed or missed their deadline',
    labels: { job: jobNames },
  });
  const flushed = declareDatabaseMetrics(metrics, pool);
  return {
    runs,
    flushed,
    dropped: (kind) => (count) => dropped.add(count, { kind }),
    sweeperTaskFailed: (task) => sweeps.add(1, { task }),
    jobFailed: (job) => jobs.add(1, { job }),
    instrumentStore: (store) => instrumentObjectStore(store, metrics),
    declareReaderCount(count) {
      metrics.gauge({
        name: 'event_stream_clients',
        help: 'Clients that stream events from this replica',
        collect: (gauge) => gauge.set(count()),
      });
    },
  };
}
