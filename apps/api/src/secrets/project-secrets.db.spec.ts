import { randomBytes, randomUUID } from 'node:crypto';
import type { AuditEntry } from '@pilothouse/contract/api/audit.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { ProjectSecretView } from '@pilothouse/contract/project/project-secret.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { createVault } from '@pilothouse/infra-vault';
import { memoryLog } from '@pilothouse/testing/test-helpers';
import { ProjectSecretReader, resealProjectSecrets, sealProjectSecret } from '../sealing/project-secrets.ts';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());
afterEach(() => api.context.pool.query('DELETE FROM project_secret'));

const NAME = 'portal-password';

const put = (name: string, body: unknown, key = api.admin) =>
  api.call<ProjectSecretView & Problem>('PUT', `/v1/secrets/${name}`, { body, key });
const remove = (name: string, key = api.admin) =>
  api.call<ProjectSecretView & Problem>('DELETE', `/v1/secrets/${name}`, { key });
const list = async (key = api.admin) => (await api.call<Page<ProjectSecretView>>('GET', '/v1/secrets', { key })).body;

const login = {
  name: 'log-in',
  inputs: { password: { type: 'string', secret: true }, pin: { type: 'string', secret: true, optional: true } },
  steps: [{ action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' }],
};
/** A run or a problem. */
type SubmitAnswer = Omit<RunView, 'status'> & Pick<Problem, 'code' | 'errors'>;

const submit = (inputs: object, key = api.admin) =>
  api.call<SubmitAnswer>('POST', '/v1/runs', { body: { definition: login, inputs }, key });

/** Tables that contain a text. */
async function tablesWith(text: string): Promise<string[]> {
  const { pool } = api.context;
  const { rows } = await pool.query<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rowCount } = await pool.query(
      `SELECT FROM "${name}" t WHERE position($1 in t::text) > 0 OR position($2 in t::text) > 0`,
      [text, Buffer.from(text).toString('hex')],
    );
    if (rowCount) found.push(name);
  }
  return found;
}

test('a secret is listed with its facts and never with its value', async () => {
  const value = `hush-${randomUUID()}`;
  const { status, body } = await put(NAME, { value, description: 'Account of the robot' });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    name: NAME,
    description: 'Account of the robot',
    version: 1,
    createdBy: { kind: 'key' },
    lastUsedAt: null,
    openRuns: 0,
    workflows: [],
  });
  expect(await list()).toEqual({ items: [body], nextCursor: null });
  expect(JSON.stringify([body, await list(), api.log.lines])).not.toContain(value);
  expect(await tablesWith(value)).toEqual([]);
});

test('another value is the next version and keeps the description', async () => {
  const { body: first } = await put(NAME, { value: 'a', description: 'Account' });
  const { body: second } = await put(NAME, { value: 'b' });
  expect(second).toMatchObject({ version: 2, description: 'Account', createdAt: first.createdAt });
  expect((await put(NAME, { value: 'b', description: '' })).body.description).toBe('');
});

test.each<[string, unknown, string, RegExp]>([
  ['Portal Password', { value: 'x' }, 'path/secret', /lower-case letters, digits and hyphens/],
  [NAME, {}, '/value', /missing|string/i],
  [NAME, { value: '' }, '/value', /Give a value/],
  [NAME, { value: 'hush'.repeat(10_000) }, '/value', /at most 32768 characters/],
  [NAME, { value: 'hush\0' }, '/value', /NUL|U\+0000|store/i],
  [NAME, { value: 'x', hosts: ['a.test'] }, '/hosts', /./],
])('a save of %s with a problem names the field: case %#', async (name, body, pointer, detail) => {
  const rejection = await put(encodeURIComponent(name), body);
  expect([rejection.status, rejection.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  expect(rejection.body.errors?.[0]).toMatchObject({ pointer, detail: expect.stringMatching(detail) });
  expect(JSON.stringify(rejection.body)).not.toContain('hush');
  expect((await list()).items).toEqual([]);
});

test('admins write, operators use, viewers list', async () => {
  const [operator, viewer] = [await api.key('operator', 'default'), await api.key('viewer', 'default')];
  for (const key of [operator, viewer]) {
    expect((await put(NAME, { value: 'x' }, key)).status).toBe(403);
    expect((await remove(NAME, key)).status).toBe(403);
  }
  await put(NAME, { value: 'x' });
  expect((await list(viewer)).items).toHaveLength(1);
  expect((await submit({ password: { secret: NAME } }, operator)).status).toBe(202);
  expect((await submit({ password: { secret: NAME } }, viewer)).status).toBe(403);
});

test('another project can neither list, use nor delete it', async () => {
  await put(NAME, { value: 'x' });
  const stranger = await api.key('admin');
  expect((await list(stranger)).items).toEqual([]);
  expect((await remove(NAME, stranger)).body).toMatchObject({ code: 'NOT_FOUND' });
  const rejection = await submit({ password: { secret: NAME } }, stranger);
  expect(rejection.status).toBe(400);
  // The names of the other project are not suggested.
  expect(rejection.body.errors?.[0]?.detail).not.toMatch(/did you mean/);
  expect((await list()).items).toHaveLength(1);
});

test('the audit log has who wrote and deleted it, without the value', async () => {
  await put(NAME, { value: 'hush-value', description: 'Account' });
  await remove(NAME);
  const { body } = await api.call<Page<AuditEntry>>('GET', '/v1/audit?limit=2');
  expect(body.items).toMatchObject([
    { action: 'deleteSecret', target: NAME, details: { version: 1 } },
    { action: 'saveSecret', target: NAME, details: { description: 'Account', version: 1 } },
  ]);
  expect(JSON.stringify(body)).not.toContain('hush-value');
});

test('a run names a secret, shows the name, and a retry keeps it', async () => {
  const name = 'retried-password';
  await put(name, { value: 'x' });
  const { body: first } = await submit({ password: { secret: name }, pin: '4711-typed' });
  expect(first.inputs).toEqual({ password: { secret: name }, pin: '••••' });
  expect((await list()).items).toMatchObject([{ openRuns: 1, workflows: ['log-in'] }]);
  await api.startRun(first.id);
  await api.complete(first.id);
  const retry = (body?: object) =>
    api.call<SubmitAnswer>('POST', `/v1/runs/${first.id}/retry`, { ...(body && { body }) });
  const { body: second } = await retry();
  expect(second.inputs).toEqual(first.inputs);
  const { body: third } = await retry({ inputs: { pin: 'other' } });
  expect(third.inputs).toEqual(first.inputs);
  expect((await retry({ inputs: { password: 'own' } })).body.inputs).toMatchObject({ password: '••••' });
  await remove(name);
  const rejection = await retry();
  expect([rejection.status, rejection.body.errors?.[0]?.pointer]).toEqual([400, '/inputs/password/secret']);
  // Of the runs that name it, the first has ended.
  await put(name, { value: 'y' });
  expect((await list()).items).toMatchObject([{ openRuns: 2, workflows: ['log-in'] }]);
});

test('an unknown name is refused before anything is queued, with the nearest name', async () => {
  await put(NAME, { value: 'x' });
  const near = await submit({ password: { secret: 'portal-pasword' } });
  expect(near.status).toBe(400);
  expect(near.body.errors).toEqual([
    {
      pointer: '/inputs/password/secret',
      detail: `The project has no secret "portal-pasword": did you mean "${NAME}"?`,
    },
  ]);
  const far = await submit({ password: { secret: 'bank' } });
  expect(far.body.errors?.[0]?.detail).toContain('create it with PUT /v1/secrets/bank');
});

test('a new master key seals the stored values again', async () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  const { pool, stores } = api.context;
  await put(NAME, { value: 'x' });
  const { rows } = await pool.query<{ project: string }>('SELECT project_id AS project FROM project_secret');
  const key = { project: rows[0]?.project ?? '', name: NAME };
  const oldVault = createVault(oldKey);
  await pool.query('UPDATE project_secret SET sealed = $1, former = $2', [
    sealProjectSecret(oldVault, key, 'current'),
    [sealProjectSecret(oldVault, key, 'replaced')],
  ]);
  const vault = createVault([newKey, oldKey]);
  // A value of a lost key does not stop the others: it is read first, because its name is first.
  await put('a-lost-one', { value: 'x' });
  await pool.query(`UPDATE project_secret SET sealed = $1 WHERE name = 'a-lost-one'`, [
    sealProjectSecret(createVault(randomBytes(32)), { ...key, name: 'a-lost-one' }, 'lost'),
  ]);
  const log = memoryLog();
  expect(await resealProjectSecrets(stores.secrets, vault, log)).toBe(1);
  expect(log.lines).toMatchObject([{ facts: { secret: 'a-lost-one' } }, { facts: { secrets: 1 } }]);
  await pool.query(`DELETE FROM project_secret WHERE name = 'a-lost-one'`);
  expect(await resealProjectSecrets(stores.secrets, vault, log)).toBe(0);
  // The old key is not needed any more.
  const reader = new ProjectSecretReader(stores.secrets, createVault(newKey));
  expect(await reader.read(key, 'password')).toEqual({ value: 'current', former: ['replaced'] });
  // A value opens only for its project and name.
  await pool.query(`UPDATE project_secret SET name = 'other'`);
  await expect(reader.read({ ...key, name: 'other' }, 'password')).rejects.toThrow(/belongs to another record/);
});

test('the secrets of a project are deleted with it', async () => {
  const slug = await api.project();
  await put(NAME, { value: 'x' }, await api.key('admin', slug));
  const { pool } = api.context;
  await pool.query('DELETE FROM audit_entry WHERE project_id = (SELECT id FROM project WHERE slug = $1)', [slug]);
  await pool.query('DELETE FROM project WHERE slug = $1', [slug]);
  expect((await pool.query('SELECT FROM project_secret')).rowCount).toBe(0);
});
