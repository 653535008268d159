import { systemClock, type Log } from '@pilothouse/core';
import { createObjects, type Objects } from '@pilothouse/infra-blob';
import type { ApiConfig } from '@pilothouse/infra-config';
import { createPool, holdsLease, openStores, type Pool, type Stores } from '@pilothouse/infra-db';
import { Channels } from '@pilothouse/infra-stream';
import type { Metrics } from '@pilothouse/infra-telemetry';
import { createVault, hashToken, loadMasterKey, type Vault } from '@pilothouse/infra-vault';
import { inTime } from './closing.ts';
import { Gateway } from './gateway/gateway.ts';
import { Handshake } from './gateway/handshake.ts';
import { WorkerMetrics } from './gateway/worker-metrics.ts';
import { stateSeal } from './gateway/state.seal.ts';
import type { Checks } from './health/health.service.ts';
import { newId } from './ids.ts';
import { LiveViews } from './live/live.views.ts';
import { Thoughts } from './live/thoughts.ts';
import { houseMetrics } from './metrics/house.metrics.ts';
import { noteKilled } from './metrics/killed.ts';
import { openModels } from './models/models.house.ts';
import { openRetention, type RetentionHouse } from './retention/retention.house.ts';
import { unsealSecrets } from './runs/secrets.ts';
import { openWay, type WayHouse } from './way/way.house.ts';
import { WheelRelay } from './wheel/wheel.relay.ts';

/** What one replica of the API stands on, opened and not yet serving. */
export interface House {
  config: ApiConfig;
  pool: Pool;
  stores: Stores;
  vault: Vault;
  objects: Objects;
  way: WayHouse;
  /** What surfaces show, to who looks. */
  views: LiveViews;
  /** What agents are thinking, to who follows their runs. */
  thoughts: Thoughts;
  /** What people at the wheel do, to the workers. */
  wheels: WheelRelay;
  retention: RetentionHouse;
  /** The door for workers, where this replica has one. */
  gateway: { gateway: Gateway; handshake: Handshake } | null;
  metrics: Metrics;
  log: Log;
  checks: Checks;
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
export async function openHouse(config: ApiConfig, log: Log, metrics: Metrics): Promise<House> {
  const { databaseUrl, redisUrl, redisPrefix, leaseMs, renewMs } = config;
  const vault = createVault(await loadMasterKey(config.masterKey));
  const publicUrl = () => config.publicUrl ?? listeningUrl(config);
  const pool = createPool({ databaseUrl, name: 'api', max: CONNECTIONS, log });
  const measures = houseMetrics(metrics, pool);
  const opened = await createObjects(
    {
      store: config.objects,
      workerEndpoint: config.objectsWorkerEndpoint,
      publicEndpoint: config.objectsPublicEndpoint,
      apiBaseUrl: publicUrl(),
      workerApiBaseUrl: config.workerApiUrl,
      signingSecret: vault.signing,
    },
    systemClock,
  );
  const objects: Objects = { ...opened, store: measures.measured(opened.store) };
  const stores = openStores(pool);
  const way = openWay({ pool, redisUrl, redisPrefix, leaseMs, handOver: config.handOver, log, metrics: measures });
  const retention = openRetention({
    pool,
    stores,
    objects: objects.store,
    keepAuditDays: config.keepAuditDays,
    log,
  });
  const { writer } = way;
  const channels = new Channels({ redisUrl, prefix: redisPrefix, log, onDropped: measures.dropped('news') });
  const views = new LiveViews({ channels, holds: (attempt) => holdsLease(pool, attempt) });
  const thoughts = new Thoughts(channels);
  const wheels = new WheelRelay(channels);
  const models = openModels({
    config: config.models,
    pool,
    writer,
    months: stores.months,
    store: objects.store,
    newId,
    redisUrl,
    redisPrefix,
    metrics,
    log,
  });
  const gateway = config.parts.has('gateway')
    ? {
        gateway: new Gateway({
          pool,
          way,
          store: objects.store,
          transfers: objects.workerTransfers,
          unseal: (sealed, run) => unsealSecrets(vault, run, sealed),
          states: stateSeal(vault),
          vault,
          models: models.calls,
          askHoldMs: config.askHoldMs,
          handOver: config.handOver,
          newId,
          redisUrl,
          redisPrefix,
          leaseMs,
          renewMs,
          views,
          thoughts,
          wheels,
          workers: new WorkerMetrics(metrics, log, noteKilled(pool, log)),
          onRenewed: measures.flushed('leases'),
          log,
        }),
        handshake: new Handshake(pool, hashToken),
      }
    : null;
  return {
    config,
    pool,
    stores,
    vault,
    objects,
    way,
    views,
    thoughts,
    wheels,
    retention,
    gateway,
    metrics,
    log,
    checks: {
      database: () => stores.check(),
      redis: () => way.board.check(),
      objects: () => objects.store.check(),
    },
    stopping: new AbortController(),
    publicUrl,
    async close() {
      models.close();
      channels.close();
      await Promise.all([
        inTime('retention', retention.job.stop(), CLOSE_MS, log),
        inTime('the way of runs', way.close(), CLOSE_MS, log),
      ]);
      await inTime('the stores', stores.close(), CLOSE_MS, log);
      await inTime('PostgreSQL', pool.end(), CLOSE_MS, log);
    },
  };
}
