import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '@pilothouse/contract/api/audit.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { ApiKeyCreated } from '@pilothouse/contract/project/api-key.schema';
import type { InvitationCreated } from '@pilothouse/contract/project/member.schema';
import type { SessionView } from '@pilothouse/contract/project/user.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { csvCell } from './audit-export.service.ts';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { projectHeader, signInAs } from '../testing/members.fixture.ts';
import { openBrowserClient } from '../testing/browser-client.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

const password = 'a tide waits for no one';
const steps = [{ action: 'screenshot' }];

/** Actions with their targets, oldest first. */
const actionsOf = (entries: readonly AuditEntry[]) => entries.map(({ action, target }) => [action, target]).reverse();

/** A separate project with its admin, as a browser and with a key. */
async function team() {
  const slug = await api.project();
  const admin = await signInAs(api, { [slug]: 'admin' });
  const key = await api.key('admin', slug);
  return {
    slug,
    admin,
    key,
    headers: projectHeader(admin, slug),
    log: async (query = '') => (await api.call<Page<AuditEntry>>('GET', `/v1/audit${query}`, { key })).body.items,
  };
}

test('records actor, action, target, time and address', async () => {
  const { admin, headers, key, log } = await team();
  const id = `spec-${randomUUID()}`;
  const requestHeaders = { ...headers, 'x-forwarded-for': '203.0.113.9', 'x-request-id': id };
  const body = { name: 'ci', role: 'operator' };
  const createdKey = await admin.call<ApiKeyCreated>('POST', '/v1/api-keys', { headers: requestHeaders, body });
  const startedAt = Date.now();
  expect((await api.call('DELETE', `/v1/api-keys/${createdKey.body.id}`, { key })).status).toBe(200);
  const [revoked, created, ...olderEntries] = await log();
  expect(olderEntries).toEqual([]);
  expect(created).toMatchObject({
    actor: { kind: 'user', id: admin.session?.user.id, name: admin.session?.user.email },
    action: 'createApiKey',
    summary: 'Create an API key',
    resource: 'api-keys',
    target: createdKey.body.id,
    details: body,
    address: '203.0.113.9',
    request: id,
  });
  expect(revoked).toMatchObject({
    actor: { kind: 'key', name: 'admin of a spec' },
    action: 'revokeApiKey',
    target: createdKey.body.id,
    details: body,
    address: '127.0.0.1',
  });
  expect(Math.abs(Date.parse(revoked?.at ?? '') - startedAt)).toBeLessThan(60_000);
});

test('records executed changes, but not reads, rejected requests or secrets', async () => {
  const { admin, headers, key, log } = await team();
  const { body: workflow } = await api.call<{ id: string }>('POST', '/v1/workflows', {
    key,
    body: { name: 'rope', inputs: { password: { type: 'string', secret: true } }, steps },
  });
  const run = await admin.call<RunView>('POST', '/v1/workflows/rope/runs', {
    headers,
    body: { version: 1, inputs: { password } },
  });
  expect(run.status).toBe(202);
  await admin.call('GET', '/v1/runs', { headers });
  expect((await admin.call('POST', '/v1/runs', { headers, body: {} })).status).toBe(400);
  expect(
    (await admin.call('POST', '/v1/runs', { headers: { ...headers, 'pilothouse-csrf': '' }, body: { steps } })).status,
  ).toBe(403);
  await admin.call('PATCH', '/v1/projects/current', { headers, body: { name: 'Ropes', maxConcurrentRuns: 3 } });
  const invited = await admin.call<InvitationCreated>('POST', '/v1/invitations', {
    headers,
    body: { email: 'g@example.com', role: 'viewer' },
  });
  const entries = await log();
  expect(actionsOf(entries)).toEqual([
    ['createWorkflow', workflow.id],
    ['runWorkflow', 'rope'],
    ['updateProject', expect.any(String)],
    ['createInvitation', invited.body.id],
  ]);
  expect(entries[1]?.details).toEqual({ name: 'Ropes', maxConcurrentRuns: 3 });
  const text = JSON.stringify(entries);
  for (const secret of [password, new URL(invited.body.url).hash.slice(1)]) expect(text).not.toContain(secret);
});

test('omits runs submitted by keys, and records other actions of keys on runs', async () => {
  const { key, log } = await team();
  const { body: run } = await api.call<RunView>('POST', '/v1/runs', { key, body: { steps } });
  await api.call('POST', `/v1/runs/${run.id}/cancel`, { key });
  expect(actionsOf(await log())).toEqual([['cancelRun', run.id]]);
});

test('shows actions outside a project from the start of the membership', async () => {
  const ours = await team();
  const { body: invited } = await ours.admin.call<InvitationCreated>('POST', '/v1/invitations', {
    headers: ours.headers,
    body: { email: 'in@example.com', role: 'viewer' },
  });
  const guest = openBrowserClient(api);
  const token = new URL(invited.url).hash.slice(1);
  await guest.call<SessionView>('POST', '/v1/invitations/accept', { body: { token, name: 'In', password } });
  const wrong = await guest.call<Problem>('POST', '/v1/sessions/current', {
    body: { email: 'in@example.com', password: 'no' },
  });
  expect(wrong.status).toBe(401);
  await guest.call('POST', '/v1/sessions/current', { body: { email: 'in@example.com', password } });
  const user = guest.session?.user.id ?? '';
  await guest.call('DELETE', '/v1/sessions/current');
  const actions = async () => actionsOf(await ours.log(`?actor=${user}`)).map(([action]) => action);
  await until('the rejection is stored', async () => (await actions()).includes('signInFailed') || undefined);
  expect(await actions()).toEqual(['acceptInvitation', 'signInFailed', 'signIn', 'signOut']);
  const theirs = await team();
  expect(await theirs.log()).toEqual([]);
  await api.call('DELETE', `/v1/members/${user}`, { key: ours.key });
  const [removed] = await ours.log();
  expect(removed).toMatchObject({ action: 'removeMember', target: user, details: { 'user.email': 'in@example.com' } });
  expect(await ours.log('?action=signIn')).toEqual([]);
});

test('records a limited number of wrong passwords, and none for unknown addresses', async () => {
  const { admin, log } = await team();
  const email = admin.session?.user.email;
  const attempt = (n: number, address = email) =>
    openBrowserClient(api).call('POST', '/v1/sessions/current', {
      body: { email: address, password: 'wrong' },
      headers: { 'x-forwarded-for': `203.0.113.${n}` },
    });
  await attempt(1, 'a-tide-waits@example.com');
  await Promise.all(Array.from({ length: 35 }, (_, n) => attempt(n)));
  // Attempts are counted before entries are written: after the last count and twenty entries, none is pending.
  await until('all were counted', async () => {
    const { rows } = await api.context.pool.query('SELECT FROM sign_in_attempt WHERE count = 35');
    return rows.length === 2 || undefined;
  });
  const failedSignIns = () => log('?action=signInFailed&limit=200');
  await until('twenty are stored', async () => (await failedSignIns()).length === 20 || undefined);
  expect((await failedSignIns())[0]).toMatchObject({
    actor: { kind: 'user', id: admin.session?.user.id, name: email },
    summary: 'Sign-in rejected: wrong password',
    resource: null,
    address: expect.stringMatching(/^203\.0\.113\./),
    target: null,
    details: {},
  });
  expect((await api.context.pool.query(`SELECT FROM audit_entry WHERE actor_name LIKE 'a-tide%'`)).rowCount).toBe(0);
});

test('is paginated, and filtered by user, action and target', async () => {
  const { key, slug, log, admin, headers } = await team();
  const runs: string[] = [];
  for (let n = 0; n < 5; n += 1) {
    const { body: run } = await admin.call<RunView>('POST', '/v1/runs', { headers, body: { steps } });
    runs.push(run.id);
    await api.call('POST', `/v1/runs/${run.id}/cancel`, { key });
  }
  const entries: AuditEntry[] = [];
  let next: string | null = '?limit=3';
  while (next !== null) {
    const { body }: { body: Page<AuditEntry> } = await api.call<Page<AuditEntry>>('GET', `/v1/audit${next}`, { key });
    entries.push(...body.items);
    next = body.nextCursor && `?limit=3&cursor=${body.nextCursor}`;
  }
  expect(actionsOf(entries)).toEqual(
    runs.flatMap((run) => [
      ['createRun', run],
      ['cancelRun', run],
    ]),
  );
  expect(actionsOf(await log(`?target=${runs[2]}`))).toEqual([
    ['createRun', runs[2]],
    ['cancelRun', runs[2]],
  ]);
  expect(actionsOf(await log(`?actor=${admin.session?.user.id}&action=createRun`))).toHaveLength(5);
  const viewer = await api.call('GET', '/v1/audit', { key: await api.key('operator', slug) });
  expect(viewer.status).toBe(403);
});

test('is filtered by name of the actor, and by time', async () => {
  const { admin, headers, log } = await team();
  for (const name of ['early', 'late'])
    await admin.call('POST', '/v1/api-keys', { headers, body: { name, role: 'viewer' } });
  const [late, early] = await log();
  const [first = '', last = ''] = [early?.at, late?.at];
  expect(first < last).toBe(true);
  const namesIn = async (query: string) => (await log(query)).map(({ details }) => details['name']);
  expect(await namesIn(`?since=${last}`)).toEqual(['late']);
  expect(await namesIn(`?until=${last}`)).toEqual(['early']);
  expect(await namesIn(`?since=${first}&until=${last}`)).toEqual(['early']);
  expect(await namesIn(`?actor=${encodeURIComponent(admin.session?.user.email ?? '')}`)).toEqual(['late', 'early']);
  expect(await namesIn('?actor=no one')).toEqual([]);
});

describe('export', () => {
  const keyNames = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', 'a "quoted", name', 'plain'];
  let ours: Awaited<ReturnType<typeof team>>;
  beforeAll(async () => {
    ours = await team();
    const { admin, headers } = ours;
    for (const name of keyNames) await admin.call('POST', '/v1/api-keys', { headers, body: { name, role: 'viewer' } });
    // More than a page.
    await api.context.pool.query(
      `INSERT INTO audit_entry (id, project_id, created_at, actor_kind, actor_id, actor_name, action, target, details, address, request_id)
       SELECT gen_random_uuid(), $1, now() - n * interval '1 minute', 'key', gen_random_uuid(), '=cmd|''/c calc''!A' || n, 'pauseFleet',
         '@t' || n, '{}', '::1', 'r'
       FROM generate_series(1, 450) AS n`,
      [admin.session?.projects[0]?.id],
    );
  });

  const exported = async (query: string, key = ours.key) => {
    const response = await api.fetch('GET', `/v1/audit/export${query}`, { key });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };

  test('contains all entries of the filter as NDJSON', async () => {
    const { status, headers, body } = await exported('?format=ndjson');
    expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
    const lines = body.trimEnd().split('\n');
    const entries = lines.map((line) => JSON.parse(line) as AuditEntry);
    expect(entries).toHaveLength(450 + keyNames.length);
    expect(entries.slice(0, 200)).toEqual(await ours.log('?limit=200'));
    expect(new Set(entries.map(({ id }) => id)).size).toBe(entries.length);
    const created = await exported('?format=ndjson&action=createApiKey');
    expect(created.body.trimEnd().split('\n')).toHaveLength(keyNames.length);
    expect((await exported('?format=ndjson&action=none')).body).toBe('');
  });

  test('contains no formula as CSV', async () => {
    const { headers, body } = await exported('?format=csv');
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const disposition = headers.get('content-disposition') ?? '';
    expect(disposition.replace(/\d{4}-\d\d-\d\d/, 'DAY')).toBe(`attachment; filename="audit-${ours.slug}-DAY.csv"`);
    const lines = body.trimEnd().split('\r\n');
    expect(lines[0]).toBe(
      'time,actorKind,actorId,actorName,action,summary,resource,target,details,before,after,address,request,id',
    );
    expect(lines).toHaveLength(1 + 450 + keyNames.length);
    expect(lines.at(-1)).toContain(",'=cmd|'/c calc'!A450,pauseFleet,");
    expect(lines.at(-1)).toContain(",'@t450,");
    for (const line of lines) expect(line).not.toMatch(/(^|,)"?\s*[=+@-]/);
  });

  test('requires an admin and valid parameters, and shows no other project', async () => {
    expect((await exported('', await api.key('operator', ours.slug))).status).toBe(403);
    expect((await exported('?format=xlsx')).status).toBe(400);
    expect((await exported('?since=yesterday')).status).toBe(400);
    expect((await exported('?format=ndjson', (await team()).key)).body).toBe('');
  });
});

test.each([
  ['=1', `'=1`],
  ['+1', `'+1`],
  ['-1', `'-1`],
  ['@a', `'@a`],
  ['  =1', `'  =1`],
  ['\t1', `"'\t1"`],
  ['\uFF1D1', `'\uFF1D1`],
  ['a,b', '"a,b"'],
  ['a;b', '"a;b"'],
  ['x;=1', `"x;'=1"`],
  ['x\t @a;-1', `"x\t '@a;'-1"`],
  ['say "a"', '"say ""a"""'],
  ['a\nb', '"a\nb"'],
  ['2026-05-01', '2026-05-01'],
  [null, ''],
  [{ a: 1 }, '"{""a"":1}"'],
])('%j is the CSV cell %s', (value, cell) => {
  expect(csvCell(value)).toBe(cell);
});

test('target=<run> returns the entry that created the run and later entries, including bulk operations', async () => {
  const { admin, headers, key, log } = await team();
  await api.call('POST', '/v1/workflows', { key, body: { name: 'moor', steps } });
  const submit = async (path: string, body = {}) =>
    (await admin.call<RunView>('POST', path, { headers, body })).body.id;
  const first = await submit('/v1/workflows/moor/runs', { version: 1 });
  await api.call('POST', `/v1/runs/${first}/cancel`, { key });
  const retried = await submit(`/v1/runs/${first}/retry`);
  await api.call('POST', '/v1/runs/batch/cancel', { key, body: { runs: [retried] } });
  expect(actionsOf(await log(`?target=${first}`))).toEqual([
    ['runWorkflow', 'moor'],
    ['cancelRun', first],
    ['retryRun', first],
  ]);
  expect(actionsOf(await log(`?target=${retried}`))).toEqual([
    ['retryRun', first],
    ['cancelRuns', null],
  ]);
  expect(actionsOf(await log('?target=moor'))).toEqual([['runWorkflow', 'moor']]);
});

test('does not undo an action whose entry cannot be written, and logs the error', async () => {
  const { admin, headers, log } = await team();
  await api.context.pool.query('ALTER TABLE audit_entry RENAME TO audit_away');
  try {
    const createdKey = await admin.call('POST', '/v1/api-keys', { headers, body: { name: 'unheard' } });
    expect(createdKey.status).toBe(201);
  } finally {
    await api.context.pool.query('ALTER TABLE audit_away RENAME TO audit_entry');
  }
  expect(await log()).toEqual([]);
  expect(JSON.stringify(api.log.lines)).toContain('not written');
});

test('records a setting before and after the change', async () => {
  const { key, slug, log } = await team();
  await api.call('PATCH', '/v1/projects/current', { key, body: { name: 'Harbour', maxConcurrentRuns: 3 } });
  await api.call('PATCH', '/v1/projects/current', { key, body: { name: 'Harbour', maxConcurrentRuns: 5 } });
  const [second, first] = await log();
  expect(first).toMatchObject({
    before: { name: slug, maxConcurrentRuns: null },
    after: { name: 'Harbour', maxConcurrentRuns: 3 },
  });
  expect(second).toMatchObject({ before: { maxConcurrentRuns: 3 }, after: { maxConcurrentRuns: 5 } });
  const member = await signInAs(api, { [slug]: 'viewer' });
  const path = `/v1/members/${member.session?.user.id}`;
  expect((await api.call('PATCH', path, { key, body: { role: 'operator' } })).status).toBe(200);
  expect((await log())[0]).toMatchObject({ before: { role: 'viewer' }, after: { role: 'operator' } });
  // An unchanged setting is recorded as such.
  await api.call('PATCH', path, { key, body: { role: 'operator' } });
  expect((await log())[0]).toMatchObject({ before: null, after: null });
});
