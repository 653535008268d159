import { systemClock, type BlobStore } from '@pilothouse/core';
import { FleetNames, type Pool } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { jobNames, type JobName } from '../common/periodic-job.ts';
import { sweeperTaskNames, type SweeperTaskName } from '../run-lifecycle/sweeper/sweep-tasks.ts';
import { declareDatabaseMetrics, type CommitKind } from './database.metrics.ts';
import { instrumentObjectStore } from './object-store.metrics.ts';
import { QueueStatsReader, declareQueueMetrics } from './queue.metrics.ts';
import { RunMetrics } from './run.metrics.ts';

const liveKinds = ['events', 'ephemeral'] as const;

/** Events of runs; or what surfaces show, what agents think and what people at the wheel do. */
export type DroppedKind = (typeof liveKinds)[number];

/** What the parts of a replica tell its metrics. docs/metrics.md says what comes of it. */
export interface AppMetrics {
  readonly runs: Pick<RunMetrics, 'onWritten' | 'onPublished'>;
  /** For `onFlush` of a group commit. */
  flushed(commit: CommitKind): (size: number, ms: number) => void;
  /** The same store, measured. */
  instrumentStore(store: BlobStore): BlobStore;
  /** Counts what other replicas were not told of live. */
  dropped(what: DroppedKind): (count: number) => void;
  /** Counts a task of a sweep, or one item of it, that failed. */
  sweeperTaskFailed(task: SweeperTaskName): void;
  /** Counts a run of a periodic job that failed. */
  jobFailed(job: JobName): void;
  /** Declares how many clients read events live. */
  declareReaderCount(count: () => number): void;
}

/** Declares the metrics of a replica; once for each `metrics`. */
export function createAppMetrics(metrics: Metrics, pool: Pool): AppMetrics {
  const runs = new RunMetrics(metrics, new FleetNames(pool), systemClock);
  declareQueueMetrics(metrics, new QueueStatsReader(pool), (fleet) => runs.initializeCounters(fleet));
  const dropped = metrics.counter({
    name: 'live_dropped_total',
    help: 'Messages that were not published to other replicas because Redis was unavailable or too slow',
    labels: { kind: liveKinds },
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
