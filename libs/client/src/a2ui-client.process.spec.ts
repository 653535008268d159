import { type IncomingMessage, type ServerResponse } from 'node:http';
import { TestServer } from '@pilothouse/testing/test-server';
import { createClient } from './api-client.ts';

let server: TestServer;
let url: string;
let answer: (request: IncomingMessage, response: ServerResponse, body: string) => void;
beforeAll(async () => {
  server = new TestServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks).toString()));
  });
  await server.start();
  url = server.origin;
});
afterAll(() => server.stop());

const RUN = '01a1fca8-0b92-7542-b7d7-a10fb8dca32d';
const LOCATION = `/v1/runs/${RUN}/a2ui?a2ui=0.9`;
const frame = (name: string, id?: number) =>
  `${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify({ [name]: {} })}\n\n`;
const end = 'event: end\ndata: {}\n\n';
const client = () => createClient({ url, key: 'ph_key' });
const body = { run: { workflow: 'order-supplies', inputs: {} } };
const namesOf = async (messages: AsyncIterable<object>) => {
  const names: string[] = [];
  for await (const message of messages) names.push(...Object.keys(message));
  return names;
};

test('submits a run, and resumes a broken stream at its location', async () => {
  const requests: string[] = [];
  const runs: string[] = [];
  const received = Promise.withResolvers<undefined>();
  answer = (request, response, text) => {
    const { 'last-event-id': lastEventId = '-', 'idempotency-key': key } = request.headers;
    requests.push(`${request.method} ${request.url} ${String(lastEventId)}`);
    if (requests.length === 1) {
      expect(JSON.parse(text)).toEqual(body);
      expect(key).toMatch(/^[0-9a-f-]{36}$/);
      response.writeHead(200, { 'content-type': 'text/event-stream', location: LOCATION });
      response.write(frame('createSurface') + frame('first', 0) + frame('second', 3) + frame('incomplete'));
      void received.promise.then(() => response.destroy());
    } else {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(frame('incomplete') + frame('third', 4) + end);
    }
  };
  const names: string[] = [];
  for await (const message of client().submitA2ui(body, { onRun: (run) => runs.push(run) })) {
    names.push(...Object.keys(message));
    if (names.length === 4) received.resolve(undefined);
  }
  expect(names).toEqual(['createSurface', 'first', 'second', 'incomplete', 'incomplete', 'third']);
  expect(requests).toEqual(['POST /v1/a2ui/runs -', `GET ${LOCATION} 3`]);
  expect(runs).toEqual([RUN]);
});

test('repeats a submission without a response with the same key', async () => {
  const keys: (string | string[] | undefined)[] = [];
  answer = (request, response) => {
    keys.push(request.headers['idempotency-key']);
    if (keys.length === 1) return void response.destroy();
    response.writeHead(200, { 'content-type': 'text/event-stream', location: LOCATION });
    response.end(frame('createSurface', 0) + end);
  };
  expect(await namesOf(client().submitA2ui(body))).toEqual(['createSurface']);
  expect(keys).toHaveLength(2);
  expect(keys[1]).toBe(keys[0]);
});

test('a rejected submission throws', async () => {
  let requests = 0;
  answer = (_request, response) => {
    requests += 1;
    const problem = { type: 'about:blank', title: 'Invalid', status: 400, code: 'VALIDATION_FAILED', retry: 'no' };
    response.writeHead(400, { 'content-type': 'application/problem+json' }).end(JSON.stringify(problem));
  };
  await expect(namesOf(client().submitA2ui(body))).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  expect(requests).toBe(1);
});

test('watches a run in a version; a signal ends the iteration without an error', async () => {
  const paths: (string | undefined)[] = [];
  answer = (request, response) => {
    paths.push(request.url);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(frame('surfaceUpdate', 0));
  };
  const stop = new AbortController();
  const names: string[] = [];
  for await (const message of client().a2ui(RUN, { version: '0.8', signal: stop.signal })) {
    names.push(...Object.keys(message));
    stop.abort();
  }
  expect(names).toEqual(['surfaceUpdate']);
  expect(paths).toEqual([`/v1/runs/${RUN}/a2ui?a2ui=0.8`]);
});

test('a run whose events are all known ends at once', async () => {
  answer = (_request, response) => void response.writeHead(204).end();
  expect(await namesOf(client().a2ui(RUN))).toEqual([]);
});
