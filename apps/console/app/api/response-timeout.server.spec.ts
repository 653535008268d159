import { responseTimeoutMs } from './response-timeout.server.ts';

const API_URL = 'http://api.test/base';

test.each([
  ['GET', `${API_URL}/v1/runs?limit=20`, 20_000],
  ['POST', `${API_URL}/v1/runs`, 20_000],
  ['GET', `${API_URL}/v1/datasets/0198c0de-0000-7000-8000-000000000002`, 20_000],
  ['DELETE', `${API_URL}/v1/datasets/0198c0de-0000-7000-8000-000000000002`, 600_000],
  ['POST', `${API_URL}/v1/models/check`, 300_000],
  ['PUT', `${API_URL}/v1/objects/files/a/b`, 600_000],
  ['PUT', 'https://s3.test/bucket/key?signature=1', 600_000],
])('%s %s may take %i ms', (method, url, timeoutMs) => {
  expect(responseTimeoutMs({ method, url }, API_URL)).toBe(timeoutMs);
});
