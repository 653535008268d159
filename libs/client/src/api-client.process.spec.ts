import { type IncomingMessage, type ServerResponse } from 'node:http';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { TestServer } from '@pilothouse/testing/test-server';
import { createClient, unwrapData, type Client } from './api-client.ts';
import { ApiError } from './api-error.ts';

/** Each test sets the handler, to simulate broken networks and proxies. */
let server: TestServer;
let url: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
beforeAll(async () => {
  server = new TestServer((request, response) => answer(request, response));
  await server.start();
  url = server.origin;
});
afterAll(() => server.stop());

const RUN = '01a1fca8-0b92-7542-b7d7-a10fb8dca32d';
const eventAt = (seq: number, last = false): RunEvent => {
  const time = new Date();
  const draft = last
    ? createEvent('run.completed', 'Done', { output: null, durationMs: 1 }, time)
    : createEvent('run.log', `${seq}`, { facts: {} }, time);
  return { ...draft, run: RUN, epoch: 1, seq };
};
const frame = (event: RunEvent) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`;
const client = () => createClient({ url: `${url}/`, key: 'ph_key' });
const collect = async (events: AsyncIterable<RunEvent>) => {
  const sequenceNumbers: number[] = [];
  for await (const { seq } of events) sequenceNumbers.push(seq);
  return sequenceNumbers;
};

describe('events', () => {
  test('resume after a broken connection, each once', async () => {
    const lastEventIds: (string | undefined)[] = [];
    const secondRead = Promise.withResolvers<undefined>();
    answer = (request, response) => {
      const lastSeq = Number(request.headers['last-event-id']);
      lastEventIds.push(request.headers['last-event-id'] as string);
      if (lastEventIds.length === 2)
        return void response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Bad</h1>');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (lastEventIds.length === 1) {
        response.write(frame(eventAt(1)) + frame(eventAt(2)) + frame(eventAt(3)).slice(0, 20));
        // Unread data may be lost with the connection.
        void secondRead.promise.then(() => response.destroy());
      } else if (lastEventIds.length === 3) {
        // A server that repeats an event and ends without an end event.
        response.end(frame(eventAt(lastSeq)) + frame(eventAt(lastSeq + 1)));
      } else {
        response.write(frame(eventAt(lastSeq + 1)) + frame(eventAt(lastSeq + 2, true)) + 'event: end\ndata: {}\n\n');
      }
    };
    const sequenceNumbers: number[] = [];
    for await (const { seq } of client().events(RUN)) {
      sequenceNumbers.push(seq);
      if (seq === 2) secondRead.resolve(undefined);
    }
    expect(sequenceNumbers).toEqual([1, 2, 3, 4, 5]);
    expect(lastEventIds).toEqual(['0', '2', '2', '3']);
  });

  test('start after a sequence number; a finished run has none', async () => {
    answer = (request, response) => {
      expect(request.headers).toMatchObject({ authorization: 'Bearer ph_key', 'last-event-id': '7' });
      response.writeHead(204).end();
    };
    expect(await collect(client().events(RUN, { after: 7 }))).toEqual([]);
  });

  test('end with the signal, during a silent connection or a delay', async () => {
    const stop = new AbortController();
    answer = (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).write(frame(eventAt(1)));
    const sequenceNumbers: number[] = [];
    for await (const { seq } of client().events(RUN, { signal: stop.signal })) {
      sequenceNumbers.push(seq);
      setTimeout(() => stop.abort(), 20);
    }
    expect(sequenceNumbers).toEqual([1]);
    answer = (_, response) => void response.destroy();
    expect(await collect(client().events(RUN, { signal: AbortSignal.timeout(100) }))).toEqual([]);
  });

  test('close the connection when the iteration stops early', async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (_, response) => {
        response.once('close', resolve);
        response.writeHead(200, { 'content-type': 'text/event-stream' }).write(frame(eventAt(1)));
      };
    });
    for await (const { seq } of client().events(RUN)) if (seq === 1) break;
    await closed;
  });

  test('are not retried when a retry cannot succeed', async () => {
    let requestCount = 0;
    const problem = {
      type: 'x',
      title: 'Not found',
      status: 404,
      detail: 'There is no run',
      code: 'NOT_FOUND',
      retry: 'no',
    };
    answer = (_, response) => {
      requestCount += 1;
      response.writeHead(404, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
    };
    await expect(collect(client().events(RUN))).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'There is no run',
    });
    answer = (_, response) => void response.writeHead(200).end('data: {"type":"run.teleported"}\n\n');
    await expect(collect(client().events(RUN))).rejects.toMatchObject({ code: 'PROTOCOL_INVALID' });
    expect(requestCount).toBe(1);
  });
});

describe('errors', () => {
  const me = () => unwrapData(client().api.GET('/v1/me'));

  test('of the API have its problem details', async () => {
    const errors = [{ pointer: '/steps/0', detail: 'Wrong' }];
    const problem = { type: 'x', title: 'T', status: 400, detail: 'D', code: 'VALIDATION_FAILED', retry: 'no', errors };
    answer = (_, response) => void response.writeHead(400).end(JSON.stringify(problem));
    const error = await me().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toBeInstanceOf(PilothouseError);
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', message: 'D', fields: errors, problem, http: 400 });
  });

  test('of a newer API keep their message', async () => {
    const problem = { type: 'x', title: 'T', status: 409, detail: 'D', code: 'BRAND_NEW', retry: 'no' };
    answer = (_, response) => void response.writeHead(409).end(JSON.stringify(problem));
    await expect(me()).rejects.toMatchObject({ message: 'D (BRAND_NEW)', problem: { status: 409 } });
  });

  test('of a proxy report its status', async () => {
    answer = (_, response) => void response.writeHead(502).end('<html>');
    await expect(me()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/answered 502.*Check the URL/),
    });
  });

  test('of the network name the address and the reason', async () => {
    const unreachable = createClient({ url: 'http://127.0.0.1:1', key: 'ph_key' });
    const error = await unreachable.api.GET('/v1/me').catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(ApiError);
    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:1 does not answer: ./),
    });
  });

  test('of the caller are rethrown', async () => {
    answer = () => undefined;
    const signal = AbortSignal.timeout(30);
    await expect(client().api.GET('/v1/me', { signal })).rejects.toMatchObject({ name: 'TimeoutError' });
  });
});

describe('types', () => {
  test('name the path, parameters, body and response of a route', () => {
    // Not called: the type check accepts the valid requests only.
    const requests = ({ api }: Client) => [
      api.GET('/v1/runs', { params: { query: { status: ['queued'], limit: 10 } } }),
      api.GET('/v1/runs').then(({ data }) => data.items[0]?.status === 'queued'),
      api.POST('/v1/workflows', { body: 'name: yaml', bodySerializer: String }),
      // @ts-expect-error unknown path
      api.GET('/v1/run'),
      // @ts-expect-error method of another route
      api.DELETE('/v1/runs/{run}', { params: { path: { run: RUN } } }),
      // @ts-expect-error path parameter is missing
      api.GET('/v1/runs/{run}'),
      // @ts-expect-error unknown value of a query parameter
      api.GET('/v1/runs', { params: { query: { status: ['waiting'] } } }),
      // @ts-expect-error query parameter of another type
      api.GET('/v1/runs', { params: { query: { limit: '10' } } }),
      // @ts-expect-error body is missing
      api.POST('/v1/runs'),
      // @ts-expect-error unknown field of a body
      api.POST('/v1/runs', { body: { steps: [], wrong: true } }),
      // @ts-expect-error unknown field of a response
      api.GET('/v1/me').then(({ data }) => data.nickname),
    ];
    expect(requests).toBeInstanceOf(Function);
  });
});
