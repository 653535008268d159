import { systemClock, type Log } from '@pilothouse/core/ports/runtime.port';
import { TaskScheduler } from '@pilothouse/core/time/task-scheduler';
import { createObjectStorage, type ObjectStorage } from '@pilothouse/infra-blob';
import type { ApiConfig } from '@pilothouse/infra-config';
import { createPool, createStores, type Pool, type Stores } from '@pilothouse/infra-db';
import { RedisPubSub } from '@pilothouse/infra-stream';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { createVault, loadMasterKey, type Vault } from '@pilothouse/infra-vault';
import type { ReplicaScheduler } from '../common/periodic-tasks.ts';
import { createAppMetrics, type AppMetrics } from '../metrics/app-metrics.ts';

/** The open adapters of a replica. The modules build everything else from them. */
export interface AppContext {
  readonly config: ApiConfig;
  readonly pool: Pool;
  readonly stores: Stores;
  readonly vault: Vault;
  readonly objects: ObjectStorage;
  /** Ephemeral messages between replicas. */
  readonly channels: RedisPubSub;
  readonly metrics: Metrics;
  readonly appMetrics: AppMetrics;
  readonly scheduler: ReplicaScheduler;
  readonly log: Log;
  /** Aborted first when the process stops. */
  readonly shutdown: AbortController;
  /** URL of the API for clients. */
  publicUrl(): string;
}

/** Maximum number of connections to PostgreSQL. */
const MAX_CONNECTIONS = 20;

/** URL of the listening address. A wildcard address is replaced by the loopback address, which clients can connect to. */
const listeningUrl = ({ host, port }: ApiConfig) =>
  `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;

/**
 * Opens the adapters.
 * @param requiredMigration last migration that this version needs. Undefined: readiness does not check the schema version
 * @throws PilothouseError UNAVAILABLE with a message that says what to set
 */
export async function createAppContext(
  config: ApiConfig,
  log: Log,
  metrics: Metrics,
  requiredMigration?: string,
): Promise<AppContext> {
  const { databaseUrl, redisUrl, redisPrefix: prefix } = config;
  const vault = createVault(await loadMasterKey(config.masterKey));
  const publicUrl = () => config.publicUrl ?? listeningUrl(config);
  const pool = createPool({ databaseUrl, name: 'api', max: MAX_CONNECTIONS, log });
  const appMetrics = createAppMetrics(metrics, pool);
  const storage = await createObjectStorage(
    {
      store: config.objectStore,
      workerEndpoint: config.objectStoreWorkerEndpoint,
      publicEndpoint: config.objectStorePublicEndpoint,
      apiBaseUrl: publicUrl(),
      workerApiBaseUrl: config.workerApiUrl,
      signingSecret: vault.signing,
    },
    systemClock,
  );
  return {
    config,
    pool,
    stores: createStores(pool, requiredMigration),
    vault,
    objects: { ...storage, store: appMetrics.instrumentStore(storage.store) },
    channels: new RedisPubSub({ redisUrl, prefix, log, onDropped: appMetrics.dropped('ephemeral') }),
    metrics,
    appMetrics,
    scheduler: new TaskScheduler({ log, onFailure: appMetrics.periodicTaskFailed }),
    log,
    shutdown: new AbortController(),
    publicUrl,
  };
}
