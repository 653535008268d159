import type { ArtifactView } from '@pilothouse/contract/run/artifact.schema';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RouteArgs } from './api-client.server.ts';
import { readArtifactText } from './artifact-text.server.ts';

let server: Server;
let listener: RequestListener;
beforeAll(async () => {
  server = createServer((request, response) => listener(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

const read = (size: number) => {
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = { request: new Request(apiUrl), context: { get: () => ({ apiUrl }) } } as unknown as RouteArgs;
  return readArtifactText(args, { url: 'https://public.test/v1/objects/log?signature=1', size } as ArtifactView);
};

test('the text of an artifact is read from the internal address of the API', async () => {
  listener = ({ url }, response) => void response.end(`${url} é`);
  await expect(read(32)).resolves.toBe('/v1/objects/log?signature=1 é');
});

test.each<[string, RequestListener, string]>([
  ['is an error', (_, response) => void response.writeHead(503).end(), 'HTTP 503'],
  ['has more bytes than the artifact', (_, response) => void response.end('x'.repeat(33)), 'more bytes'],
  [
    'breaks off',
    (_, response) => {
      response.writeHead(200, { 'content-length': '32' });
      response.write('half', () => response.destroy());
    },
    'did not respond',
  ],
])('a response that %s is reported as unavailable', async (_title, answer, message) => {
  listener = answer;
  await expect(read(32)).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining(message) });
});
