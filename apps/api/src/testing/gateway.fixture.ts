import { randomBytes, randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { systemClock } from '@pilothouse/core/ports/runtime.port';
import { systemTimers } from '@pilothouse/core/time/timers';
import type { ModelsConfig } from '@pilothouse/infra-config';
import { TaskScheduler } from '@pilothouse/core/time/task-scheduler';
import {
  createPool,
  readEventsAfter,
  holdsLease,
  ModelSpendStore,
  RegistryShadowStore,
  RegistryStore,
  type NewRun,
  type Pool,
  type WorkerCredentialRecord,
} from '@pilothouse/infra-db';
import { ScreenParseCache } from '@pilothouse/infra-queue';
import { RedisPubSub } from '@pilothouse/infra-stream';
import { createVault } from '@pilothouse/infra-vault';
import { OmniParser } from '@pilothouse/model';
import { createDatabase, type TestDatabase } from '@pilothouse/testing/test-database';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { WebSocketServer } from 'ws';
import { createMetrics } from '@pilothouse/infra-telemetry';
import { WorkerMetrics } from '../gateway/messages/worker-metrics.ts';
import { WorkerAdmission } from '../gateway/worker-admission.ts';
import { WorkerGateway } from '../gateway/worker-gateway.ts';
import { LiveFrameRelay } from '../live/live-frame-relay.ts';
import { ModelCallService } from '../models/model-call.service.ts';
import { ModelCallTraces } from '../models/model-call-traces.ts';
import { ConfiguredModels, type ConfiguredModelsDeps } from '@pilothouse/model';
import { RegistryRunRecords } from '../models/registry-run-records.ts';
import { ShadowCallService } from '../models/shadow-call.service.ts';
import { createRunLifecycle, type RunLifecycleServices } from '../run-lifecycle/run-lifecycle.module.ts';
import { declareScreenParses } from '../screen-parsing/screen-parse.metrics.ts';
import { ScreenParseService } from '../screen-parsing/screen-parse.service.ts';
import { ControlRelay } from '../control/control-relay.ts';
import { ProtocolWorker } from './protocol-worker.fixture.ts';

/** Longer than a spec: its workers do not renew. A spec expires leases explicitly. */
export const LEASE_MS = 300_000;

/** Grace time of a new sweeper; a spec with an expired lease waits for it. */
const QUIET_MS = 1_500;

/** A gateway with a separate database and queue for a suite, and helpers for its tests. */
export class GatewayHarness {
  /** Applies to gateways opened from now on. */
  redisUrl = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379';
  prefix = '';
  project = '';
  fleet = { id: '', name: '', surface: 'browser', slots: 4, externalWorkers: true };
  url = '';
  /** Applies to gateways opened from now on. */
  models: Pick<ModelsConfig, 'endpoints' | 'overrides' | 'fallback'> = { endpoints: {}, fallback: undefined };
  /** Rate limit of model calls at all gateways; none: unlimited. */
  turn: ConfiguredModelsDeps['turn'];
  /** Address of an OmniParser server, for gateways opened from now on; none: no screen parser is configured. */
  screenParserUrl: string | undefined;
  /** Metrics of the screen parser of the last opened gateway. */
  screenParserMetrics = createMetrics({ prefix: 'spec' });
  /** Random numbers that select shadow calls. */
  shadowRandom: () => number = () => 0;
  /** Rate limit of shadow calls. */
  shadowTurn: ConfiguredModelsDeps['turn'];
  /** Metrics of shadow calls of the last opened gateway. */
  shadowMetrics = createMetrics({ prefix: 'spec' });
  /** Object store for prompts and answers; none: they are not stored. */
  store: BlobStore | undefined;
  /** Size of each object sent by workers, in bytes; null: it does not exist. */
  storedBytes: number | null = null;
  /** First bytes of each object. */
  storedHead = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  /** Secrets of each run. */
  secrets: Record<string, string> = {};
  /** The gateways cannot reach their object store. */
  isStoreUnavailable = false;
  /** Shared by all gateways. */
  readonly vault = createVault(randomBytes(32));
  readonly log = memoryLog();
  readonly #workers: ProtocolWorker[] = [];
  readonly #elsewhere: (() => Promise<void>)[] = [];
  #database: TestDatabase | undefined;
  #pool: Pool | undefined;
  #lifecycle: RunLifecycleServices | undefined;
  #gateway: WorkerGateway | undefined;
  #server: WebSocketServer | undefined;

  get pool(): Pool {
    if (!this.#pool) throw new Error('The database is not created yet');
    return this.#pool;
  }

  get databaseUrl(): string {
    if (!this.#database) throw new Error('The database is not created yet');
    return this.#database.url;
  }

  get lifecycle(): RunLifecycleServices {
    if (!this.#lifecycle) throw new Error('The harness is not open yet');
    return this.#lifecycle;
  }

  /** Credential of the workers. */
  get credential(): WorkerCredentialRecord {
    return { kind: 'fleet', hash: '', worker: null, fleet: this.fleet };
  }

  async createDatabase(): Promise<void> {
    this.#database = await createDatabase();
    this.#pool = createPool({ databaseUrl: this.#database.url, name: 'spec', log: this.log });
  }

  /** A fresh project, fleet and gateway. */
  async open(): Promise<void> {
    this.prefix = `t${randomUUID().slice(0, 8)}`;
    this.project = randomUUID();
    this.fleet = { ...this.fleet, id: randomUUID(), name: `f-${randomUUID().slice(0, 8)}` };
    const { pool, project, prefix, redisUrl } = this;
    const { id, name, surface, slots } = this.fleet;
    await pool.query('INSERT INTO project (id, slug, name) VALUES ($1, $2, $2)', [project, `p-${project.slice(0, 8)}`]);
    await pool.query(
      'INSERT INTO fleet (id, name, surface, slots, min_workers, max_workers, idle_slots, cooldown_seconds, projects) VALUES ($1, $2, $3, $4, 0, 1, 1, 60, $5)',
      [id, name, surface, slots, []],
    );
    this.#lifecycle = createRunLifecycle({
      pool,
      redisUrl,
      redisPrefix: prefix,
      leaseMs: QUIET_MS,
      directDispatch: true,
      log: this.log,
      scheduler: new TaskScheduler({ log: this.log }),
    });
    this.openGateway();
    this.#server = new WebSocketServer({ port: 0 });
    this.#server.on('connection', (socket, { socket: stream }) =>
      this.#gateway?.connect(socket, stream, this.credential),
    );
    this.url = `ws://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** @param directDispatch allows runs to bypass the queue */
  openGateway(directDispatch = true): void {
    this.#gateway = this.#gatewayOn(this.lifecycle, directDispatch);
  }

  /** Viewers of runs at one replica of the API; each replica has its own. */
  readonly openFrameRelay = (): LiveFrameRelay => {
    const { redisUrl, prefix, log, pool } = this;
    const channels = new RedisPubSub({ redisUrl, prefix, log });
    this.#elsewhere.push(async () => channels.close());
    return new LiveFrameRelay({ channels, isHolder: (attempt) => holdsLease(pool, attempt) });
  };

  /** Input of operators, at one replica of the API. */
  readonly openControlRelay = (): ControlRelay => {
    const { redisUrl, prefix, log } = this;
    const channels = new RedisPubSub({ redisUrl, prefix, log });
    this.#elsewhere.push(async () => channels.close());
    return new ControlRelay(channels);
  };

  #gatewayOn(lifecycle: RunLifecycleServices, directDispatch: boolean, pool = this.pool): WorkerGateway {
    const { prefix, redisUrl } = this;
    return new WorkerGateway({
      pool,
      lifecycle,
      store: {
        stat: async () => {
          if (this.isStoreUnavailable) throw new PilothouseError('UNAVAILABLE', 'The object store is away');
          return this.storedBytes === null ? null : { size: this.storedBytes };
        },
        get: async () => Readable.from([this.storedHead]),
      } as never,
      transfers: {
        upload: async (key: string) => ({
          method: 'PUT',
          url: `/objects/${key}`,
          headers: {},
          expiresAt: new Date().toISOString(),
        }),
        download: async (key: string) => ({
          method: 'GET',
          url: `/objects/${key}`,
          headers: {},
          expiresAt: new Date().toISOString(),
        }),
      } as never,
      unseal: () => this.secrets,
      stateSealer: { seal: (state) => Buffer.from(state), open: (sealed) => Buffer.from(sealed).toString() },
      vault: this.vault,
      models: this.#modelsOn(lifecycle, pool),
      screenParseService: this.#createScreenParseService(pool),
      liveFrames: this.openFrameRelay(),
      controlRelay: this.openControlRelay(),
      agentThinking: { publish: async () => undefined },
      workerMetrics: new WorkerMetrics(createMetrics({ prefix: 'spec' }), this.log),
      admission: new WorkerAdmission({
        ...{ pool, fleets: [], newId: randomUUID, log: this.log },
        metrics: createMetrics({ prefix: 'spec' }),
      }),
      questionHoldMs: 60_000,
      directDispatch: directDispatch,
      newId: randomUUID,
      redisUrl,
      redisPrefix: prefix,
      leaseMs: LEASE_MS,
      renewMs: 300,
      log: this.log,
    });
  }

  #createScreenParseService(pool: Pool): ScreenParseService | null {
    const { redisUrl, prefix, log, screenParserUrl: url } = this;
    if (url === undefined) return null;
    const metrics = createMetrics({ prefix: 'spec' });
    this.screenParserMetrics = metrics;
    const cache = new ScreenParseCache({ redisUrl, prefix, ttlSeconds: 60, log });
    const parses = declareScreenParses(metrics);
    return new ScreenParseService({ pool, parser: new OmniParser({ url, timeoutMs: 1_000 }), cache, parses });
  }

  #modelsOn({ writer }: RunLifecycleServices, pool: Pool): ModelCallService {
    const { endpoints, overrides, fallback } = this.models;
    const [clock, log] = [systemClock, this.log];
    const retries = { maxAttempts: 2, baseMs: 1, maxMs: 1 };
    const turn: ConfiguredModelsDeps['turn'] = async (endpoint, context) => this.turn?.(endpoint, context);
    const providers = new ConfiguredModels({ endpoints, entries: overrides, clock, random: () => 1, turn, retries });
    const { store } = this;
    const traces = store && new ModelCallTraces({ pool, store, newId: randomUUID, clock, log });
    const months = new ModelSpendStore(pool);
    const registry = new RegistryRunRecords(new RegistryStore(pool), log);
    this.shadowMetrics = createMetrics({ prefix: 'spec' });
    const shadow = new ShadowCallService({
      store: new RegistryShadowStore(pool),
      providers: new ConfiguredModels({
        ...{ endpoints, entries: overrides, clock, random: () => 1 },
        retries: { maxAttempts: 1, baseMs: 1, maxMs: 1 },
        turn: async (endpoint, context) => this.shadowTurn?.(endpoint, context),
      }),
      ...{
        months,
        metrics: this.shadowMetrics,
        newId: randomUUID,
        random: () => this.shadowRandom(),
        clock,
        timers: systemTimers,
        log,
      },
    });
    const deps = { pool, writer, months, providers, fallback, registry, shadow, newId: randomUUID, clock, log };
    return new ModelCallService({ ...deps, ...(traces && { traces }) });
  }

  /** Opens another replica of the gateway, on the same stores. @param pool its database connection */
  readonly replica = (pool = this.pool): { url: string; gateway: WorkerGateway; lifecycle: RunLifecycleServices } => {
    const { redisUrl, prefix } = this;
    const lifecycle = createRunLifecycle({
      pool,
      redisUrl,
      redisPrefix: prefix,
      leaseMs: QUIET_MS,
      directDispatch: true,
      log: this.log,
      scheduler: new TaskScheduler({ log: this.log }),
    });
    const gateway = this.#gatewayOn(lifecycle, true, pool);
    const server = new WebSocketServer({ port: 0 });
    server.on('connection', (socket, { socket: stream }) => gateway.connect(socket, stream, this.credential));
    this.#elsewhere.push(async () => {
      await gateway.close();
      await lifecycle.close();
      await new Promise((resolve) => server.close(resolve));
    });
    return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`, gateway, lifecycle };
  };

  /** Connects a worker to another replica of the gateway, on the same stores. */
  readonly workerElsewhere = (slots = 1): ProtocolWorker => this.worker(slots, this.replica().url);

  async closeGateway(): Promise<void> {
    await this.#gateway?.close();
  }

  async close(): Promise<void> {
    for (const worker of this.#workers.splice(0)) worker.disconnect();
    await Promise.all(this.#elsewhere.splice(0).map((close) => close()));
    await this.closeGateway();
    await this.#lifecycle?.close();
    await new Promise((resolve) => this.#server?.close(resolve));
    await this.pool.query(`UPDATE run SET status = 'cancelled' WHERE status IN ('queued', 'running')`);
    await this.pool.query('DELETE FROM lease');
  }

  async dropDatabase(): Promise<void> {
    await this.#pool?.end();
    await this.#database?.drop();
  }

  readonly worker = (slots = 1, url = this.url): ProtocolWorker => {
    const worker = new ProtocolWorker(url, slots);
    this.#workers.push(worker);
    return worker;
  };

  readonly newRun = (fields: Partial<NewRun> = {}): NewRun => ({
    id: randomUUID(),
    project: this.project,
    fleet: this.fleet.id,
    workflow: null,
    workflowName: 'spec',
    goal: null,
    surface: 'browser',
    definition: workflowDefinitionSchema.parse({
      name: 'spec',
      steps: [{ action: 'press', key: 'Enter' }],
      outputSchema: { type: 'object' },
    }),
    stepCount: 1,
    inputs: {},
    secretNames: [],
    secrets: null,
    priority: 0,
    budget: {},
    capture: { screenshots: 'none' },
    egress: null,
    labels: {},
    model: null,
    origin: { kind: 'api', actor: null, idempotencyKey: null },
    parentRunId: null,
    expiresIn: null,
    firstIntent: null,
    event: createEvent('run.queued', 'Queued', { fleet: this.fleet.name, priority: 0, retryOf: null }, new Date()),
    idempotency: null,
    ...fields,
  });

  readonly submit = async (fields: Partial<NewRun> = {}): Promise<string> => {
    const run = this.newRun(fields);
    await this.lifecycle.runs.submit(run);
    return run.id;
  };

  /** Expires the lease of a run, like a worker that did not renew in time. */
  readonly expire = async (run: string): Promise<void> => {
    await this.pool.query(`UPDATE lease SET expires_at = now() - interval '1 second' WHERE run_id = $1`, [run]);
  };

  readonly statusOf = async (run: string) => {
    const { rows } = await this.pool.query<{
      status: string;
      epoch: number;
      output: unknown;
      error: { code: string } | null;
    }>('SELECT status, epoch, output, error FROM run WHERE id = $1', [run]);
    return rows[0];
  };

  readonly whenStatus = (run: string, status: string, ms?: number) =>
    until(
      `${run} is ${status}`,
      async () => {
        const now = await this.statusOf(run);
        return now?.status === status ? now : null;
      },
      ms,
    );

  readonly whenAccepted = (run: string) =>
    until(`${run} is accepted`, async () => {
      const { rowCount } = await this.pool.query('SELECT FROM lease WHERE run_id = $1 AND accepted_at IS NOT NULL', [
        run,
      ]);
      return rowCount === 1;
    });

  readonly typesOf = async (run: string) =>
    (await readEventsAfter(this.pool, run, 0)).map(({ seq, type }) => `${seq} ${type}`);
}

/** A gateway for the tests of a `describe`, new for each test. */
export function useGatewayHarness(): GatewayHarness {
  const harness = new GatewayHarness();
  beforeAll(() => harness.createDatabase());
  beforeEach(() => harness.open());
  afterEach(() => harness.close());
  afterAll(() => harness.dropDatabase());
  return harness;
}
