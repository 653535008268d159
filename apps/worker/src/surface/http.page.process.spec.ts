import { TestServer } from '@pilothouse/testing/test-server';
import { fetchPage } from './http.page.ts';

/**
 * Keeps every connection open, and ends it without a response to its second request. A site does so when it closes an
 * idle connection at that moment.
 */
let server: TestServer;
let requestedUrls: string[];
let connections: number;
beforeEach(async () => {
  requestedUrls = [];
  connections = 0;
  const usedSockets = new WeakSet<object>();
  server = new TestServer((request, response) => {
    if (usedSockets.has(request.socket)) return request.socket.destroy();
    usedSockets.add(request.socket);
    requestedUrls.push(`${request.method} ${request.url}`);
    request.resume().once('end', () => response.end('<title>There</title>'));
  });
  server.server.on('connection', () => (connections += 1));
  await server.start();
});
afterEach(() => server.stop());

const url = (path: string) => new URL(path, server.origin);
const { signal } = new AbortController();

test('a page is requested again after its reused connection ended, and the guard is called again', async () => {
  let guards = 0;
  const guard = () => void (guards += 1);
  await fetchPage(url('/a'), { cookie: '', signal, guard });
  expect((await fetchPage(url('/b'), { cookie: '', signal, guard })).html).toContain('There');
  expect(requestedUrls).toEqual(['GET /a', 'GET /b']);
  expect(connections).toBe(2);
  expect(guards).toBe(3);
});

test('a form never uses a reused connection: its delivery would be unknown', async () => {
  await fetchPage(url('/a'), { cookie: '', signal });
  const form = new URLSearchParams({ name: 'one' });
  await fetchPage(url('/letter'), { form, cookie: '', signal });
  expect(requestedUrls).toEqual(['GET /a', 'POST /letter']);
  expect(connections).toBe(2);
});

test('a new connection that ends without a response is an error', async () => {
  server.server.removeAllListeners('request').on('request', (request) => request.socket.destroy());
  await expect(fetchPage(url('/a'), { cookie: '', signal })).rejects.toThrow('socket hang up');
});
