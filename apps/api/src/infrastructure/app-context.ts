import { systemClock, type Log } from '@pilothouse/core';
import { createObjectStorage, type ObjectStorage } from '@pilothouse/infra-blob';
import type { ApiConfig } from '@pilothouse/infra-config';
import { createPool, holdsLease, createStores, type Pool, type Stores } from '@pilothouse/infra-db';
import { RedisPubSub } from '@pilothouse/infra-stream';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { createVault, hashToken, loadMasterKey, type Vault } from '@pilothouse/infra-vault';
import { closeWithin } from '../common/shutdown.ts';
import { WorkerGateway } from '../gateway/worker-gateway.ts';
import { WorkerServer } from '../gateway/worker-server.ts';
import { WorkerHandshake } from '../gateway/socket/worker-handshake.ts';
import type { JobDeps } from '../common/periodic-job.ts';
import { WorkerMetrics } from '../gateway/messages/worker-metrics.ts';
import { createSurfaceStateSealer, unsealSecrets } from '../sealing/sealed-data.ts';
import type { HealthChecks } from '../health/health.service.ts';
import { newId } from '../common/new-id.ts';
import { LiveFrameRelay } from '../live/live-frame-relay.ts';
import { AgentThinkingRelay } from '../runs/events/agent-thinking-relay.ts';
import { createAppMetrics } from '../metrics/app-metrics.ts';
import { recordOutOfMemory } from '../metrics/oom-condition.ts';
import { ModelsModule } from '../models/models.module.ts';
import { RetentionModule, type RetentionHouse } from '../retention/retention.module.ts';
import { createRunLifecycle, type RunLifecycleServices } from '../run-lifecycle/run-lifecycle.module.ts';
import { ControlRelay } from '../control/control-relay.ts';

/** What one replica of the API stands on, opened and not yet serving. */
export interface AppContext {
  config: ApiConfig;
  pool: Pool;
  stores: Stores;
  vault: Vault;
  objects: ObjectStorage;
  lifecycle: RunLifecycleServices;
  /** What surfaces show, to who looks. */
  liveFrames: LiveFrameRelay;
  /** What agents are thinking, to who follows their runs. */
  agentThinking: AgentThinkingRelay;
  /** What people at the wheel do, to the workers. */
  controlRelay: ControlRelay;
  retention: RetentionHouse;
  jobs: JobDeps;
  /** Serves workers; null when this replica has no gateway. */
  gateway: WorkerServer | null;
  metrics: Metrics;
  log: Log;
  checks: HealthChecks;
  /** Aborted first of all when the process stops. */
  stopping: AbortController;
  /** Where clients reach the API. */
  publicUrl(): string;
  /** Ends what is open, once nothing is served any more; what was handed in is written. */
  close(): Promise<void>;
}

/** Connections to PostgreSQL that one replica may have. */
const CONNECTIONS = 20;

/** An address that stands for all is none to connect to. */
const listeningUrl = ({ host, port }: ApiConfig) =>
  `http://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;

/** Milliseconds one part may take to close. */
const CLOSE_MS = 5_000;

/** Opens all that the API needs. @throws PilothouseError UNAVAILABLE with a sentence that says what to set */
export async function createAppContext(config: ApiConfig, log: Log, metrics: Metrics): Promise<AppContext> {
  const { databaseUrl, redisUrl, redisPrefix, leaseMs, renewMs } = config;
  const vault = createVault(await loadMasterKey(config.masterKey));
  const publicUrl = () => config.publicUrl ?? listeningUrl(config);
  const pool = createPool({ databaseUrl, name: 'api', max: CONNECTIONS, log });
  const measures = createAppMetrics(metrics, pool);
  const opened = await createObjectStorage(
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
  const objects: ObjectStorage = { ...opened, store: measures.instrumentStore(opened.store) };
  const stores = createStores(pool);
  const lifecycle = createRunLifecycle({
    pool,
    redisUrl,
    redisPrefix,
    leaseMs,
    directDispatch: config.directDispatch,
    log,
    metrics: measures,
  });
  const jobs: JobDeps = { log, onFailure: measures.jobFailed };
  const retention = RetentionModule({
    pool,
    stores,
    objects: objects.store,
    keepAuditDays: config.auditRetentionDays,
    log,
    jobs,
  });
  const { writer } = lifecycle;
  const channels = new RedisPubSub({ redisUrl, prefix: redisPrefix, log, onDropped: measures.dropped('ephemeral') });
  const liveFrames = new LiveFrameRelay({ channels, holds: (attempt) => holdsLease(pool, attempt) });
  const agentThinking = new AgentThinkingRelay(channels);
  const controlRelay = new ControlRelay(channels);
  const models = ModelsModule({
    config: config.models,
    pool,
    writer,
    months: stores.modelSpend,
    store: objects.store,
    newId,
    redisUrl,
    redisPrefix,
    metrics,
    log,
  });
  const gateway = config.roles.has('gateway')
    ? new WorkerServer(
        new WorkerGateway({
          pool,
          lifecycle: lifecycle,
          store: objects.store,
          transfers: objects.workerTransfers,
          unseal: (sealed, run) => unsealSecrets(vault, run, sealed),
          stateSealer: createSurfaceStateSealer(vault),
          vault,
          models: models.calls,
          questionHoldMs: config.questionHoldMs,
          directDispatch: config.directDispatch,
          newId,
          redisUrl,
          redisPrefix,
          leaseMs,
          renewMs,
          liveFrames: liveFrames,
          agentThinking: agentThinking,
          controlRelay: controlRelay,
          workerMetrics: new WorkerMetrics(metrics, log, recordOutOfMemory(pool, log)),
          onRenewed: measures.flushed('leases'),
          log,
        }),
        new WorkerHandshake(pool, hashToken),
      )
    : null;
  return {
    config,
    pool,
    stores,
    vault,
    objects,
    lifecycle: lifecycle,
    liveFrames: liveFrames,
    agentThinking: agentThinking,
    controlRelay: controlRelay,
    retention,
    jobs,
    gateway,
    metrics,
    log,
    checks: {
      database: () => stores.check(),
      redis: () => lifecycle.jobQueue.check(),
      objects: () => objects.store.check(),
    },
    stopping: new AbortController(),
    publicUrl,
    async close() {
      models.close();
      channels.close();
      await Promise.all([
        closeWithin('retention', retention.job.stop(), CLOSE_MS, log),
        closeWithin('the way of runs', lifecycle.close(), CLOSE_MS, log),
      ]);
      await closeWithin('the stores', stores.close(), CLOSE_MS, log);
      await closeWithin('PostgreSQL', pool.end(), CLOSE_MS, log);
    },
  };
}
