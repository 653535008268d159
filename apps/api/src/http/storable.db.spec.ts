import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { unsealSecrets } from '../sealing/sealed-data.ts';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const NUL = '\0';
const LONE_SURROGATE = '\ud83d';
const steps = [{ action: 'screenshot' }];
const definition = { name: 'odd', inputs: { note: { type: 'string' } }, steps };
const RUN = '01890000-0000-7000-8000-000000000000';

const problemOf = async (method: string, path: string, body?: unknown, headers = {}) => {
  const { status, body: problem } = await api.call<Problem>(method, path, {
    ...(body !== undefined && { body }),
    headers,
  });
  return { status, pointers: problem.errors?.map(({ pointer }) => pointer), detail: problem.errors?.[0]?.detail };
};

test.each<[string, string, (odd: string) => unknown, string]>([
  ['POST', '/v1/runs', (odd) => ({ steps, labels: { a: odd } }), '/labels/a'],
  ['POST', '/v1/runs', (odd) => ({ steps, labels: { [`a${odd}b`]: 'x' } }), '/labels/a\uFFFDb'],
  ['POST', '/v1/runs', (odd) => ({ definition, inputs: { note: odd } }), '/inputs/note'],
  [
    'POST',
    '/v1/runs',
    (odd) => ({ definition: { ...definition, description: odd }, inputs: { note: '' } }),
    '/definition/description',
  ],
  ['POST', '/v1/runs', (odd) => ({ goal: `Find ${odd}` }), '/goal'],
  ['POST', '/v1/runs', (odd) => ({ steps: [{ action: 'fill', target: { css: 'p' }, text: odd }] }), '/steps/0/text'],
  ['POST', '/v1/a2ui/runs', (odd) => ({ run: { steps, labels: { a: odd } } }), '/run/labels/a'],
  ['POST', `/v1/runs/${RUN}/answer`, (odd) => ({ choice: 'continue', text: odd }), '/text'],
  ['POST', `/v1/runs/${RUN}/retry`, (odd) => ({ labels: { a: odd } }), '/labels/a'],
  ['POST', '/v1/workflows', (odd) => ({ name: 'odd', description: odd, steps }), '/description'],
  ['PUT', '/v1/workflows/odd', (odd) => ({ name: 'odd', title: odd, steps }), '/title'],
  ['POST', '/v1/uploads', (odd) => ({ name: `a${odd}.txt`, contentType: 'text/plain', size: 1 }), '/name'],
  ['POST', '/v1/saved-views', (odd) => ({ name: odd, search: '?status=failed' }), '/name'],
  ['POST', '/v1/api-keys', (odd) => ({ name: odd, role: 'viewer' }), '/name'],
  ['PATCH', '/v1/projects/current', (odd) => ({ name: odd }), '/name'],
  ['POST', '/v1/sessions/current', (odd) => ({ email: `a${odd}@b.test`, password: 'x' }), '/email'],
])('%s %s: names the field whose text PostgreSQL cannot store', async (method, path, bodyOf, pointer) => {
  for (const odd of [NUL, LONE_SURROGATE]) {
    const answer = await problemOf(method, path, bodyOf(odd));
    expect({ odd, ...answer }).toMatchObject({ status: 400, pointers: [pointer] });
  }
});

test.each([
  ['/v1/runs?text=a%00b', 'query/text'],
  ['/v1/runs?labels=a:%00', 'query/labels/0'],
  ['/v1/workflows?text=%00', 'query/text'],
  ['/v1/workflows/a%00b', 'path/workflow'],
  ['/v1/fleets/a%00b', 'path/fleet'],
  ['/v1/objects/a%00b', 'path/key'],
])('GET %s: names the parameter whose text cannot be searched', async (path, pointer) => {
  expect(await problemOf('GET', path)).toMatchObject({ status: 400, pointers: [pointer] });
});

test('explains the fix', async () => {
  const { body } = await api.call<Problem>('POST', '/v1/runs', {
    body: { steps, labels: { a: NUL, b: `${LONE_SURROGATE}x` } },
  });
  expect(body).toMatchObject({ code: 'VALIDATION_FAILED', detail: expect.stringContaining('/labels/a') });
  expect(body.errors).toEqual([
    { pointer: '/labels/a', detail: 'The text contains NUL (U+0000), which cannot be stored. Remove it.' },
    { pointer: '/labels/b', detail: expect.stringContaining('half of a surrogate pair') },
  ]);
});

test('rejects a YAML workflow with the line', async () => {
  const yaml = (description: string) => `name: odd\nsteps:\n  - action: screenshot\ndescription: ${description}\n`;
  const headers = { 'content-type': 'application/yaml' };
  for (const odd of ['"a\\0b"', '"\\ud83d"', 'x # \0']) {
    const { status, body } = await api.call<Problem>('POST', '/v1/workflows', { body: yaml(odd), headers });
    expect({ odd, status, line: body.errors?.[0]?.line }).toEqual({ odd, status: 400, line: 4 });
  }
});

test('a sealed secret may contain NUL, but no lone surrogate', async () => {
  const secret = { ...definition, inputs: { pin: { type: 'string', secret: true } } };
  const body = { definition: secret, inputs: { pin: `a${NUL}b` } };
  const { status, body: run } = await api.call<RunView>('POST', '/v1/runs', { body });
  expect(status).toBe(202);
  const { rows } = await api.context.pool.query<{ secrets: Buffer }>('SELECT secrets FROM run WHERE id = $1', [run.id]);
  expect(unsealSecrets(api.context.vault, run.id, rows[0]?.secrets ?? Buffer.alloc(0))).toEqual({ pin: `a${NUL}b` });
  const problem = await problemOf('POST', '/v1/runs', { ...body, inputs: { pin: LONE_SURROGATE } });
  expect(problem).toMatchObject({ status: 400, pointers: ['/inputs/pin'] });
});

test('a sealed profile may contain any text', async () => {
  const localStorage = [{ name: `packed${NUL}`, value: LONE_SURROGATE }];
  const body = { cookies: [], origins: [{ origin: 'https://shop.test', localStorage }] };
  expect((await api.call('PUT', '/v1/profiles/packed', { body })).status).toBe(200);
});

test('a surrogate pair beyond the first 65,536 characters is stored', async () => {
  const { status, body } = await api.call<RunView>('POST', '/v1/runs', { body: { steps, labels: { mood: '😀' } } });
  expect([status, body.labels]).toEqual([202, { mood: '😀' }]);
});
