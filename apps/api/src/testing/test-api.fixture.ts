import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Page } from '@pilothouse/contract/api/query-params';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import type { FleetConfig } from '@pilothouse/contract/fleet/fleet.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Role } from '@pilothouse/contract/project/project-roles';
import type { ApiConfig } from '@pilothouse/infra-config';
import { findFreePort } from '@pilothouse/infra-embedded';
import { createMetrics } from '@pilothouse/infra-telemetry';
import { hashToken, newToken } from '@pilothouse/infra-vault';
import { createDatabase } from '@pilothouse/testing/test-database';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { createApp } from '../create-app.ts';
import { seedInstallation } from '../seed.ts';
import { createAppContext, type AppContext } from '../infrastructure/app-context.ts';
import { RUN_LIFECYCLE } from '../common/injection-tokens.ts';
import type { RunLifecycleServices } from '../run-lifecycle/run-lifecycle.module.ts';
import { newId } from '../common/new-id.ts';
import { expectOpenApiConformance } from './openapi-conformance.ts';

export interface TestRequestOptions {
  /** Null: none. Default: the key of the admin. */
  key?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

export interface TestResponse<Body> {
  status: number;
  body: Body;
  headers: Headers;
}

/** The complete API on a separate database. */
export interface TestApi {
  url: string;
  context: AppContext;
  lifecycle: RunLifecycleServices;
  app: NestFastifyApplication;
  log: ReturnType<typeof memoryLog>;
  admin: string;
  /** Creates a key, in a new project unless one is given. */
  key(role: Role, project?: string): Promise<string>;
  project(): Promise<string>;
  fetch(method: string, path: string, options?: TestRequestOptions): Promise<Response>;
  /** Status and JSON of an answer, which is checked against the table of routes. */
  call<Body = never>(method: string, path: string, options?: TestRequestOptions): Promise<TestResponse<Body>>;
  /** All items of a list, fetched by page. @param between called after each page */
  all<Item>(path: string, limit: number, between?: () => Promise<unknown>): Promise<Item[]>;
  /** Claims a queued run like a worker. */
  startRun(run: string, worker?: string): Promise<string>;
  /** Ends a claimed run. */
  complete(run: string, output?: Json): Promise<void>;
  close(): Promise<void>;
}

export const testFleet = (fields: Partial<FleetConfig> = {}): FleetConfig => ({
  name: 'default',
  surface: 'browser',
  slots: 2,
  minWorkers: 0,
  maxWorkers: 2,
  idleSlots: 1,
  cooldownSeconds: 60,
  projects: [],
  externalWorkers: true,
  ...fields,
});

/** Starts the API on the real servers at DATABASE_URL and REDIS_URL. */
export async function startApi(
  overrides: Partial<ApiConfig> & { fleets?: readonly FleetConfig[] } = {},
): Promise<TestApi> {
  const database = await createDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'pilothouse-api-'));
  const port = await findFreePort(0);
  const admin = overrides.bootstrapAdminKey ?? newToken('ph_');
  const log = memoryLog();
  const config: ApiConfig = {
    databaseUrl: database.url,
    redisUrl: process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379',
    redisPrefix: `t${randomUUID().slice(0, 8)}`,
    host: '127.0.0.1',
    port,
    metricsPort: undefined,
    workerApiUrl: undefined,
    publicUrl: undefined,
    consoleUrl: undefined,
    oidc: undefined,
    proxyCount: 1,
    consoleToken: undefined,
    roles: new Set(['rest', 'gateway']),
    migrateOnStart: false,
    objectStore: { kind: 'folder', dir: folder },
    objectStoreWorkerEndpoint: undefined,
    objectStorePublicEndpoint: undefined,
    masterKey: { key: randomBytes(32).toString('base64') },
    bootstrapAdminKey: admin,
    fleets: [testFleet()],
    leaseMs: 60_000,
    renewMs: 1_000,
    questionHoldMs: 600_000,
    directDispatch: true,
    failpoints: undefined,
    auditRetentionDays: 365,
    jobRetentionDays: 90,
    retention: { runsDays: null, eventsDays: null, artifactsDays: null },
    models: { endpoints: {}, fallback: undefined, callsPerMinute: undefined },
    screenParser: undefined,
    log: { level: 'silent', format: 'json' },
    ...overrides,
  };
  const context = await createAppContext(config, log, createMetrics({ prefix: 'pilothouse' }));
  await seedInstallation({
    stores: context.stores,
    vault: context.vault,
    adminKey: admin,
    fleets: config.fleets,
    retention: config.retention,
    log,
  });
  const app = await createApp(context);
  const lifecycle = app.nest.get<RunLifecycleServices>(RUN_LIFECYCLE, { strict: false });
  await app.nest.listen(port, '127.0.0.1');
  const url = `http://127.0.0.1:${port}`;

  const fetchPath: TestApi['fetch'] = (method, path, { key = admin, body, headers = {}, signal } = {}) =>
    fetch(url + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal && { signal }),
    });

  const call: TestApi['call'] = async <Body>(method: string, path: string, options?: TestRequestOptions) => {
    const answer = await fetchPath(method, path, options);
    const text = await answer.text();
    const { status, headers } = answer;
    const type = headers.get('content-type') ?? '';
    expectOpenApiConformance(method, path, status, type, text);
    return { status, body: (/json/.test(type) ? JSON.parse(text) : text) as Body, headers };
  };

  const project = async () => {
    const slug = `p-${randomUUID().slice(0, 8)}`;
    await context.stores.projects.ensure({ id: newId(), slug, name: slug });
    return slug;
  };

  return {
    url,
    context,
    lifecycle,
    app: app.nest,
    log,
    admin,
    project,
    fetch: fetchPath,
    async key(role, slug) {
      const { id } = await context.stores.projects.ensure({ id: newId(), slug: slug ?? (await project()), name: 'x' });
      const key = newToken('ph_');
      const facts = { id: newId(), project: id, name: `${role} of a spec`, role, prefix: key.slice(0, 9) };
      await context.stores.keys.create({ ...facts, hash: hashToken(key), expiresAt: null });
      return key;
    },
    call,
    async all<Item>(path: string, limit: number, between = async (): Promise<unknown> => undefined) {
      const items: Item[] = [];
      let next = `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;
      const first = next;
      for (;;) {
        const { body } = await call<Page<Item>>('GET', next);
        items.push(...body.items);
        if (body.nextCursor === null) return items;
        next = `${first}&cursor=${body.nextCursor}`;
        await between();
      }
    },
    async startRun(run, worker = 'spec-worker') {
      const session = randomUUID();
      const events = [createEvent('run.assigned', `Taken by ${worker}`, { worker, fleet: 'default' }, new Date())];
      const claim = { session, worker, leaseMs: 60_000, at: new Date().toISOString() };
      const started = await lifecycle.writer.write({ run, guard: { from: ['queued'] }, to: 'running', claim, events });
      if (!started) throw new Error(`Run ${run} was not queued`);
      return session;
    },
    async complete(run, output = null) {
      const events = [createEvent('run.completed', 'Completed', { output, durationMs: 1 }, new Date())];
      const completed = await lifecycle.writer.write({
        run,
        guard: { from: ['running'] },
        to: 'completed',
        output,
        events,
      });
      if (!completed) throw new Error(`Run ${run} was not running`);
    },
    async close() {
      await app.close();
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
