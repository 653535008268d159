import type { Page } from '@pilothouse/contract/api/query-params';
import type { WorkflowDetail } from '@pilothouse/contract/api/workflows.routes';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { WorkflowVersionView, WorkflowView } from '@pilothouse/contract/workflow/workflow.schema';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
let operator: string;
beforeAll(async () => {
  api = await startApi();
  operator = await api.key('operator', 'default');
}, 60_000);
afterAll(() => api.close());

const step = (url: string) => ({ action: 'navigate', url });
const create = (name: string, fields: object = {}, query = '') =>
  api.call<WorkflowDetail>('POST', `/v1/workflows${query}`, {
    body: { name, steps: [step('https://a.test')], ...fields },
  });
const yaml = (method: string, path: string, body: string, type = 'application/yaml') =>
  api.call<WorkflowDetail & Problem>(method, path, { body, headers: { 'content-type': type } });

test('a workflow starts as a draft that runs by version, and runs by name once published', async () => {
  const { status, body, headers } = await create('drafty', { title: 'Drafty' });
  expect([status, headers.get('location')]).toEqual([201, `/v1/workflows/${body.id}`]);
  expect(body).toMatchObject({ name: 'drafty', title: 'Drafty', version: 1, published: false, publishedVersion: null });
  expect(body.definition).toEqual({
    name: 'drafty',
    title: 'Drafty',
    surface: 'browser',
    inputs: {},
    steps: [step('https://a.test')],
  });
  const earlyRun = await api.call<Problem>('POST', '/v1/workflows/drafty/runs', { body: {} });
  expect([earlyRun.status, earlyRun.body.detail]).toEqual([
    409,
    'Workflow drafty has no published version. Publish one, or name a version (newest: 1).',
  ]);
  const byNumber = await api.call<RunView>('POST', '/v1/workflows/drafty/runs', { body: { version: 1 } });
  expect(byNumber.body.workflow).toEqual({ id: body.id, name: 'drafty', version: 1 });
  const published = await api.call<WorkflowView>('POST', '/v1/workflows/drafty/publish');
  expect(published.body.publishedVersion).toBe(1);
  const byName = await api.call<RunView>('POST', '/v1/runs', { body: { workflow: 'drafty' } });
  expect([byName.status, byName.body.workflow?.version]).toEqual([202, 1]);
});

test('a name is unique', async () => {
  await create('taken');
  const duplicate = await create('taken');
  expect(duplicate.status).toBe(409);
  expect((duplicate.body as unknown as Problem).detail).toContain('PUT /v1/workflows/taken');
});

test('an update creates a version unless nothing changed; old versions stay readable', async () => {
  const { body: first } = await create('versioned', {}, '?publish=true');
  expect(first.published).toBe(true);
  const change = { name: 'versioned', description: 'Newer', steps: [step('https://b.test')] };
  const update = (body: object) => api.call<WorkflowDetail>('PUT', '/v1/workflows/versioned', { body });
  const { status, body: second } = await update(change);
  expect([status, second.version, second.latestVersion, second.publishedVersion, second.published]).toEqual([
    200,
    2,
    2,
    1,
    false,
  ]);
  expect(second.description).toBe('Newer');
  // Another key order, with explicit defaults: an equal definition.
  const same = await update({
    steps: [step('https://b.test')],
    inputs: {},
    surface: 'browser',
    description: 'Newer',
    name: 'versioned',
  });
  expect(same.body.latestVersion).toBe(2);
  expect(same.body.updatedAt).toBe(second.updatedAt);
  const old = await api.call<WorkflowDetail>('GET', `/v1/workflows/${first.id}?version=1`);
  expect(old.body).toMatchObject({ version: 1, published: true, definition: { steps: [step('https://a.test')] } });
  expect((await api.call('GET', '/v1/workflows/versioned?version=3')).status).toBe(404);
  const run = await api.call<RunView>('POST', '/v1/workflows/versioned/runs', { body: {} });
  expect(run.body.workflow?.version).toBe(1);
  const later = await api.call<WorkflowView>('POST', '/v1/workflows/versioned/publish', { body: { version: 2 } });
  expect(later.body.publishedVersion).toBe(2);
  expect((await api.call('POST', '/v1/workflows/versioned/publish', { body: { version: 9 } })).status).toBe(404);
});

test('concurrent versions are numbered without gaps', async () => {
  await create('crowded');
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      api.call<WorkflowDetail>('PUT', '/v1/workflows/crowded', {
        body: { name: 'crowded', steps: [step(`https://${n}.test`)] },
      }),
    ),
  );
  expect(answers.map(({ body }) => body.version).sort((a, b) => a - b)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
  const versions = await api.all<WorkflowVersionView>('/v1/workflows/crowded/versions', 4);
  const versionNumbers = versions.map(({ version }) => version);
  expect(versionNumbers).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

test('a name cannot change', async () => {
  await create('stays');
  const { status, body } = await api.call<Problem>('PUT', '/v1/workflows/stays', {
    body: { name: 'goes', steps: [step('x')] },
  });
  expect([status, body.errors?.[0]?.pointer]).toEqual([400, '/name']);
});

test('an archived workflow accepts no runs and no versions until it is restored', async () => {
  await create('resting', {}, '?publish=true');
  const { body } = await api.call<WorkflowView>('POST', '/v1/workflows/resting/archive');
  expect(body.archived).toBe(true);
  const change = { body: { name: 'resting', steps: [step('https://c.test')] } };
  expect((await api.call('PUT', '/v1/workflows/resting', change)).status).toBe(409);
  expect((await api.call('POST', '/v1/workflows/resting/runs', { body: {} })).status).toBe(409);
  expect((await api.call('POST', '/v1/workflows/resting/publish')).status).toBe(409);
  const names = async (query: string) =>
    (await api.call<Page<WorkflowView>>('GET', `/v1/workflows?${query}`)).body.items.map(({ name }) => name);
  expect(await names('limit=200')).not.toContain('resting');
  expect(await names('archived=true')).toEqual(['resting']);
  await api.call('POST', '/v1/workflows/resting/unarchive');
  expect((await api.call('PUT', '/v1/workflows/resting', change)).status).toBe(200);
});

test('a list is paginated by name', async () => {
  for (const name of ['list-b', 'list-a', 'list-c']) await create(name);
  const names = (await api.all<WorkflowView>('/v1/workflows', 2)).map(({ name }) => name);
  expect(names).toEqual([...names].sort());
  expect(names).toEqual(expect.arrayContaining(['list-a', 'list-b', 'list-c']));
});

test('a list is filtered by the text of name or title', async () => {
  await create('tides-oslo', { title: 'Read the 100% Tides' });
  await create('tides-bergen');
  const find = async (text: string) => {
    const query = new URLSearchParams({ text, limit: '200' });
    const { items } = (await api.call<Page<WorkflowView>>('GET', `/v1/workflows?${query}`)).body;
    return items.map(({ name }) => name);
  };
  expect(await find('tides')).toEqual(['tides-bergen', 'tides-oslo']);
  expect(await find('THE 100%')).toEqual(['tides-oslo']);
  expect(await find('tides_')).toEqual([]);
});

test('publishing requires an admin, also on creation', async () => {
  const body = { name: 'by-operator', steps: [step('https://a.test')] };
  expect((await api.call('POST', '/v1/workflows?publish=true', { key: operator, body })).status).toBe(403);
  expect((await api.call('POST', '/v1/workflows', { key: operator, body })).status).toBe(201);
  expect((await api.call('POST', '/v1/workflows/by-operator/publish', { key: operator })).status).toBe(403);
  expect((await api.call('PUT', '/v1/workflows/by-operator?publish=true', { key: operator, body })).status).toBe(403);
});

describe('in YAML', () => {
  const file = [
    '# yaml-language-server: $schema=workflow.schema.json',
    'name: from-yaml',
    'inputs:',
    '  user: {type: string}',
    'steps:',
    '  - action: navigate',
    '    url: https://a.test/{{inputs.user}}',
  ];

  test.each(['application/yaml', 'text/yaml; charset=utf-8', 'application/x-yaml'])('as %s', async (type) => {
    const name = `yaml-${type.length}`;
    const { status, body } = await yaml('POST', '/v1/workflows', file.join('\n').replace('from-yaml', name), type);
    expect([status, body.name]).toEqual([201, name]);
    expect(body.definition.steps).toEqual([step('https://a.test/{{inputs.user}}')]);
  });

  test('a version stores its text, and a different text creates a version', async () => {
    const text = file.join('\n').replace('from-yaml', 'with-text');
    const putText = (body: string) => yaml('PUT', '/v1/workflows/with-text', body);
    expect((await yaml('POST', '/v1/workflows', text)).body).toMatchObject({ version: 1, source: text });
    expect((await putText(text)).body).toMatchObject({ version: 1 });
    const commented = `${text} # as they ask`;
    expect((await putText(commented)).body).toMatchObject({ version: 2, source: commented });
    const { definition } = (await putText(text)).body;
    const asJson = await api.call<WorkflowDetail>('PUT', '/v1/workflows/with-text', { body: definition });
    expect(asJson.body).toMatchObject({ version: 3, source: text });
    const next = { ...definition, title: 'Next' };
    const response = await api.call<WorkflowDetail>('PUT', '/v1/workflows/with-text', { body: next });
    expect(response.body).toMatchObject({ version: 4, source: null });
  });

  test('errors have a line and a column', async () => {
    const wrong = [...file.slice(0, -1), '    url: https://a.test/{{inputs.usr}}', '  - action: klick'];
    const { status, body } = await yaml('POST', '/v1/workflows', wrong.join('\n'));
    expect(status).toBe(400);
    expect(body.errors?.[0]?.detail).toMatch(/\(line 8, column \d+\)/);
    expect(body.detail).toMatch(/^body:8:\d+ /);
    const template = await yaml(
      'PUT',
      '/v1/workflows/yaml-16',
      wrong.slice(0, -1).join('\n').replace('from-yaml', 'yaml-16'),
    );
    expect(template.body.errors?.[0]).toMatchObject({ pointer: '/steps/0/url' });
    expect(template.body.errors?.[0]?.detail).toMatch(/unknown input "usr".*\(line 7, column 10\)/);
    const syntax = await yaml('POST', '/v1/workflows', 'name: [');
    expect([syntax.status, syntax.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  });
});

test('an invalid JSON definition is rejected at its pointer', async () => {
  const { status, body } = await api.call<Problem>('POST', '/v1/workflows', {
    body: { name: 'broken', steps: [{ action: 'fill', target: { css: 'x' }, text: '{{steps.later.value}}' }] },
  });
  expect([status, body.errors?.[0]?.pointer]).toEqual([400, '/steps/0/text']);
});
