import { newToken } from '@pilothouse/infra-vault';
import { WebSocket } from 'ws';
import { testFleet, startApi, type TestApi } from '../../testing/test-api.fixture.ts';

let api: TestApi;
const token = newToken('pf_');
beforeAll(async () => {
  api = await startApi({ fleets: [testFleet({ token })] });
}, 60_000);
afterAll(() => api.close());

/** Opens a worker socket. @returns the HTTP status: 101 on success */
function open(headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(`${api.url.replace('http', 'ws')}/v1/gateway`, { headers });
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      socket.terminate();
      resolve(101);
    });
    socket.once('unexpected-response', (_, { statusCode }) => {
      socket.on('error', () => undefined).terminate();
      resolve(statusCode ?? 0);
    });
    socket.once('error', reject);
  });
}

it('accepts a socket only with a fleet token, and never from a web page', async () => {
  const authorization = `Bearer ${token}`;
  expect(await open({ authorization })).toBe(101);
  expect(await open({ authorization, origin: api.url })).toBe(403);
  expect(await open({ authorization, origin: 'null' })).toBe(403);
  expect(await open({ authorization: `Bearer ${newToken('pf_')}` })).toBe(401);
  expect(await open({})).toBe(401);
});
