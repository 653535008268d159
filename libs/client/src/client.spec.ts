import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createClient } from './client.ts';
import { ApiError } from './error.ts';

const run = '01a1fca2-3f44-783a-81c2-8dcb9d30d2b4';
const event = (seq: number, type = 'log') =>
  `id: ${seq}\ndata: ${JSON.stringify({ run, seq, epoch: 1, type, v: 1, level: 'info', message: 'x', at: '2026-11-21T05:44:13.892Z', data: {} })}\n\n`;

describe('the client', () => {
  let server: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  const client = () =>
    createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, key: 'ph_key' });

  beforeAll(async () => {
    server = createServer((request, response) => answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });

  afterAll(() => new Promise((resolve) => server.closeAllConnections() ?? server.close(resolve)));

  const collect = async () => {
    const seen: number[] = [];
    for await (const { seq } of client().events(run)) seen.push(seq);
    return seen;
  };

  it('takes a cut stream up again where it was, each event once', async () => {
    const resumed: (string | undefined)[] = [];
    answer = (request, response) => {
      resumed.push(request.headers['last-event-id'] as string | undefined);
      expect(request.headers.authorization).toBe('Bearer ph_key');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': hello\n\nretry: 3000\n\n');
      if (resumed.length === 1) response.write(event(1) + event(2).slice(0, 20), () => response.destroy());
      else if (resumed.length === 2) response.write(event(1) + event(2) + event(3), () => response.destroy());
      else response.end(event(4, 'run.completed') + 'event: end\ndata: {}\n\n');
    };
    expect(await collect()).toEqual([1, 2, 3, 4]);
    expect(resumed).toEqual([undefined, '1', '3']);
  });

  it('ends at once for a run that has ended and was read', async () => {
    answer = (_, response) => response.writeHead(204).end();
    expect(await collect()).toEqual([]);
  });

  it('throws what the API refuses with, and does not try again', async () => {
    let asked = 0;
    answer = (_, response) => {
      asked += 1;
      response.writeHead(404, { 'content-type': 'application/problem+json' });
      response.end(
        JSON.stringify({
          type: 'urn:x',
          title: 'Not found',
          status: 404,
          detail: 'No such run',
          code: 'NOT_FOUND',
          retry: 'no',
        }),
      );
    };
    await expect(collect()).rejects.toThrow('No such run');
    expect(asked).toBe(1);
    const refused = client().api.GET('/v1/runs/{run}', { params: { path: { run } } });
    await expect(refused).rejects.toBeInstanceOf(ApiError);
    await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND', problem: { status: 404 } });
  });

  it('says that an API cannot be reached', async () => {
    const away = createClient({ url: 'http://127.0.0.1:9', key: 'ph_key' });
    await expect(away.api.GET('/v1/runs')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('stops following when it is told to', async () => {
    answer = (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(event(1));
    const stop = new AbortController();
    const following = (async () => {
      for await (const { seq } of client().events(run, { signal: stop.signal }))
        if (seq === 1) stop.abort(new Error('enough'));
    })();
    await expect(following).rejects.toThrow('enough');
  });
});
