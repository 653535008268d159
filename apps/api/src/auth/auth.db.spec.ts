import type { RouteDefinition } from '@pilothouse/contract/api/route-definition';
import { routeList } from '@pilothouse/contract/api/route-table';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { hashToken } from '@pilothouse/infra-vault';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { signInAs } from '../testing/members.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
}, 60_000);
afterAll(() => api.close());

/** Routes reported by the server: `GET /v1/runs/:run`. */
function servedRoutes(): string[] {
  const tree = api.app.getHttpAdapter().getInstance().printRoutes();
  const path: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const [, indent = '', segment = '', methods] = /^((?:[│ ] {3})*)[├└]── (\S+)(?: \(([A-Z, ]+)\))?/.exec(line) ?? [];
    if (segment === '') return [];
    path.length = indent.length / 4;
    path.push(segment);
    return methods?.split(', ').map((method) => `${method} ${path.join('')}`) ?? [];
  });
}

const asServed = ({ method, path }: RouteDefinition) =>
  `${method} ${path.replace(/\{\w+\*\}/, '*').replace(/\{(\w+)\}/g, ':$1')}`;

const RUN = '01a1fca8-0b92-7542-b7d7-a10fb8dca32d';
const filled = (path: string) => path.replace(/\{(run|key|user|invitation)\}/, RUN).replace(/\{\w+\*?\}/, 'some-name');

test('the server serves exactly the routes of the table', () => {
  expect(servedRoutes().sort()).toEqual(routeList.map(asServed).sort());
});

test('only health, metrics, signed objects, sign-in and discovery routes are public', () => {
  const open = routeList.filter(({ role }) => role === 'public').map(({ name }) => name);
  expect(open.sort()).toEqual([
    'acceptInvitation',
    'finishOidc',
    'headObject',
    'lookUpInvitation',
    'readHealth',
    'readMcpResource',
    'readMetrics',
    'readObject',
    'readReadiness',
    'readSetup',
    'resetPassword',
    'setUp',
    'signIn',
    'startOidc',
    'writeObject',
  ]);
});

test.each(routeList.filter(({ role }) => role !== 'public'))('$method $path needs a key', async ({ method, path }) => {
  for (const key of [null, 'ph_wrong', `x${api.admin}`, 'x'.repeat(5000)]) {
    const { status, body, headers } = await api.call<Problem>(method, filled(path), { key });
    expect([key?.slice(0, 20), status, body.code]).toEqual([key?.slice(0, 20), 401, 'UNAUTHENTICATED']);
    expect(headers.get('www-authenticate')).toContain('Bearer realm="pilothouse"');
  }
});

test.each(routeList.filter(({ role }) => role === 'user'))(
  '$method $path requires a user session; a key is referred to /v1/me',
  async (route) => {
    const { status, body } = await api.call<Problem>(route.method, filled(route.path));
    expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
    expect(body.detail).toContain('/v1/me');
  },
);

test.each(routeList.filter(({ role }) => role !== 'public' && role !== 'user'))(
  '$method $path allows the role $role and rejects lower ones',
  async ({ method, path, role }) => {
    const roles = ['viewer', 'operator', 'admin'] as const;
    for (const has of roles) {
      const { status } = await api.call(method, filled(path), { key: await api.key(has, 'default') });
      const may = roles.indexOf(has) >= roles.indexOf(role as 'viewer');
      expect([has, status === 403]).toEqual([has, !may]);
      expect(status).not.toBe(401);
    }
  },
);

describe('another project', () => {
  const secret = 'only-of-the-first-project';
  let stranger: string;
  let ownHeaders: Record<string, string>;

  beforeAll(async () => {
    stranger = await api.key('admin');
    const steps = [{ action: 'navigate', url: 'https://example.test' }];
    const workflow = await api.call<{ id: string }>('POST', '/v1/workflows?publish=true', {
      body: { name: secret, steps },
    });
    const run = await api.call<RunView>('POST', '/v1/runs', { body: { workflow: secret, labels: { secret } } });
    const upload = await api.call<{ id: string }>('POST', '/v1/uploads', { body: { name: secret, size: 1 } });
    const key = await api.call<{ id: string }>('POST', '/v1/api-keys', { body: { name: secret } });
    expect([workflow, run, upload, key].map(({ status }) => status)).toEqual([201, 202, 201, 201]);
    const invitation = await api.call<{ id: string }>('POST', '/v1/invitations', {
      body: { email: `${secret}@example.com`, role: 'viewer' },
    });
    const member = await signInAs(api, { default: 'operator' });
    ownHeaders = {
      run: run.body.id,
      workflow: workflow.body.id,
      key: key.body.id,
      upload: upload.body.id,
      invitation: invitation.body.id,
      user: member.session?.user.id ?? '',
    };
  });

  const bodies: Record<string, () => unknown> = {
    updateWorkflow: () => ({ name: secret, steps: [{ action: 'screenshot' }] }),
    runWorkflow: () => ({}),
    setWorkflowThumbnail: () => ({ image: 'aaaa' }),
    answerRun: () => ({ choice: 'retry' }),
    compileRun: () => ({}),
    inspectPage: () => ({ token: 1 }),
    readDropdown: () => ({ token: 1 }),
    copySelection: () => ({ token: 1 }),
    sendControlInput: () => ({ token: 1, inputs: [{ kind: 'key', key: 'Enter' }] }),
    updateMember: () => ({ role: 'admin' }),
    sendA2uiMessage: () => ({ error: {} }),
  };

  const withIds = routeList.filter(({ path }) => /\{(run|workflow|key|user|invitation)\}/.test(path));

  test.each(withIds)('$method $path finds nothing', async ({ name, method, path }) => {
    const fill = (with_: Record<string, string>) => path.replace(/\{(\w+)\}/g, (_, part: string) => with_[part] ?? '');
    const body = bodies[name]?.();
    for (const ids of [ownHeaders, { ...ownHeaders, workflow: secret }]) {
      const answer = await api.call<Problem>(method, fill(ids), { key: stranger, ...(body !== undefined && { body }) });
      expect([answer.status, answer.body.code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  const lists = routeList.filter(({ name, path }) => name.startsWith('list') && !path.includes('{'));

  test.each(lists)('$method $path shows nothing', async ({ method, path }) => {
    const answer = await api.fetch(method, path, { key: stranger });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    for (const trace of [secret, ...Object.values(ownHeaders)]) expect(text).not.toContain(trace);
  });

  test('cannot use workflows or uploads', async () => {
    const response = await api.call<Problem>('POST', '/v1/runs', { key: stranger, body: { workflow: secret } });
    expect(response.status).toBe(404);
    const definition = {
      name: 'thief',
      inputs: { file: { type: 'file' } },
      steps: [{ action: 'upload', target: { css: 'input' }, file: '{{inputs.file}}' }],
    };
    const stolen = await api.call<Problem>('POST', '/v1/runs', {
      key: stranger,
      body: { definition, inputs: { file: ownHeaders['upload'] } },
    });
    expect(stolen.body.errors?.[0]).toMatchObject({
      pointer: '/inputs/file',
      detail: expect.stringContaining('Upload not found'),
    });
  });

  test('has separate idempotency keys', async () => {
    const body = { steps: [{ action: 'screenshot' }] };
    const headers = { 'idempotency-key': 'shared' };
    const mine = await api.call<RunView>('POST', '/v1/runs', { body, headers });
    const theirs = await api.call<RunView>('POST', '/v1/runs', { key: stranger, body, headers });
    expect(theirs.body.id).not.toBe(mine.body.id);
  });
});

test('Basic credentials open only the docs, for browsers', async () => {
  const headers = { authorization: `Basic ${Buffer.from(`any-user:${api.admin}`).toString('base64')}` };
  for (const path of ['/docs', '/openapi.json', '/docs/swagger-ui.css', '/schemas/workflow.json']) {
    const answer = await api.fetch('GET', path, { key: null, headers });
    await answer.arrayBuffer();
    expect([path, answer.status]).toEqual([path, 200]);
  }
  expect((await api.call('GET', '/v1/me', { key: null, headers })).status).toBe(401);
  const response = await api.call('GET', '/docs', { key: null });
  expect(response.headers.get('www-authenticate')).toContain('Basic realm="pilothouse"');
});

test('an expired or revoked key is rejected', async () => {
  const created = await api.call<{ id: string; key: string }>('POST', '/v1/api-keys', {
    body: { name: 'short', role: 'viewer', expiresIn: 60 },
  });
  const key = created.body.key;
  expect((await api.call('GET', '/v1/me', { key })).status).toBe(200);
  await api.context.pool.query(`UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1`, [
    created.body.id,
  ]);
  expect((await api.call('GET', '/v1/me', { key })).status).toBe(401);
  await api.context.pool.query('UPDATE api_key SET expires_at = NULL WHERE id = $1', [created.body.id]);
  expect((await api.call('GET', '/v1/me', { key })).status).toBe(200);
  expect((await api.call('DELETE', `/v1/api-keys/${created.body.id}`)).status).toBe(200);
  expect((await api.call('GET', '/v1/me', { key })).status).toBe(401);
});

test('the last use is recorded, but not with every request', async () => {
  const key = await api.key('viewer', 'default');
  const lastUse = async () => {
    expect((await api.call('GET', '/v1/me', { key })).status).toBe(200);
    const { rows } = await api.context.pool.query<{ at: Date; row: string }>(
      'SELECT last_used_at AS at, xmin::text AS row FROM api_key WHERE hash = $1',
      [hashToken(key)],
    );
    return rows[0];
  };
  const first = await lastUse();
  expect(first?.at).toBeInstanceOf(Date);
  expect((await lastUse())?.row).toBe(first?.row);
  await api.context.pool.query(`UPDATE api_key SET last_used_at = now() - interval '61 seconds' WHERE hash = $1`, [
    hashToken(key),
  ]);
  expect((await lastUse())?.at.getTime()).toBeGreaterThan(Date.now() - 30_000);
});
