import type { WorkflowDetail } from '@pilothouse/contract/api/workflows.routes';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { WorkflowDefinition } from '@pilothouse/contract/workflow/workflow.schema';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const open = (url: string) => ({ action: 'navigate', url });
const call = (workflow: string, inputs?: object) => ({ action: 'call', workflow, ...(inputs && { inputs }) });
const make = (name: string, definition: object, query = '?publish=true') =>
  api.call<WorkflowDetail & Problem>('POST', `/v1/workflows${query}`, {
    body: { name, steps: [open('https://a.test')], ...definition },
  });
const change = (name: string, definition: object, query = '?publish=true') =>
  api.call<WorkflowDetail & Problem>('PUT', `/v1/workflows/${name}${query}`, { body: { name, ...definition } });
const submit = (body: object) => api.call<RunView & Problem>('POST', '/v1/runs', { body });

async function definitionOf({ id }: RunView): Promise<WorkflowDefinition> {
  const { rows } = await api.context.pool.query<{ definition: WorkflowDefinition }>(
    'SELECT definition FROM run WHERE id = $1',
    [id],
  );
  return rows[0]!.definition;
}

test('a run uses the called versions from its submission', async () => {
  await make('greet', { steps: [open('https://one.test')] });
  await make('caller', { steps: [{ action: 'group', steps: [call('greet')] }, call('greet@1')] });
  const first = await submit({ workflow: 'caller' });
  expect(first.status).toBe(202);
  await change('greet', { steps: [open('https://two.test')] });
  const second = await submit({ workflow: 'caller' });
  const [firstDefinition, secondDefinition] = [await definitionOf(first.body), await definitionOf(second.body)];
  expect(firstDefinition.steps).toMatchObject([{ steps: [{ workflow: 'greet@1' }] }, { workflow: 'greet@1' }]);
  expect(firstDefinition.workflows).toEqual({ 'greet@1': { inputs: {}, steps: [open('https://one.test')] } });
  expect(secondDefinition.steps).toMatchObject([{ steps: [{ workflow: 'greet@2' }] }, { workflow: 'greet@1' }]);
  expect(Object.keys(secondDefinition.workflows ?? {}).toSorted()).toEqual(['greet@1', 'greet@2']);
  // The stored workflow is unchanged.
  const stored = await api.call<WorkflowDetail>('GET', '/v1/workflows/caller');
  expect(stored.body.definition.workflows).toBeUndefined();
});

test('calls in branches are resolved and embedded, too', async () => {
  await make('beside', { steps: [open('https://one.test')] });
  const branches = { a: [{ action: 'group', steps: [call('beside')] }], b: [open('https://b.test')] };
  const { status, body } = await submit({ steps: [{ action: 'parallel', branches }] });
  expect(status).toBe(202);
  const { steps, workflows } = await definitionOf(body);
  expect(steps).toMatchObject([{ branches: { a: [{ steps: [{ workflow: 'beside@1' }] }] } }]);
  expect(Object.keys(workflows ?? {})).toEqual(['beside@1']);
  await change('beside', { steps: [{ action: 'goBack' }] });
  const rejection = await api.call<Problem>('POST', '/v1/runs', {
    body: { steps: [{ action: 'parallel', branches }] },
  });
  expect(rejection.body.errors).toEqual([
    {
      pointer: '/steps/0/branches/a/0/steps/0/workflow',
      detail: expect.stringMatching(/make `navigate` the first step of beside@2/),
    },
  ]);
});

test('a called workflow embeds its own calls under separate names', async () => {
  const inner = (url: string) => ({ workflows: { log: { steps: [open(url)] } }, steps: [call('log')] });
  await make('nested', inner('https://nested.test'));
  const { status, body } = await submit({
    definition: { name: 'outer', ...inner('https://outer.test'), steps: [call('log'), call('nested')] },
  });
  expect(status).toBe(202);
  const { steps, workflows } = await definitionOf(body);
  expect(steps).toMatchObject([{ workflow: 'log' }, { workflow: 'nested@1' }]);
  expect(workflows).toMatchObject({
    log: { steps: [open('https://outer.test')] },
    'nested@1': { steps: [{ workflow: 'nested@1:log' }] },
    'nested@1:log': { steps: [open('https://nested.test')] },
  });
});

test.each([
  ['a workflow that is not there', [call('missing')], '/steps/0/workflow', /Workflow missing not found/],
  ['a version that is not there', [call('wanting@7')], '/steps/0/workflow', /Version 7 of workflow/],
  [
    'an input that is missing',
    [{ action: 'group', steps: [call('wanting')] }],
    '/steps/0/steps/0/inputs',
    /wanting@\d+ requires the input "sku"/,
  ],
  [
    'an input that is not known',
    [call('wanting', { sku: 'a', color: 'red' })],
    '/steps/0/inputs/color',
    /has no input/,
  ],
])('%s is rejected when a workflow is saved, and when one is submitted', async (_, steps, pointer, detail) => {
  await make('wanting', { inputs: { sku: { type: 'string' } } });
  for (const { status, body } of [await make('refused', { steps }), await submit({ steps })]) {
    expect([status, body.errors?.[0]]).toEqual([400, { pointer, detail: expect.stringMatching(detail) }]);
  }
});

test('cycles are rejected: within a file, and across the project', async () => {
  const local = await make('local-circle', {
    workflows: { a: { steps: [call('b')] }, b: { steps: [call('a')] } },
    steps: [call('a')],
  });
  expect([local.status, local.body.errors?.map(({ pointer }) => pointer)]).toEqual([
    400,
    ['/workflows/a/steps/0/workflow', '/workflows/b/steps/0/workflow'],
  ]);
  await make('ping', {});
  await make('pong', { steps: [call('ping')] });
  const back = await change('ping', { steps: [call('pong')] });
  // Neither version is part of a cycle yet: ping 2 → pong 1 → ping 1.
  expect(back.status).toBe(200);
  const changeAgain = await change('ping', { steps: [call('pong'), open('https://a.test')] });
  expect([changeAgain.status, changeAgain.body.errors?.[0]?.detail]).toEqual([
    400,
    expect.stringContaining('recursive call'),
  ]);
  const { status } = await submit({ workflow: 'pong' });
  expect(status).toBe(400);
});

test('YAML errors have a line and a column', async () => {
  const body = [
    'name: wrong',
    'steps:',
    '  - action: forEach',
    '    in: inputs.rows',
    '    steps:',
    '      - { action: click }',
  ].join('\n');
  const answer = await api.call<Problem>('POST', '/v1/workflows', {
    body,
    headers: { 'content-type': 'application/yaml' },
  });
  expect(answer.body.errors).toMatchObject([
    { pointer: '/steps/0/steps/0/target', line: 6, column: 9 },
    { pointer: '/steps/0/in', line: 4, column: 9, detail: expect.stringContaining('unknown input "rows"') },
  ]);
});
