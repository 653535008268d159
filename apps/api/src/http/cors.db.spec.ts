import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { signInAs } from '../testing/members.fixture.ts';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

const ORIGIN = 'https://app.example.com';
let api: TestApi;
beforeAll(async () => {
  api = await startApi({ corsOrigins: [ORIGIN, 'http://localhost:5173'] });
}, 60_000);
afterAll(() => api.close());

/** Names of the CORS headers of an answer. */
const corsHeaders = ({ headers }: Response) => [...headers.keys()].filter((name) => name.startsWith('access-control-'));
const preflight = (
  path: string,
  origin: string,
  method: string,
  testApi = api,
  headers = 'authorization,content-type,idempotency-key',
) =>
  fetch(testApi.url + path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': headers,
    },
  });

test('answers the preflight of an allowed origin without a key, and never allows credentials', async () => {
  const response = await preflight('/v1/runs', ORIGIN, 'POST');
  expect([response.status, await response.text()]).toEqual([204, '']);
  expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
  expect(response.headers.get('access-control-allow-methods')).toContain('POST');
  for (const name of ['authorization', 'content-type', 'idempotency-key', 'last-event-id'])
    expect(response.headers.get('access-control-allow-headers')).toContain(name);
  expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  expect(response.headers.get('vary')).toContain('Origin');
});

test.each(['https://evil.example', 'https://app.example.com.evil.example', 'http://app.example.com', 'null'])(
  'gives the origin %s no header',
  async (origin) => {
    expect(corsHeaders(await preflight('/v1/runs', origin, 'POST'))).toEqual([]);
    const response = await api.fetch('GET', '/v1/runs', { headers: { origin } });
    expect([response.status, corsHeaders(response)]).toEqual([200, []]);
  },
);

test('serves REST, errors, events and A2UI to an allowed origin with a key', async () => {
  const headers = { origin: ORIGIN };
  const body = { steps: [{ action: 'screenshot' }] };
  const run = (await (await api.fetch('POST', '/v1/runs', { headers, body })).json()) as RunView;
  await api.fetch('POST', `/v1/runs/${run.id}/cancel`, { headers });
  const streams = { ...headers, accept: 'text/event-stream' };
  const responses = [
    await api.fetch('GET', `/v1/runs/${run.id}`, { headers }),
    await api.fetch('GET', `/v1/runs/${run.id}`, { headers, key: null }),
    await api.fetch('GET', `/v1/runs/${run.id}/events`, { headers: streams }),
    await api.fetch('GET', `/v1/runs/${run.id}/a2ui`, { headers: streams }),
  ];
  expect(responses.map(({ status }) => status)).toEqual([200, 401, 200, 200]);
  for (const response of responses) {
    expect(response.headers.get('access-control-allow-origin')).toBe(ORIGIN);
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    await response.body?.cancel();
  }
});

test('lets a page submit a run as A2UI, read its address, and resume its streams after the last event', async () => {
  const headers = { origin: ORIGIN, accept: 'text/event-stream' };
  const body = { run: { steps: [{ action: 'screenshot' }] } };
  const stop = new AbortController();
  const submitted = await api.fetch('POST', '/v1/a2ui/runs', { headers, body, signal: stop.signal });
  stop.abort();
  const location = submitted.headers.get('location') ?? '';
  expect(location).toContain('/a2ui?a2ui=0.9');
  const exposed = submitted.headers.get('access-control-expose-headers')?.split(', ');
  expect(exposed).toEqual(expect.arrayContaining(['location', 'idempotency-replayed', 'www-authenticate']));
  const [run = ''] = /^\/v1\/runs\/[^/]+/.exec(location) ?? [];
  await api.fetch('POST', `${run}/cancel`, { headers });
  for (const path of [`${run}/events`, `${run}/a2ui`]) {
    const asked = await preflight(path, ORIGIN, 'GET', api, 'authorization,last-event-id');
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, ORIGIN]);
    const idsFrom = async (lastId?: string) => {
      const resumed = await api.fetch('GET', path, {
        headers: { ...headers, ...(lastId !== undefined && { 'last-event-id': lastId }) },
      });
      expect(resumed.headers.get('access-control-allow-origin')).toBe(ORIGIN);
      return [...(await resumed.text()).matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
    };
    const ids = await idsFrom();
    expect(ids.at(-1)).toBe(2);
    expect(await idsFrom('1')).toEqual([2]);
    expect(await idsFrom('2')).toEqual([]);
  }
});

test('does not let a page act with the cookie of a user, and never lets it read what the cookie opens', async () => {
  const { cookie } = await signInAs(api, { default: 'operator' });
  const headers = { origin: ORIGIN, cookie: cookie ?? '', 'sec-fetch-site': 'same-site' };
  const body = { steps: [{ action: 'screenshot' }] };
  const refused = await api.fetch('POST', '/v1/runs', { key: null, headers, body });
  expect([refused.status, ((await refused.json()) as Problem).code]).toEqual([403, 'FORBIDDEN']);
  // Without this header a browser hides the answer of a request with credentials.
  const read = await api.fetch('GET', '/v1/sessions/current', { key: null, headers });
  expect(read.headers.get('access-control-allow-credentials')).toBeNull();
});

test('is disabled by default', async () => {
  const closed = await startApi();
  try {
    expect(corsHeaders(await preflight('/v1/runs', ORIGIN, 'POST', closed))).toEqual([]);
    expect(corsHeaders(await closed.fetch('GET', '/v1/runs', { headers: { origin: ORIGIN } }))).toEqual([]);
  } finally {
    await closed.close();
  }
});
