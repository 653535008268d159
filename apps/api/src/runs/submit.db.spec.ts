import { randomUUID } from 'node:crypto';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import { submitRunSchema, type RunStepView, type RunView } from '@pilothouse/contract/run/run.schema';
import { testFleet, startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { projectHeader, signInAs } from '../testing/members.fixture.ts';
import { unsealSecrets } from '../sealing/sealed-data.ts';
import { RunSubmitter } from './submit-run.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({
    fleets: [
      testFleet(),
      testFleet({ name: 'desktops', surface: 'desktop' }),
      testFleet({ name: 'private', projects: ['other-project'] }),
    ],
  });
}, 60_000);
afterAll(() => api.close());

const navigate = { action: 'navigate', url: 'https://example.test/' };
const login = {
  name: 'log-in',
  inputs: {
    user: { type: 'string', default: 'ann' },
    password: { type: 'string', secret: true },
    visits: { type: 'integer', minimum: 1, optional: true },
  },
  steps: [
    navigate,
    { id: 'typed', action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' },
    { id: 'greeting', title: 'Read the greeting', action: 'extract', target: { css: 'h1' }, value: {} },
  ],
  output: { greeting: '{{steps.greeting.value}}' },
};

const submit = (body: unknown, headers = {}) => api.call<RunView>('POST', '/v1/runs', { body, headers });
const problemOf = (body: unknown) => api.call<Problem>('POST', '/v1/runs', { body });
const fieldsOf = ({ body }: { body: Problem }) =>
  Object.fromEntries((body.errors ?? []).map((e) => [e.pointer, e.detail]));

interface Row {
  definition: { name: string; $schema?: string; steps: unknown[] };
  inputs: Record<string, unknown>;
  secrets: Buffer | null;
  secret_names: string[];
  status: string;
  admitted_at: Date | null;
}

const rowOf = async (run: string) => {
  const { rows } = await api.context.pool.query<Row>('SELECT * FROM run WHERE id = $1', [run]);
  return rows[0] as Row;
};

test('a model of a run needs a configured endpoint', async () => {
  const { status, body } = await problemOf({ steps: [navigate], model: 'openai/gpt-5-mini' });
  expect(status).toBe(400);
  expect(fieldsOf({ body })).toEqual({ '/model': 'Endpoint openai not found. Configured: none.' });
});

test('a run names what started it, and lists filter by it', async () => {
  const slug = await api.project();
  const member = await signInAs(api, { [slug]: 'operator' });
  const key = await api.key('operator', slug);
  const body = { steps: [navigate] };
  const { id, email } = member.session?.user ?? {};
  const ofUser = await member.call<RunView>('POST', '/v1/runs', { headers: projectHeader(member, slug), body });
  expect(ofUser.body.origin).toEqual({
    kind: 'console',
    actor: { kind: 'user', id, name: email },
    idempotencyKey: null,
  });
  const headers = { 'idempotency-key': 'once' };
  const ofKey = await api.call<RunView>('POST', '/v1/runs', { key, headers, body });
  const actor = { kind: 'key', id: expect.any(String), name: 'operator of a spec' };
  expect(ofKey.body.origin).toEqual({ kind: 'api', actor, idempotencyKey: 'once' });
  await api.call('POST', `/v1/runs/${ofUser.body.id}/cancel`, { key });
  const retry = await api.call<RunView>('POST', `/v1/runs/${ofUser.body.id}/retry`, { key });
  expect(retry.body.origin).toEqual({ kind: 'retry', run: ofUser.body.id, actor, idempotencyKey: null });
  const origins = async (query: string) => {
    const { body: page } = await api.call<Page<RunView>>('GET', `/v1/runs?${query}`, { key });
    return page.items.map(({ origin }) => origin);
  };
  expect(await origins('')).toEqual([retry.body.origin, ofKey.body.origin, ofUser.body.origin]);
  expect(await origins('origin=console')).toEqual([ofUser.body.origin]);
  expect(await origins('origin=api,retry')).toEqual([retry.body.origin, ofKey.body.origin]);
});

test('a goal becomes a workflow with its page, the goal, and its answer as the output', async () => {
  const outputSchema = { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] };
  const { status, body } = await submit({ goal: 'What does it cost?', url: 'https://shop.test/rope', outputSchema });
  expect(status).toBe(202);
  expect(body).toMatchObject({ status: 'queued', workflow: { id: null, name: 'goal' }, stepCount: 2 });
  expect((await rowOf(body.id)).definition).toMatchObject({
    steps: [
      { action: 'navigate', url: 'https://shop.test/rope' },
      { id: 'goal', action: 'goal', goal: 'What does it cost?', outputSchema },
    ],
    output: '{{steps.goal.value}}',
    outputSchema,
  });
  expect((await rowOf((await submit({ goal: 'Look around' })).body.id)).definition.steps).toHaveLength(1);
});

test('a run submitted as a goal, its retry and run lists show the goal preview', async () => {
  const { body: run } = await submit({ goal: `${'g'.repeat(499)}\u{1f40b} and more`, labels: { list: 'goals' } });
  const goalPreview = `${'g'.repeat(499)}\ufffd`;
  expect(run.goal).toBe(goalPreview);
  await api.call('POST', `/v1/runs/${run.id}/cancel`);
  const { status, body: retry } = await api.call<RunView>('POST', `/v1/runs/${run.id}/retry`);
  expect([status, retry.goal]).toEqual([202, goalPreview]);
  const steps = [{ action: 'goal', goal: 'Look around' }];
  const { body: own } = await submit({ definition: { name: 'goal', steps }, labels: { list: 'goals' } });
  const { body: list } = await api.call<{ items: RunView[] }>('GET', '/v1/runs?labels=list:goals');
  expect(list.items.map(({ id, goal }) => [id, goal])).toEqual([
    [own.id, null],
    [retry.id, goalPreview],
    [run.id, goalPreview],
  ]);
});

test('a goal on a desktop opens its first application, and uses no others', async () => {
  const apps = ['libreoffice-calc', 'libreoffice-*'];
  const { status, body } = await submit({ goal: 'Add a row', surface: 'desktop', apps });
  expect([status, body.surface, body.fleet]).toEqual([202, 'desktop', 'desktops']);
  expect((await rowOf(body.id)).definition).toMatchObject({
    surface: 'desktop',
    steps: [
      { action: 'openApp', app: 'libreoffice-calc' },
      { id: 'goal', action: 'goal', goal: 'Add a row', apps },
    ],
  });
  const withoutApps = await submit({ goal: 'Add a row', surface: 'desktop' });
  expect((await rowOf(withoutApps.body.id)).definition.steps).toEqual([
    { id: 'goal', action: 'goal', goal: 'Add a row' },
  ]);
  const wildcard = await submit({ goal: 'Add a row', surface: 'desktop', apps: ['libreoffice-*'] });
  expect((await rowOf(wildcard.body.id)).definition.steps).toHaveLength(1);
});

test('places of another surface are rejected with a goal', async () => {
  expect(fieldsOf(await problemOf({ goal: 'x', apps: ['mousepad'] }))).toEqual({
    '/apps': '`apps` needs `surface: desktop`: set it, or remove `apps`',
  });
  expect(fieldsOf(await problemOf({ goal: 'x', surface: 'desktop', url: 'https://shop.test/' }))).toEqual({
    '/url': 'A desktop opens no URL: use `apps` instead of `url`',
  });
});

test('an impossible goal is rejected at its pointer', async () => {
  expect(fieldsOf(await problemOf({ goal: 'Log in with {{inputs.password}}' }))).toEqual({
    '/goal': expect.stringContaining('unknown input "password"'),
  });
  expect(fieldsOf(await problemOf({ goal: 'x', steps: [navigate] }))).toEqual({
    '': 'Give exactly one of workflow, definition, steps, goal',
  });
  expect(fieldsOf(await problemOf({ steps: [navigate], url: 'https://shop.test/' }))).toEqual({
    '/goal': '`url`, `apps` and `outputSchema` need `goal`: add it, or remove them',
  });
});

test('bare steps become a run that is durable, admitted and announced', async () => {
  const { status, body, headers } = await submit({ steps: [navigate], labels: { team: 'buying' }, priority: 5 });
  expect(status).toBe(202);
  expect(headers.get('location')).toBe(`/v1/runs/${body.id}`);
  expect(body).toMatchObject({
    status: 'queued',
    workflow: { id: null, name: 'steps', version: null },
    surface: 'browser',
    fleet: 'default',
    priority: 5,
    labels: { team: 'buying' },
    capture: { screenshots: 'only-on-failure' },
    stepCount: 1,
    epoch: 0,
  });
  const row = await rowOf(body.id);
  expect(row.status).toBe('queued');
  expect(row.admitted_at).toBeInstanceOf(Date);
  const events = await api.call<{ items: object[] }>('GET', `/v1/runs/${body.id}/events?format=json`);
  expect(events.body.items).toMatchObject([{ seq: 1, type: 'run.queued', data: { fleet: 'default', priority: 5 } }]);
});

test('the first event has the number of steps if there is no control flow', async () => {
  const stepsOf = async (...steps: object[]) => {
    const { body } = await submit({ steps });
    const events = await api.call<{ items: { data: object }[] }>('GET', `/v1/runs/${body.id}/events?format=json`);
    return events.body.items[0]?.data;
  };
  expect(await stepsOf(navigate, navigate)).toHaveProperty('steps', 2);
  expect(await stepsOf(navigate, { ...navigate, if: 'run.id == "x"' })).not.toHaveProperty('steps');
  expect(await stepsOf({ action: 'forEach', in: [1, 2], steps: [navigate] })).not.toHaveProperty('steps');
});

test('a definition is run without being stored, with defaults and without editor fields', async () => {
  const { status, body } = await submit({
    definition: { $schema: './workflow.schema.json', ...login },
    inputs: { password: 'hunter2' },
  });
  expect(status).toBe(202);
  expect(body.workflow).toEqual({ id: null, name: 'log-in', version: null });
  expect(body.inputs).toEqual({ user: 'ann', visits: null, password: '••••' });
  expect((await rowOf(body.id)).definition.$schema).toBeUndefined();
  const workflow = await api.call('GET', '/v1/workflows/log-in');
  expect(workflow.status).toBe(404);
});

test('a secret is never stored in the clear, and opens only for its own run', async () => {
  const secret = `s3cret-${randomUUID()}`;
  const { body } = await submit({ definition: login, inputs: { password: secret } });
  const row = await rowOf(body.id);
  expect(row.secret_names).toEqual(['password']);
  expect(row.inputs).toEqual({ user: 'ann', visits: null });
  expect(row.secrets?.includes(secret)).toBe(false);
  const { rows } = await api.context.pool.query<{ table_name: string }>(
    `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  for (const { table_name: table } of rows) {
    const matches = await api.context.pool.query(`SELECT 1 FROM "${table}" t WHERE t::text LIKE $1`, [`%${secret}%`]);
    expect([table, matches.rowCount]).toEqual([table, 0]);
  }
  expect(JSON.stringify(api.log.lines)).not.toContain(secret);
  expect(unsealSecrets(api.context.vault, body.id, row.secrets as Buffer)).toEqual({ password: secret });
  expect(() => unsealSecrets(api.context.vault, randomUUID(), row.secrets as Buffer)).toThrow(
    /belongs to another record/,
  );
});

test('inputs are checked before anything is queued, each with its pointer', async () => {
  const initialCount = await api.context.pool.query('SELECT count(*) FROM run');
  const answer = await problemOf({ definition: login, inputs: { visits: 0, pasword: 'x' } });
  expect(answer.status).toBe(400);
  expect(Object.keys(fieldsOf(answer)).sort()).toEqual(['/inputs/password', '/inputs/pasword', '/inputs/visits']);
  expect(answer.body.detail).not.toContain('hunter2');
  expect((await api.context.pool.query('SELECT count(*) FROM run')).rows).toEqual(initialCount.rows);
});

test('an invalid definition is rejected at its pointer', async () => {
  const definition = {
    ...login,
    steps: [{ ...login.steps[1], text: '{{inputs.pass}}' }],
    output: '{{steps.gone.value}}',
  };
  const fields = fieldsOf(await problemOf({ definition, inputs: { password: 'x' } }));
  expect(fields['/definition/steps/0/text']).toContain('unknown input "pass"');
  expect(fields['/definition/output']).toContain('unknown step "gone"');
  const bare = fieldsOf(await problemOf({ steps: [{ ...navigate, url: '{{inputs.url}}' }] }));
  expect(bare['/steps/0/url']).toContain('unknown input "url"');
});

test('requires exactly one of workflow, definition and steps', async () => {
  for (const body of [{}, { workflow: 'x', steps: [navigate] }, { steps: [navigate], version: 2 }]) {
    expect((await problemOf(body)).status).toBe(400);
  }
  const none = await problemOf({ workflow: 'not-there' });
  expect([none.status, none.body.detail]).toEqual([404, 'Workflow not-there not found.']);
});

test('the fleet must fit the surface and serve the project', async () => {
  expect(fieldsOf(await problemOf({ steps: [navigate], fleet: 'desktops' }))['/fleet']).toBe(
    'The fleet has the surface desktop, but the workflow needs browser. Fleets for browser: default',
  );
  expect(fieldsOf(await problemOf({ steps: [navigate], fleet: 'private' }))['/fleet']).toBe(
    'Fleet not found in this project. Fleets for browser: default',
  );
});

test('a surface that workers do not have is rejected', async () => {
  const body = await problemOf({ steps: [navigate], surface: 'android' });
  expect(body.status).toBe(400);
  expect(fieldsOf(body)['/surface']).toBe('Unknown surface "android": use `browser` or `desktop`');
});

test('a step that the surface does not have is rejected', async () => {
  const body = await problemOf({ definition: { name: 'd', surface: 'desktop', steps: [navigate] } });
  expect(body.status).toBe(400);
  expect(fieldsOf(body)['/definition/steps/0/action']).toBe(
    '`navigate` is not supported on the desktop surface: use another action',
  );
});

describe('with an Idempotency-Key', () => {
  const countOf = async (label: string) => {
    const matches = await api.call<{ items: RunView[] }>('GET', `/v1/runs?labels=case:${label}`);
    return matches.body.items.length;
  };

  test('the same request returns the same run, however often and in whatever key order', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await submit({ steps: [navigate], labels: { case: 'same', b: '1' } }, headers);
    const second = await submit({ labels: { b: '1', case: 'same' }, priority: 0, steps: [navigate] }, headers);
    expect([second.status, second.body.id]).toEqual([202, first.body.id]);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(second.headers.get('location')).toBe(`/v1/runs/${first.body.id}`);
    expect(await countOf('same')).toBe(1);
  });

  test('another request is rejected', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    await submit({ steps: [navigate] }, headers);
    const changedRequest = await api.call<Problem>('POST', '/v1/runs', {
      body: { steps: [navigate], priority: 1 },
      headers,
    });
    expect([changedRequest.status, changedRequest.body.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH']);
  });

  test('only one of many concurrent requests submits; the others fail or get its run', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { steps: [navigate], labels: { case: 'many' } };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => api.call<RunView>('POST', '/v1/runs', { body, headers })),
    );
    const runs = new Set(answers.filter(({ status }) => status === 202).map(({ body: run }) => run.id));
    expect(runs.size).toBe(1);
    for (const { status } of answers) expect([202, 409]).toContain(status);
    expect(await countOf('many')).toBe(1);
  });

  test('while the first request is active, the second one must retry later', async () => {
    const key = randomUUID();
    const { rows } = await api.context.pool.query<{ id: string }>(`SELECT id FROM project WHERE slug = 'default'`);
    const hash = 'a'.repeat(64);
    const project = rows[0]?.id ?? '';
    expect(await api.context.stores.idempotency.claim(project, key, hash)).toMatchObject({ state: 'new' });
    expect(await api.context.stores.idempotency.claim(project, key, hash)).toEqual({ state: 'in-flight' });
    expect(await api.context.stores.idempotency.claim(project, key, 'b'.repeat(64))).toEqual({ state: 'mismatch' });
    // Its process stopped: after two minutes another request may take the key.
    await api.context.pool.query(
      `UPDATE idempotency_key SET created_at = now() - interval '3 minutes' WHERE key = $1`,
      [key],
    );
    expect(await api.context.stores.idempotency.claim(project, key, hash)).toMatchObject({ state: 'new' });
  });

  test('a request with the key of another origin starts its own run', async () => {
    const slug = await api.project();
    const key = await api.key('operator', slug);
    const project = await api.context.stores.projects.ensure({ id: randomUUID(), slug, name: slug });
    const request = submitRunSchema.parse({ steps: [navigate] });
    const submitter = api.app.get(RunSubmitter, { strict: false });
    const submitOfSchedule = (idempotencyKey: string) =>
      submitter.submit(
        { project, kind: 'request', request },
        { kind: 'schedule', schedule: randomUUID(), actor: null, idempotencyKey },
      );
    const submitOfClient = async (idempotencyKey: string) => {
      const headers = { 'idempotency-key': idempotencyKey };
      const { status, body } = await api.call<RunView>('POST', '/v1/runs', { key, headers, body: request });
      expect(status).toBe(202);
      return { run: body.id, isRepeated: false };
    };
    const firstRuns = [await submitOfSchedule('a'), await submitOfClient('a')];
    const secondRuns = [await submitOfClient('b'), await submitOfSchedule('b'), await submitOfClient('schedule:b')];
    expect([...firstRuns, ...secondRuns].map(({ isRepeated }) => isRepeated)).toEqual(Array(5).fill(false));
    expect(new Set([...firstRuns, ...secondRuns].map(({ run }) => run)).size).toBe(5);
    expect(await submitOfSchedule('a')).toEqual({ ...firstRuns[0], isRepeated: true });
  });

  test('a rejected request leaves the key free', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    expect((await submit({ definition: login }, headers)).status).toBe(400);
    expect((await submit({ definition: login, inputs: { password: 'x' } }, headers)).status).toBe(202);
  });

  test('the key expires after a day', async () => {
    const key = randomUUID();
    const headers = { 'idempotency-key': key };
    const expire = () =>
      api.context.pool.query(`UPDATE idempotency_key SET created_at = now() - interval '25 hours' WHERE key = $1`, [
        `request:${key}`,
      ]);
    const first = await submit({ steps: [navigate] }, headers);
    await expire();
    expect((await submit({ steps: [navigate] }, headers)).body.id).not.toBe(first.body.id);
    await expire();
    expect(await api.context.stores.idempotency.purge()).toBeGreaterThan(0);
  });
});

describe('a retry', () => {
  test('has the definition, inputs and secrets of a finished run, sealed again', async () => {
    const { body: first } = await submit({
      definition: login,
      inputs: { password: 'again', user: 'bob' },
      labels: { a: 'b' },
      budget: { steps: 7 },
    });
    const earlyRetry = await api.call<Problem>('POST', `/v1/runs/${first.id}/retry`);
    expect([earlyRetry.status, earlyRetry.body.detail]).toEqual([
      409,
      'The run is queued; only an ended run can be retried',
    ]);
    await api.startRun(first.id);
    await api.complete(first.id);

    const headers = { 'idempotency-key': randomUUID() };
    const { status, body: second } = await api.call<RunView>('POST', `/v1/runs/${first.id}/retry`, { headers });
    expect(status).toBe(202);
    expect(second).toMatchObject({
      status: 'queued',
      origin: { kind: 'retry', run: first.id, idempotencyKey: headers['idempotency-key'] },
      inputs: first.inputs,
      labels: { a: 'b' },
      budget: { steps: 7 },
      workflow: { name: 'log-in' },
    });
    const [firstRow, secondRow] = [await rowOf(first.id), await rowOf(second.id)];
    expect(secondRow.definition).toEqual(firstRow.definition);
    expect(secondRow.secrets).not.toEqual(firstRow.secrets);
    expect(unsealSecrets(api.context.vault, second.id, secondRow.secrets as Buffer)).toEqual({ password: 'again' });
    const replay = await api.call<RunView>('POST', `/v1/runs/${first.id}/retry`, { headers });
    expect(replay.body.id).toBe(second.id);
    const matches = await api.call<{ items: RunView[] }>('GET', `/v1/runs?retryOf=${first.id}`);
    expect(matches.body.items.map(({ id }) => id)).toEqual([second.id]);
  });

  test('applies the given overrides and copies the rest', async () => {
    const { body: first } = await submit({
      definition: login,
      inputs: { password: 'as before', user: 'bob' },
      labels: { a: 'b' },
      budget: { steps: 7 },
      priority: 3,
    });
    await api.startRun(first.id);
    await api.complete(first.id);
    const retry = <Body = RunView>(body: object) => api.call<Body>('POST', `/v1/runs/${first.id}/retry`, { body });
    const secretsOf = async (run: string) =>
      unsealSecrets(api.context.vault, run, (await rowOf(run)).secrets as Buffer);
    const { status, body: second } = await retry({ inputs: { user: 'carol' }, priority: 9 });
    expect(status).toBe(202);
    expect(second).toMatchObject({ origin: { run: first.id }, priority: 9, labels: { a: 'b' }, budget: { steps: 7 } });
    expect(second.inputs).toEqual({ ...first.inputs, user: 'carol' });
    expect(await secretsOf(second.id)).toEqual({ password: 'as before' });
    const { body: third } = await retry({ inputs: { password: 'another' } });
    expect(await secretsOf(third.id)).toEqual({ password: 'another' });
    const unknown = await retry<Problem>({ inputs: { unknown: 1 } });
    expect([unknown.status, unknown.body.errors?.[0]?.pointer]).toEqual([400, '/inputs/unknown']);
    const nowhere = await retry<Problem>({ fleet: 'moon' });
    expect([nowhere.status, nowhere.body.errors?.[0]?.pointer]).toEqual([400, '/fleet']);
    expect((await retry<Problem>({ steps: [] })).status).toBe(400);
  });

  test('can be submitted manually from the displayed definition', async () => {
    const { body: first } = await submit({ definition: login, inputs: { password: 'x' } });
    const definition = await api.call<typeof login>('GET', `/v1/runs/${first.id}/definition`);
    expect(definition.body).toEqual((await rowOf(first.id)).definition);
    expect((await submit({ definition: definition.body, inputs: { password: 'x' } })).status).toBe(202);
  });
});

test('all steps of a run exist from the start', async () => {
  const { body } = await submit({ definition: login, inputs: { password: 'x' } });
  const { body: steps } = await api.call<{ items: RunStepView[] }>('GET', `/v1/runs/${body.id}/steps`);
  expect(steps.items.map(({ index, id, action, status, title }) => ({ index, id, action, status, title }))).toEqual([
    { index: 0, id: null, action: 'navigate', status: 'pending', title: 'Open https://example.test/' },
    { index: 1, id: 'typed', action: 'fill', status: 'pending', title: 'Type “{{inputs.password}}” into “Password”' },
    { index: 2, id: 'greeting', action: 'extract', status: 'pending', title: 'Read the greeting' },
  ]);
});
