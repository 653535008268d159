import type { IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Transfer } from '@pilothouse/contract/run/artifact.schema';
import { TestServer } from '@pilothouse/testing/test-server';
import { uploadFile } from './signed-transfer.ts';

describe('file uploads', () => {
  let server: TestServer;
  let gatewayUrl: URL;
  let statuses: number[];
  let requests: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[];

  const transfer = (fields: Partial<Transfer>): Transfer => ({
    method: 'PUT',
    url: '/objects/1',
    headers: {},
    expiresAt: '2100-01-01T00:00:00.000Z',
    ...fields,
  });
  const file = { body: Buffer.from('pixels'), name: 'a.png' };
  const send = (how: Transfer, signal = AbortSignal.timeout(30_000)) =>
    uploadFile(how, file, { gatewayUrl, signal, random: () => 0.01 });

  beforeEach(async () => {
    statuses = [];
    requests = [];
    server = new TestServer((request, response) => {
      void text(request).then((body) => {
        requests.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
        response.writeHead(statuses.shift() ?? 204).end();
      });
    });
    await server.start();
    gatewayUrl = new URL(server.origin);
  });
  afterEach(() => server.stop());

  test('PUT sends the bytes with the signed headers, to the gateway if the URL has no host', async () => {
    await send(transfer({ headers: { 'content-type': 'image/png' } }));
    expect(requests).toMatchObject([
      {
        method: 'PUT',
        url: '/objects/1',
        body: 'pixels',
        headers: { 'content-type': 'image/png', 'content-length': '6' },
      },
    ]);
  });

  test('an upload is retried until the store is available', async () => {
    statuses = [503, 500];
    await send(transfer({}));
    expect(requests).toHaveLength(3);
  });

  test.each([409, 412])('status %i after a lost response counts as success', async (status) => {
    statuses = [503, status];
    await send(transfer({}));
    expect(requests).toHaveLength(2);
  });

  test.each([
    ['with a used link', [412], 1],
    ['that stays unavailable', [503, 503, 503], 3],
    ['that refuses', [403], 1],
  ])('an upload to a store %s fails', async (_, answers, tries) => {
    statuses = [...answers];
    await expect(send(transfer({}))).rejects.toMatchObject({ code: 'UPLOAD_FAILED' });
    expect(requests).toHaveLength(tries);
  });

  test('the signal ends the upload', async () => {
    await expect(send(transfer({}), AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
});
