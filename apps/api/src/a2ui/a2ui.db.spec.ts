import { a2uiVersions, type A2uiVersion } from '@pilothouse/contract/a2ui/a2ui-versions';
import type { A2uiMessage } from '@pilothouse/contract/a2ui/a2ui.schema';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { createEvent } from '@pilothouse/contract/events/event-log.schema';
import { questionKey, type RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { brokenTopology, danglingBindings, renderSurface, schemaErrors } from '@pilothouse/testing/a2ui/a2ui-checks';
import { until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const body = { steps: [{ action: 'screenshot' }, { action: 'screenshot', title: 'Look again' }] };
const submit = async () => (await api.call<RunView>('POST', '/v1/runs', { body })).body.id;

interface SurfaceStream {
  messages: A2uiMessage[];
  ids: number[];
  end: boolean;
}

/** Messages of an A2UI stream so far. */
function parseStream(text: string): SurfaceStream {
  const blocks = text.split('\n\n').map((block) => block.split('\n'));
  const field = (lines: string[], name: string) =>
    lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
  return {
    messages: blocks
      .filter((lines) => field(lines, 'event').length === 0)
      .flatMap((lines) => field(lines, 'data').map((data) => JSON.parse(data) as A2uiMessage)),
    ids: blocks.flatMap((lines) => field(lines, 'id').map(Number)),
    end: blocks.some((lines) => field(lines, 'event').includes('end')),
  };
}

const watch = (run: string, query = '', headers: Record<string, string> = {}) =>
  api.fetch('GET', `/v1/runs/${run}/a2ui${query}`, { headers });

const steps = (version: A2uiVersion, messages: A2uiMessage[]) =>
  Object.values(renderSurface(version, messages).data['steps'] as Record<string, Record<string, string>>).map(
    ({ title, status }) => `${title ?? ''}: ${status ?? ''}`,
  );

const askQuestion = async (run: string, question: Partial<RunQuestion> = {}) => {
  const fullQuestion: RunQuestion = {
    step: 0,
    id: null,
    questionNumber: 1,
    reason: 'Which rope?',
    choices: [{ choice: 'continue', title: 'That one' }],
    ...question,
  };
  const timestamp = new Date('2026-11-22T12:00:00Z');
  const written = await api.lifecycle.writer.write({
    run,
    guard: { from: ['running'] },
    to: 'awaiting_user',
    question: { question: fullQuestion, seconds: 600 },
    events: [
      createEvent(
        'run.awaiting_user',
        fullQuestion.reason,
        { ...fullQuestion, key: questionKey(fullQuestion, 1), expiresAt: timestamp.toISOString() },
        timestamp,
      ),
    ],
  });
  expect(written).toBeTruthy();
};

const action = (run: string, name: string, context: Record<string, unknown>, surface = `run-${run}`) => ({
  version: 'v0.9',
  action: { name, surfaceId: surface, sourceComponentId: 'choice', timestamp: '2026-11-22T12:00:00.000Z', context },
});
const act = <Body = Problem>(run: string, message: unknown) =>
  api.call<Body>('POST', `/v1/runs/${run}/a2ui`, { body: message });

test.each(a2uiVersions)('a run is streamed as A2UI %s from its first event to its end', async (version) => {
  const run = await submit();
  const answer = await watch(run, `?a2ui=${version}`);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
  });
  await until('it is followed', () => api.lifecycle.watcher.size === 1);
  await api.startRun(run);
  await api.complete(run, { number: 7 });
  const parsedStream = parseStream(await answer.text());
  expect(schemaErrors(version, parsedStream.messages)).toEqual([]);
  const surface = renderSurface(version, parsedStream.messages);
  expect([...brokenTopology(surface), ...danglingBindings(surface)]).toEqual([]);
  expect(surface.id).toBe(`run-${run}`);
  expect(steps(version, parsedStream.messages)).toEqual([
    'Validate workflow and inputs: completed',
    'Wait for a worker: completed',
    'Start the browser: completed',
    'Take a screenshot: completed',
    'Look again: skipped',
  ]);
  expect(parsedStream).toMatchObject({ ids: [0, 1, 2, 3, 4], end: true });
  await until('the run has no reader', () => api.lifecycle.watcher.size === 0);
});

test('a broken stream resumes without repetition; after the end there are no more events', async () => {
  const run = await submit();
  await api.startRun(run);
  await api.complete(run);
  const fullQuestion = parseStream(await (await watch(run)).text());
  const rest = parseStream(await (await watch(run, '', { 'last-event-id': '2' })).text());
  expect(rest.ids).toEqual([3, 4]);
  expect(fullQuestion.messages.slice(-rest.messages.length)).toEqual(rest.messages);
  expect(rest.messages.some((message) => 'createSurface' in message)).toBe(false);
  // The stream broke before the first event: the surface exists.
  const started = parseStream(await (await watch(run, '?after=0')).text());
  expect(started.ids).toEqual([1, 2, 3, 4]);
  expect((await watch(run, '', { 'last-event-id': '4' })).status).toBe(204);
  const beyond = await api.call<Problem>('GET', `/v1/runs/${run}/a2ui?after=5`);
  expect([beyond.status, beyond.body.errors?.[0]?.pointer]).toEqual([400, 'query/after']);
});

test('a run is submitted and streamed in one request, and continues when the client leaves', async () => {
  const stop = new AbortController();
  const answer = await api.fetch('POST', '/v1/a2ui/runs', { body: { run: body }, signal: stop.signal });
  expect(answer.status).toBe(200);
  const location = answer.headers.get('location') ?? '';
  const [, run = ''] = /^\/v1\/runs\/([^/]+)\/a2ui\?a2ui=0\.9$/.exec(location) ?? [];
  await until('it is followed', () => api.lifecycle.watcher.size === 1);
  stop.abort();
  await until('the run has no reader', () => api.lifecycle.watcher.size === 0);
  expect((await api.call<RunView>('GET', `/v1/runs/${run}`)).body.status).toBe('queued');
  await api.startRun(run);
  await api.complete(run);
  expect(renderSurface('0.9', parseStream(await (await api.fetch('GET', location)).text()).messages).id).toBe(
    `run-${run}`,
  );
});

test('concurrent streams of two runs are never mixed', async () => {
  const [firstRun, secondRun] = await Promise.all([submit(), submit()]);
  const answers = await Promise.all([watch(firstRun), watch(secondRun, '?a2ui=0.8')]);
  await until('both are followed', () => api.lifecycle.watcher.size === 2);
  await Promise.all([firstRun, secondRun].map((run) => api.startRun(run)));
  await Promise.all([api.complete(firstRun, 'first'), api.complete(secondRun, 'second')]);
  const [first = '', second = ''] = await Promise.all(answers.map((answer) => answer.text()));
  expect(renderSurface('0.9', parseStream(first).messages).id).toBe(`run-${firstRun}`);
  expect(renderSurface('0.8', parseStream(second).messages).id).toBe(`run-${secondRun}`);
  expect([first.includes('second'), second.includes('first')]).toEqual([false, false]);
});

test('a client gets a version that it supports, and 406 without one', async () => {
  const submitWith = async (a2uiClientCapabilities: unknown) => {
    const stop = new AbortController();
    const answer = await api.fetch('POST', '/v1/a2ui/runs', {
      body: { run: body, a2uiClientCapabilities },
      signal: stop.signal,
    });
    stop.abort();
    return [answer.status, answer.headers.get('location')?.split('=')[1]];
  };
  const old = { supportedCatalogIds: ['https://a2ui.org/specification/v0_8/standard_catalog_definition.json'] };
  const now = { supportedCatalogIds: ['https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json'] };
  expect(await submitWith(old)).toEqual([200, '0.8']);
  expect(await submitWith({ 'v0.9': now })).toEqual([200, '0.9']);
  expect(await submitWith({ 'v0.9.1': now })).toEqual([200, '0.9.1']);
  const previousCount = (await api.call<{ items: RunView[] }>('GET', '/v1/runs')).body.items.length;
  expect(await submitWith({ 'v0.9': old })).toEqual([406, undefined]);
  const versionByName = await api.call<Problem>('GET', `/v1/runs/${await submit()}/a2ui?a2ui=1.0`);
  expect([versionByName.status, versionByName.body.code, versionByName.body.detail]).toEqual([
    406,
    'NOT_ACCEPTABLE',
    'A2UI 1.0 is not supported. Use `a2ui=0.9`, `a2ui=0.9.1` or `a2ui=0.8`.',
  ]);
  const reader = (await watch(await submit(), '?a2ui=v0.9.1')).body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('"version":"v0.9.1"');
  await reader?.cancel();
  // A rejected version submits no run.
  expect((await api.call<{ items: RunView[] }>('GET', '/v1/runs')).body.items.length).toBe(previousCount + 2);
});

test('an answer applies only to its question', async () => {
  const [run, otherRun] = await Promise.all([submit(), submit()]);
  await Promise.all([api.startRun(run), api.startRun(otherRun)]);
  await Promise.all([askQuestion(run), askQuestion(otherRun)]);
  const context = { question: '1.0.1', choice: 'continue', text: 'The grey one' };

  const wrong = await act(run, action(run, 'answer', context, `run-${otherRun}`));
  expect([wrong.status, wrong.body.errors?.[0]?.pointer]).toEqual([400, '/action/surfaceId']);
  const stale = await act(run, action(run, 'answer', { ...context, question: '1.0.0' }));
  expect([stale.status, stale.body.code]).toEqual([409, 'CONFLICT']);
  const unknown = await act(run, action(run, 'shout', context));
  expect([unknown.status, unknown.body.errors?.[0]]).toEqual([
    400,
    { pointer: '/action/name', detail: 'Use one of answer, complete, cancel' },
  ]);
  const odd = await act(run, action(run, 'answer', { ...context, choice: 'perhaps' }));
  expect([odd.status, odd.body.errors?.[0]?.pointer]).toEqual([400, '/action/context/choice']);

  const response = await act<RunView>(run, action(run, 'answer', context));
  expect([response.status, response.body.id]).toEqual([200, run]);
  expect((await api.call<RunView>('GET', `/v1/runs/${run}`)).body.question).toBeNull();
  const events = await api.context.stores.runs.events(run, 0, 100);
  expect(events.at(-1)).toMatchObject({ type: 'run.answered', data: { choice: 'continue', text: 'The grey one' } });
  expect((await api.call<RunView>('GET', `/v1/runs/${otherRun}`)).body).toMatchObject({ status: 'awaiting_user' });
  const repeated = await act(run, action(run, 'answer', context));
  expect([repeated.status, repeated.body.code]).toEqual([409, 'CONFLICT']);

  // 0.8 uses a different format.
  const { action: userAction } = action(otherRun, 'complete', { question: '1.0.1' });
  expect(await act(otherRun, { userAction })).toMatchObject({ status: 200, body: { status: 'completed' } });
});

test('a run is cancelled from its surface, and render errors are recorded', async () => {
  const run = await submit();
  const error = { code: 'VALIDATION_FAILED', path: '/x', message: 'no', surfaceId: `run-${run}` };
  expect((await act(run, { version: 'v0.9', error })).status).toBe(204);
  expect(JSON.stringify(api.log.lines)).toContain('could not render');
  expect(await act(run, action(run, 'cancel', {}))).toMatchObject({ status: 200, body: { status: 'cancelled' } });
  const both = await act(run, { ...action(run, 'cancel', {}), error });
  expect(both.status).toBe(400);
});

test('a renderer of 0.9.1 answers with its own MIME type', async () => {
  const run = await submit();
  await api.startRun(run);
  await askQuestion(run);
  const send = (message: object, type: string) =>
    fetch(`${api.url}/v1/runs/${run}/a2ui`, {
      method: 'POST',
      headers: { authorization: `Bearer ${api.admin}`, 'content-type': type },
      body: JSON.stringify(message),
    });
  const error = { code: 'VALIDATION_FAILED', path: '/x', message: 'no', surfaceId: `run-${run}` };
  // Renderers of 0.9 send the name that drafts of it used.
  for (const type of ['application/a2ui+json; charset=utf-8', 'application/json+a2ui'])
    expect((await send({ version: 'v0.9.1', error }, type)).status).toBe(204);
  expect((await send({ version: 'v0.9.1', error }, 'text/a2ui')).status).toBe(415);
  expect((await send({ version: 'v0.9.2', error }, 'application/a2ui+json')).status).toBe(400);
  const answer = { ...action(run, 'answer', { question: '1.0.1', choice: 'continue' }), version: 'v0.9.1' };
  expect((await send(answer, 'application/a2ui+json')).status).toBe(200);
  expect((await api.call<RunView>('GET', `/v1/runs/${run}`)).body.question).toBeNull();
});

test('another project can neither see nor act', async () => {
  const run = await submit();
  const viewer = await api.key('viewer');
  for (const [method, path, requestBody] of [
    ['GET', `/v1/runs/${run}/a2ui`, undefined],
    ['POST', `/v1/runs/${run}/a2ui`, action(run, 'cancel', {})],
  ] as const) {
    const key = method === 'GET' ? viewer : await api.key('operator');
    const answer = await api.call<Problem>(method, path, { key, ...(requestBody && { body: requestBody }) });
    expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
  }
  const submitted = await api.call<Problem>('POST', '/v1/a2ui/runs', { key: viewer, body: { run: body } });
  expect([submitted.status, submitted.body.code]).toEqual([403, 'FORBIDDEN']);
});
