import { startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { serveMetrics, type MetricsServer } from './metrics-server.ts';

let api: TestApi;
let server: MetricsServer;
beforeAll(async () => {
  api = await startApi({ metricsPort: 0 });
  server = await serveMetrics(api.context.metrics, 0, '127.0.0.1');
}, 60_000);
afterAll(async () => {
  await server.close();
  await api.close();
});

const request = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method });

test('metrics with a separate port are served only there', async () => {
  await api.call('GET', '/healthz', { key: null });
  const answer = await request('/metrics');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')]);
  expect(await answer.text()).toMatch(/pilothouse_http_request_seconds_count\{route="readHealth",status="2xx"\} [1-9]/);
  const { status } = await api.fetch('GET', '/metrics', { key: api.admin });
  expect(status).toBe(404);
});

test('the metrics port serves nothing else', async () => {
  for (const path of ['/', '/healthz', '/v1/runs', '/docs']) expect((await request(path)).status).toBe(404);
  expect((await request('/metrics', 'POST')).status).toBe(404);
});
