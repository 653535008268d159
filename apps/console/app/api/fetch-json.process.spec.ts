import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fetchJson } from './fetch-json.ts';

const servers: Server[] = [];
const closeServers = () => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
};
afterEach(closeServers);

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const options = { timeoutMs: 60_000, server: 'the API' };

test('a response of any status is returned with its content', async () => {
  const url = await serve((_, response) => response.writeHead(409).end('{"detail":"Paused"}'));
  expect(await fetchJson(url, options)).toMatchObject({ response: { status: 409 }, content: { detail: 'Paused' } });
});

test.each<[string, RequestListener]>([
  ['does not answer', () => {}],
  ['stops in the middle of the body', (_, response) => void response.write('{"a":')],
])('a server that %s is reported after the deadline', async (_, listener) => {
  const url = await serve(listener);
  const { error } = await fetchJson(url, { ...options, timeoutMs: 200 });
  expect(error).toBe('No response from the API within 0.2 s. Try again.');
});

test('a page instead of JSON, and a closed port, are reported', async () => {
  const url = await serve((_, response) => response.end('<p>Sign in</p>'));
  expect((await fetchJson(url, options)).error).toBe(
    'The response of the API is not JSON. Try again, or sign in again.',
  );
  closeServers();
  expect((await fetchJson(url, options)).error).toBe('No connection to the API. Try again.');
});
