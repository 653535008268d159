import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readiness } from '@pilothouse/contract/api/system.routes';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { startTcpProxy } from '@pilothouse/testing/tcp-proxy';
import { createStores } from '@pilothouse/infra-db';
import { createDatabase } from '@pilothouse/testing/test-database';
import { until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const ready = (testApi = api) => testApi.call<Readiness>('GET', '/readyz', { key: null });

test('the liveness check needs no key', async () => {
  const { status, body } = await api.call('GET', '/healthz', { key: null });
  expect([status, body]).toEqual([
    200,
    { status: 'ok', version: '0.2.0', installation: expect.stringMatching(/^[0-9a-f]{12}$/) },
  ]);
  const rejection = await api.call<Problem>('GET', '/v1/me', { key: 'ph_of_another_installation' });
  expect(rejection.status).toBe(401);
  expect(rejection.body.installation).toBe((body as { installation: string }).installation);
  expect(rejection.body.detail).toContain(rejection.body.installation);
});

test('is ready when database, Redis and object store answer', async () => {
  // On a slow machine one of them may be late once.
  const { body } = await until('it is ready', async () => {
    const answer = await ready();
    return answer.status === 200 && answer;
  });
  expect(body.status).toBe('ready');
  expect(body.checks.database.detail).toMatch(/^PostgreSQL answered in \d+ ms$/);
  const metrics = await api.call<string>('GET', '/metrics', { key: null });
  for (const dependency of ['redis', 'object_store'])
    expect(metrics.body).toContain(`pilothouse_dependency_up{dependency="${dependency}"} 1`);
});

test('is not usable on an older schema, and serves on a newer one', async () => {
  const { pool } = api.context;
  // Databases of specs are created without a history.
  await pool.query(`CREATE TABLE _prisma_migrations (migration_name text, finished_at timestamptz, rolled_back_at timestamptz);
    INSERT INTO _prisma_migrations VALUES ('20260101000000_port', now(), NULL), ('20260102000000_pier', NULL, NULL)`);
  for (const migration of ['20260102000000_pier', '99991231235959_future'])
    await expect(createStores(pool, migration).check()).rejects.toThrow(
      `needs the migration ${migration}: run the migrations`,
    );
  await createStores(pool, '20260101000000_port').check();
  await createStores(pool, '20000101000000_past').check();
});

test('stays ready without Redis and object store, names both, and reports them as metrics', async () => {
  const folder = join(tmpdir(), `pilothouse-gone-${randomUUID()}`);
  const isolatedApi = await startApi({
    redisUrl: 'redis://127.0.0.1:1',
    objectStore: { kind: 'folder', dir: folder },
  });
  try {
    await rm(folder, { recursive: true });
    const answered = async () => {
      const answer = await ready(isolatedApi);
      return answer.body.checks.database.ok && answer;
    };
    const { status, body } = await until('the database answers in time', answered, 20_000);
    expect([status, body.status]).toEqual([200, 'degraded']);
    expect(JSON.stringify(isolatedApi.log.lines)).toMatch(/API degraded: Redis is not responding: .*The object store/);
    const metrics = await isolatedApi.call<string>('GET', '/metrics', { key: null });
    for (const dependency of ['redis', 'object_store'])
      expect(metrics.body).toContain(`pilothouse_dependency_up{dependency="${dependency}"} 0`);
    expect(body.checks.redis).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^Redis is not responding: ./),
    });
    expect(body.checks.objects).toMatchObject({
      ok: false,
      detail: expect.stringMatching(/^The object store is not usable: ./),
    });
    // Redis is optional: runs are accepted without it.
    const run = await isolatedApi.call('POST', '/v1/runs', { body: { steps: [{ action: 'screenshot' }] } });
    expect(run.status).toBe(202);
  } finally {
    await isolatedApi.close();
  }
});

test('is not ready on a database without tables, and logs the fix', async () => {
  const emptied = await startApi();
  try {
    await until('it is ready', async () => (await ready(emptied)).status === 200);
    await emptied.context.pool.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
    const { status, body } = await until('it notices', async () => {
      const answer = await ready(emptied);
      return answer.status === 503 && answer;
    });
    expect([status, body.checks.database.ok]).toEqual([503, false]);
    expect(body.checks.database.detail).toMatch(/no tables: run the migrations/);
    expect(JSON.stringify(emptied.log.lines)).toMatch(/API not ready.*no tables: run the migrations/);
    const response = await emptied.call<Problem>('GET', '/v1/me');
    expect([response.status, response.body.code]).toEqual([503, 'UNAVAILABLE']);
    expect(response.headers.get('retry-after')).toBe('1');
  } finally {
    await emptied.close();
  }
});

test('requests fail within seconds during a database outage, and succeed after it', async () => {
  const database = await createDatabase();
  const wire = await startTcpProxy(database.url);
  const cutOff = await startApi({ databaseUrl: wire.url });
  try {
    expect((await cutOff.call('GET', '/v1/me')).status).toBe(200);
    wire.hang();
    const startedAtMs = performance.now();
    const answers = await Promise.all(Array.from({ length: 30 }, () => cutOff.call<Problem>('GET', '/v1/me')));
    // Three seconds, plus the delays of a busy machine.
    expect(performance.now() - startedAtMs).toBeLessThan(6_000);
    for (const { status, body, headers } of answers) {
      expect([status, body.code, headers.get('retry-after')]).toEqual([503, 'UNAVAILABLE', '1']);
      expect(headers.get('content-type')).toContain('application/problem+json');
    }
    wire.flow();
    await until('it is ready again', async () => (await cutOff.call('GET', '/v1/me')).status === 200);
  } finally {
    wire.flow();
    await cutOff.close();
    await wire.close();
    await database.drop();
  }
});

test('Prometheus metrics have route and status class', async () => {
  await api.call('GET', '/v1/nowhere');
  const { status, body, headers } = await api.call<string>('GET', '/metrics', { key: null });
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')]);
  expect(body).toMatch(/pilothouse_http_request_seconds_count\{route="readHealth",status="2xx"\} [1-9]/);
  expect(body).toMatch(/pilothouse_http_request_seconds_count\{route="none",status="4xx"\} [1-9]/);
});

test('the docs are served completely from here, and cannot be framed', async () => {
  const page = await api.call<string>('GET', '/docs');
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  const files = [...page.body.matchAll(/(?:href|src)="(\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(files).toEqual(
    expect.arrayContaining(['/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js', '/docs/docs.js']),
  );
  expect(page.body).not.toMatch(/https?:\/\//);
  for (const file of files) expect((await api.call('GET', file)).status).toBe(200);
  for (const file of ['package.json', 'index.html', '..%2Fpackage.json', '__proto__']) {
    expect((await api.call('GET', `/docs/${file}`)).status).toBe(404);
  }
});

test('the API descriptions match this API', async () => {
  const document = await api.call<{ openapi: string; servers: { url: string }[] }>('GET', '/openapi.json');
  expect(document.body).toMatchObject({ openapi: '3.1.0', servers: [{ url: api.url }] });
  const schema = await api.call<{ $schema: string; title: string }>('GET', '/schemas/workflow.json');
  expect(schema.headers.get('content-type')).toContain('application/schema+json');
  expect(schema.body.$schema).toContain('2020-12');
});
