import type { Pool, PoolClient } from '@pilothouse/infra-db';
import type { Metrics } from '@pilothouse/infra-telemetry';

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30];

/** Kinds of writes that share commits. */
const commits = ['runs', 'inserts', 'leases'] as const;
export type CommitKind = (typeof commits)[number];

/** Declares the metrics of PostgreSQL. Returns a function that creates the listener for batches of a group commit. */
export function declareDatabaseMetrics(
  metrics: Metrics,
  pool: Pool,
): (commit: CommitKind) => (size: number, ms: number) => void {
  const holdSeconds = metrics.histogram({
    name: 'database_connection_hold_seconds',
    help: 'Time that a statement or transaction held a connection to PostgreSQL',
    buckets: BUCKETS,
  });
  const commitSeconds = metrics.histogram({
    name: 'group_commit_seconds',
    help: 'Duration of a batch of writes, including failed ones',
    labels: { commit: commits },
    buckets: BUCKETS,
  });
  const commitSize = metrics.histogram({
    name: 'group_commit_size',
    help: 'Number of writes in a batch',
    labels: { commit: commits },
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
  });
  metrics.gauge({
    name: 'database_connections',
    help: 'Connections of this replica to PostgreSQL',
    labels: { use: ['busy', 'idle'] },
    collect(gauge) {
      gauge.set(pool.totalCount - pool.idleCount, { use: 'busy' });
      gauge.set(pool.idleCount, { use: 'idle' });
    },
  });
  metrics.gauge({
    name: 'database_pool_waiting',
    help: 'Statements and transactions of this replica that wait for a connection',
    collect: (gauge) => gauge.set(pool.waitingCount),
  });
  const acquiredAt = new WeakMap<PoolClient, number>();
  pool.on('acquire', (client) => void acquiredAt.set(client, performance.now()));
  pool.on('release', (_error, client) => {
    const acquired = acquiredAt.get(client);
    if (acquired !== undefined) holdSeconds.observe((performance.now() - acquired) / 1000);
  });
  return (commit) => (writes, ms) => {
    commitSize.observe(writes, { commit });
    commitSeconds.observe(ms / 1000, { commit });
  };
}
