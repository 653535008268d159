import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { FleetNames, FleetQueueStore, readBackgroundQueueStats, type Pool } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';
import type { PeriodicTaskName } from '../common/periodic-tasks.ts';
import type { SweeperTaskName } from '../common/sweeper-task-names.ts';
import { CachedRead } from './cached-read.ts';
import { declareDatabaseMetrics, type CommitKind } from './database.metrics.ts';
import { declareBackgroundQueueMetrics } from './background-queue.metrics.ts';
import { instrumentObjectStore } from './object-store.metrics.ts';
import { declareQueueMetrics } from './queue.metrics.ts';
import { type DroppedKind, declareReplicaMetrics } from './replica.metrics.ts';
import { RunMetrics } from './run.metrics.ts';

/** Metrics of a replica. docs/reference/metrics.md describes them. */
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
  /** Counts a failed run of a periodic task. */
  periodicTaskFailed(task: PeriodicTaskName): void;
  /** Declares the number of clients that stream events. */
  declareReaderCount(count: () => number): void;
}

/** Declares the metrics of a replica. Call it once for each `metrics`. */
export function createAppMetrics(metrics: Metrics, pool: Pool): AppMetrics {
  const runs = new RunMetrics(metrics, new FleetNames(pool), systemClock);
  const fleets = new FleetQueueStore(pool);
  const queues = new CachedRead((timeoutMs) => fleets.readStats(timeoutMs));
  declareQueueMetrics(metrics, queues, (fleet) => runs.initializeCounters(fleet));
  declareBackgroundQueueMetrics(metrics, new CachedRead((timeoutMs) => readBackgroundQueueStats(pool, timeoutMs)));
  const { dropped, sweeps, tasks, declareReaderCount } = declareReplicaMetrics(metrics);
  const flushed = declareDatabaseMetrics(metrics, pool);
  return {
    runs,
    flushed,
    dropped: (kind) => (count) => dropped.add(count, { kind }),
    sweeperTaskFailed: (task) => sweeps.add(1, { task }),
    periodicTaskFailed: (task) => tasks.add(1, { task }),
    instrumentStore: (store) => instrumentObjectStore(store, metrics),
    declareReaderCount,
  };
}
