import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { toSse, eventSseFormat } from './events/sse-stream.ts';
import { negotiateFormat } from './events/run-events.service.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const submit = async () => {
  const body = { steps: [{ action: 'screenshot' }] };
  return (await api.call<RunView>('POST', '/v1/runs', { body })).body.id;
};

const appendEvents = async (run: string, count: number, size = 0) => {
  const draft = (n: number) => createEvent('run.log', `Line ${n} ${'x'.repeat(size)}`, { facts: { n } }, new Date());
  const events = Array.from({ length: count }, (_, n) => draft(n));
  await api.lifecycle.writer.write({ run, guard: { from: ['running'] }, events });
};

const open = (
  run: string,
  { headers = {}, query = '', signal }: { headers?: Record<string, string>; query?: string; signal?: AbortSignal } = {},
) =>
  api.fetch('GET', `/v1/runs/${run}/events${query}`, {
    headers: { accept: 'text/event-stream', ...headers },
    ...(signal && { signal }),
  });

const messages = (text: string) =>
  text
    .split('\n\n')
    .filter((block) => block.includes('data:'))
    .map((block) =>
      Object.fromEntries(
        block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
      ),
    );

test('a stream sends past and future events, numbered without gaps, and ends with the run', async () => {
  const run = await submit();
  await api.startRun(run);
  await appendEvents(run, 2);
  const answer = await open(run);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  await until('it is followed', () => api.lifecycle.watcher.size === 1);
  await appendEvents(run, 2);
  await api.complete(run);
  const text = await answer.text();
  expect(text.startsWith('retry: 3000\n\n')).toBe(true);
  const received = messages(text);
  expect(received.at(-1)).toEqual({ event: 'end', data: '{}' });
  const events = received.slice(0, -1);
  expect(events.map(({ id }) => Number(id))).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  const parsed = events.map(({ data }) => JSON.parse(data ?? '') as RunEvent);
  expect(parsed.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(parsed.map(({ type }) => type).filter((type) => type !== 'run.log')).toEqual([
    'run.queued',
    'run.assigned',
    'step.started',
    'run.completed',
  ]);
  await until('the run has no reader', () => api.lifecycle.watcher.size === 0);
});

test('a broken connection resumes, by header before query; after the end there are no more events', async () => {
  const run = await submit();
  await api.startRun(run);
  await appendEvents(run, 2);
  await api.complete(run);
  const resumed = messages(await (await open(run, { headers: { 'last-event-id': '4' }, query: '?after=1' })).text());
  expect(resumed.map(({ id, event }) => id ?? event)).toEqual(['5', '6', 'end']);
  expect(messages(await (await open(run, { query: '?after=5' })).text()).map(({ id }) => id)).toEqual(['6', undefined]);
  const over = await open(run, { headers: { 'last-event-id': '6' } });
  expect([over.status, await over.text()]).toEqual([204, '']);
  for (const options of [{ headers: { 'last-event-id': 'x' } }, { query: '?after=7' }, { query: '?after=-1' }]) {
    const wrong = await open(run, options);
    expect(wrong.status).toBe(400);
    expect(((await wrong.json()) as Problem).errors?.[0]?.pointer).toMatch(/after|last-event-id/);
  }
});

test('JSON events are paginated', async () => {
  const run = await submit();
  await api.startRun(run);
  await appendEvents(run, 2);
  const page = async (query: string, headers = {}) =>
    (
      await api.call<{ items: RunEvent[]; after: number; end: boolean }>('GET', `/v1/runs/${run}/events${query}`, {
        headers,
      })
    ).body;
  const first = await page('?limit=2', { accept: 'application/json' });
  expect([first.items.map(({ seq }) => seq), first.after, first.end]).toEqual([[1, 2], 2, false]);
  await api.complete(run);
  const rest = await page(`?format=json&after=${first.after}`);
  expect([rest.items.map(({ seq }) => seq), rest.after, rest.end]).toEqual([[3, 4, 5, 6], 6, true]);
});

test('the Accept header selects the format; others are not acceptable', async () => {
  const run = await submit();
  const answer = await api.call<Problem>('GET', `/v1/runs/${run}/events`, { headers: { accept: 'text/html' } });
  expect([answer.status, answer.body.code]).toEqual([406, 'NOT_ACCEPTABLE']);
  expect(negotiateFormat(undefined)).toBe('sse');
  expect(negotiateFormat('*/*')).toBe('sse');
  expect(negotiateFormat('application/json, text/event-stream;q=0.5')).toBe('json');
  expect(negotiateFormat('text/html, application/json;q=0.1, */*;q=0.9')).toBe('sse');
  expect(() => negotiateFormat('application/json;q=0')).toThrow(/^Accept /);
});

test('a client that disconnects frees its stream', async () => {
  const run = await submit();
  const clients = Array.from({ length: 20 }, () => new AbortController());
  await Promise.all(clients.map(({ signal }) => open(run, { signal })));
  await until('all follow', () => api.lifecycle.watcher.size === 20);
  for (const client of clients) client.abort();
  await until('the run has no reader', () => api.lifecycle.watcher.size === 0);
});

test('a slow reader misses no event', async () => {
  const run = await submit();
  await api.startRun(run);
  const answer = await open(run);
  await until('it is followed', () => api.lifecycle.watcher.size === 1);
  // Far more than the buffers of the sockets hold.
  for (let n = 0; n < 12; n += 1) await appendEvents(run, 500, 2_000);
  await api.complete(run);
  const received = messages(await answer.text());
  expect(received.map(({ id }) => Number(id)).slice(0, -1)).toEqual(Array.from({ length: 6004 }, (_, n) => n + 1));
}, 60_000);

describe('an idle stream', () => {
  async function* never(signal: AbortSignal): AsyncGenerator<RunEvent> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }

  test('sends comments, and requests nothing while the client does not read', async () => {
    const stop = new AbortController();
    const stream = toSse(never(stop.signal), 20, eventSseFormat);
    const values = [];
    for (let n = 0; n < 4; n += 1) values.push((await stream.next()).value);
    expect(values).toEqual(['retry: 3000\n\n', ': still here\n\n', ': still here\n\n', ': still here\n\n']);
    stop.abort();
    let last = await stream.next();
    while (!last.done) last = await stream.next();
  });

  test('sends ephemeral frames between events, only the latest one', async () => {
    const stop = new AbortController();
    let sendFrames: (frames: string) => void = () => undefined;
    let stopCount = 0;
    const stream = toSse(never(stop.signal), 20_000, eventSseFormat, (push) => {
      sendFrames = push;
      return () => (stopCount += 1);
    });
    await stream.next();
    const nextFrame = stream.next();
    await until('it listens', () => {
      sendFrames('a');
      return true;
    });
    expect((await nextFrame).value).toBe('a');
    for (const frames of ['ab', 'abc', 'abcd']) sendFrames(frames);
    expect((await stream.next()).value).toBe('abcd');
    stop.abort();
    expect(await stream.next()).toMatchObject({ done: true });
    expect(stopCount).toBe(1);
  });

  test('requests an event only after the previous one was read', async () => {
    let readCount = 0;
    async function* countReads(): AsyncGenerator<RunEvent> {
      for (let seq = 1; seq <= 100; seq += 1) {
        readCount = seq;
        yield { seq, type: 'run.log' } as RunEvent;
      }
    }
    const stream = toSse(countReads(), 60_000, eventSseFormat);
    await stream.next();
    await stream.next();
    await stream.next();
    expect(readCount).toBe(2);
    await stream.return(undefined);
  });
});
