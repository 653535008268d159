import type { CurrentPrincipal } from '@pilothouse/contract/api/auth.routes';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type { SessionView, SetupStatus } from '@pilothouse/contract/project/user.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { hashToken } from '@pilothouse/infra-vault';
import { newId } from '../common/new-id.ts';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { openBrowserClient, type BrowserClient } from '../testing/browser-client.fixture.ts';
import { deriveSetupCode } from './setup.service.ts';

const ada = { email: 'ada@example.com', name: 'Ada', password: 'a tide waits for no one' };
const { email, password } = ada;

let api: TestApi;
let code: string;
beforeAll(async () => {
  api = await startApi();
  code = deriveSetupCode(api.context.vault, (await api.context.stores.projects.bySlug('default'))?.id ?? '');
}, 60_000);
afterAll(() => api.close());

const rows = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await api.context.pool.query<Row>(text, values)).rows;

const signedIn = async (): Promise<BrowserClient> => {
  const visitor = openBrowserClient(api);
  expect((await visitor.call('POST', '/v1/sessions/current', { body: { email, password } })).status).toBe(200);
  return visitor;
};

describe('the first user', () => {
  const setUp = (visitor: BrowserClient, fields: object = {}) =>
    visitor.call<SessionView & Problem>('POST', '/v1/setup', { body: { ...ada, code, ...fields } });

  test('is requested, and the log shows the setup code', async () => {
    expect((await openBrowserClient(api).call<SetupStatus>('GET', '/v1/setup')).body).toEqual({
      needed: true,
      oidc: null,
    });
    expect(JSON.stringify(api.log.lines)).toContain(`enter the setup code ${code}`);
    expect(code).toMatch(/^([A-Z2-9]{4}-){3}[A-Z2-9]{4}$/);
  });

  test('requires the setup code or an admin key of the first project', async () => {
    const otherKeys = [await api.key('operator', 'default'), await api.key('admin', 'another')];
    for (const wrong of ['AAAA-AAAA-AAAA-AAAA', ...otherKeys]) {
      const rejection = await setUp(openBrowserClient(api), { code: wrong });
      expect([rejection.status, rejection.body.code]).toEqual([403, 'FORBIDDEN']);
    }
    const short = await setUp(openBrowserClient(api), { password: 'elevenchars' });
    expect([short.status, short.body.errors?.[0]?.pointer]).toEqual([400, '/password']);
    expect(await rows('SELECT 1 FROM user_account')).toEqual([]);
  });

  test('is created once by concurrent requests, as a signed-in admin of every project', async () => {
    const visitors = Array.from({ length: 4 }, () => openBrowserClient(api));
    const answers = await Promise.all(
      visitors.map((visitor, n) => setUp(visitor, { email: ` ADA@Example.com `, code: n === 0 ? api.admin : code })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    const firstUser = visitors.find(({ session }) => session);
    expect(firstUser?.session?.user).toMatchObject({ email, name: 'Ada' });
    expect(firstUser?.session?.projects.map(({ slug, role }) => [slug, role])).toEqual([
      ['default', 'admin'],
      ['another', 'admin'],
    ]);
    expect((await firstUser?.call<SessionView>('GET', '/v1/sessions/current'))?.body).toEqual(firstUser?.session);
    const [row] = await rows<{ password: string }>('SELECT password FROM user_account');
    expect(row?.password).toMatch(/^\$argon2id\$/);
    expect((await openBrowserClient(api).call<SetupStatus>('GET', '/v1/setup')).body).toEqual({
      needed: false,
      oidc: null,
    });
    expect((await setUp(openBrowserClient(api))).status).toBe(409);
  });
});

describe('signing in', () => {
  test('sets an HttpOnly cookie, of which only the hash is stored', async () => {
    const visitor = openBrowserClient(api);
    const { headers, status } = await visitor.call('POST', '/v1/sessions/current', {
      body: { email: 'Ada@EXAMPLE.com', password },
    });
    expect(status).toBe(200);
    const [cookie = ''] = headers.getSetCookie();
    expect(cookie).toMatch(/^pilothouse=phs_[0-9A-Za-z]{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/);
    const token = visitor.cookie?.split('=')[1] ?? '';
    const text = JSON.stringify(await rows('SELECT * FROM user_session'));
    expect(text).toContain(hashToken(token));
    expect(text).not.toContain(token);
  });

  test('binds the cookie to the host over TLS, and reads no other cookie', async () => {
    const visitor = openBrowserClient(api, 'https://fleet.example.com');
    const { headers } = await visitor.call('POST', '/v1/sessions/current', { body: { email, password } });
    expect(headers.getSetCookie()[0]).toMatch(
      /^__Host-pilothouse=\S+; Max-Age=\d+; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    );
    expect((await visitor.call('GET', '/v1/sessions/current')).status).toBe(200);
    const planted = visitor.cookie?.replace('__Host-', '') ?? '';
    expect((await visitor.call('GET', '/v1/sessions/current', { headers: { cookie: planted } })).status).toBe(401);
  });

  test('does not reveal whether a user exists', async () => {
    const answers: Problem[] = [];
    for (const body of [
      { email, password: 'wrong' },
      { email: 'unknown@example.com', password },
    ]) {
      const {
        status,
        body: problem,
        headers,
      } = await openBrowserClient(api).call<Problem>('POST', '/v1/sessions/current', { body });
      expect([status, headers.getSetCookie()]).toEqual([401, []]);
      answers.push({ ...problem, instance: '' });
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  test('is rejected after ten attempts on an account, even with the right password; other addresses and accounts are unaffected', async () => {
    await rows('DELETE FROM sign_in_attempt');
    const headersFrom = (address: string) => ({ 'x-forwarded-for': address });
    const attempt = (passwordAttempt: string, address: string, userEmail = email) =>
      openBrowserClient(api).call<Problem>('POST', '/v1/sessions/current', {
        body: { email: userEmail, password: passwordAttempt },
        headers: headersFrom(address),
      });
    // Concurrent attempts must not pass between check and count.
    const tries = await Promise.all(Array.from({ length: 12 }, () => attempt('wrong', '203.0.113.7')));
    expect(tries.map(({ status }) => status).sort()).toEqual([...Array<number>(10).fill(401), 429, 429]);
    const lateAttempt = await attempt(password, '203.0.113.7');
    expect([lateAttempt.status, lateAttempt.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(lateAttempt.headers.get('retry-after'))).toBeGreaterThan(800);
    expect((await attempt('wrong', '203.0.113.7', 'bob@example.com')).status).toBe(401);
    expect((await attempt(password, '203.0.113.8')).status).toBe(200);
    await rows(`UPDATE sign_in_attempt SET window_started_at = window_started_at - interval '15 minutes'`);
    expect((await attempt(password, '203.0.113.7')).status).toBe(200);
    expect(await rows('SELECT 1 FROM sign_in_attempt')).toHaveLength(2);
  });

  test('counts by connection, not by forged proxy headers', async () => {
    const alone = await startApi({ proxyCount: 0, consoleToken: 'a-console-of-this-installation-only' });
    try {
      const attempt = (n: number, headers: Record<string, string> = {}) =>
        openBrowserClient(alone).call<Problem>('POST', '/v1/sessions/current', {
          body: { email: 'ada@example.com', password: 'wrong' },
          headers: { 'x-forwarded-for': `203.0.113.${n}`, forwarded: `for=203.0.113.${n}`, ...headers },
        });
      for (let n = 0; n < 10; n++) expect((await attempt(n)).status).toBe(401);
      expect((await attempt(11)).status).toBe(429);
      expect((await attempt(12, { 'pilothouse-console-token': 'guessed' })).status).toBe(429);
      // The console reports the addresses of its browsers.
      const cookies = { 'pilothouse-console-token': 'a-console-of-this-installation-only' };
      expect((await attempt(13, cookies)).status).toBe(401);
    } finally {
      await alone.close();
    }
  }, 60_000);

  test('is rejected from pages of other sites', async () => {
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }]) {
      const answer = await openBrowserClient(api).call<Problem>('POST', '/v1/sessions/current', {
        body: { email, password },
        headers,
      });
      expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
    }
  });
});

describe('a session', () => {
  const body = { steps: [{ action: 'screenshot' }] };

  test('has the rights of a key of its role in the selected project', async () => {
    const ada_ = await signedIn();
    const [first] = ada_.session?.projects ?? [];
    const headers = { 'pilothouse-project': first?.id ?? '' };
    const { body: me } = await ada_.call<CurrentPrincipal>('GET', '/v1/me', { headers });
    expect(me).toMatchObject({ key: null, user: ada_.session?.user, role: 'admin', project: { slug: 'default' } });
    const run = await ada_.call<RunView>('POST', '/v1/runs', { headers, body });
    expect(run.status).toBe(202);
    expect((await ada_.call('POST', `/v1/runs/${run.body.id}/cancel`, { headers })).status).toBe(200);
    const [row] = await rows<{ by: string }>('SELECT cancelled_by AS by FROM run WHERE id = $1', [run.body.id]);
    expect(row?.by).toBe(email);
    const projectHeader = { 'pilothouse-project': ada_.session?.projects[1]?.id ?? '' };
    expect((await ada_.call('GET', `/v1/runs/${run.body.id}`, { headers: projectHeader })).status).toBe(404);
  });

  test('must select one of several projects, and only a project of its user', async () => {
    const visitor = await signedIn();
    const none = await visitor.call<Problem>('GET', '/v1/runs');
    expect([none.status, none.body.errors?.[0]?.pointer]).toEqual([400, 'headers/pilothouse-project']);
    const { id } = await api.context.stores.projects.ensure({ id: newId(), slug: 'closed', name: 'Closed' });
    for (const project of [id, newId(), 'default']) {
      const rejection = await visitor.call<Problem>('GET', '/v1/runs', { headers: { 'pilothouse-project': project } });
      expect([rejection.status, rejection.body.code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  test('has the rights of its current role, also after a change', async () => {
    const visitor = await signedIn();
    const headers = { 'pilothouse-project': visitor.session?.projects[0]?.id ?? '' };
    const role = (newRole: string) =>
      rows('UPDATE membership SET role = $1 WHERE project_id = $2', [newRole, headers['pilothouse-project']]);
    await role('viewer');
    const rejection = await visitor.call<Problem>('POST', '/v1/runs', { headers, body });
    expect([rejection.status, rejection.body.detail]).toEqual([
      403,
      'This requires the role operator; ada@example.com has the role viewer',
    ]);
    expect((await visitor.call('GET', '/v1/runs', { headers })).status).toBe(200);
    await role('admin');
    expect((await visitor.call('POST', '/v1/runs', { headers, body })).status).toBe(202);
  });

  test.each([
    ['no token', { 'pilothouse-csrf': '' }],
    ['the token of another session', { 'pilothouse-csrf': 'f'.repeat(64) }],
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of a neighbour', { 'sec-fetch-site': 'same-site' }],
  ])('can only read with %s', async (_, spoiled) => {
    const visitor = await signedIn();
    const headers = { 'pilothouse-project': visitor.session?.projects[0]?.id ?? '', ...spoiled };
    const previousRuns = await rows('SELECT id FROM run');
    const rejection = await visitor.call<Problem>('POST', '/v1/runs', { headers, body });
    expect([rejection.status, rejection.body.code]).toEqual([403, 'FORBIDDEN']);
    expect((await visitor.call('DELETE', '/v1/sessions/current', { headers })).status).toBe(403);
    expect(await rows('SELECT id FROM run')).toEqual(previousRuns);
    expect((await visitor.call('GET', '/v1/runs', { headers })).status).toBe(200);
  });

  test('with only an Origin header is checked against the requested host, with or without a TLS proxy', async () => {
    const visitor = await signedIn();
    const fetchFrom = (origin: string, host: string) =>
      api.fetch('DELETE', '/v1/sessions/current', {
        key: null,
        headers: {
          origin,
          'x-forwarded-host': host,
          cookie: visitor.cookie ?? '',
          'pilothouse-csrf': visitor.session?.csrf ?? '',
        },
      });
    for (const origin of ['https://evil.example', 'null']) {
      expect((await fetchFrom(origin, 'fleet.example.com')).status).toBe(403);
    }
    expect((await fetchFrom('https://fleet.example.com', 'fleet.example.com')).status).toBe(204);
  });

  test('ends at sign-out, which invalidates the cookie', async () => {
    const visitor = await signedIn();
    const otherVisitor = await signedIn();
    const { cookie = '' } = visitor;
    expect((await visitor.call('DELETE', '/v1/sessions/current')).status).toBe(204);
    expect(visitor.cookie).toBeUndefined();
    expect((await visitor.call('GET', '/v1/sessions/current', { headers: { cookie } })).status).toBe(401);
    expect((await otherVisitor.call('GET', '/v1/sessions/current')).status).toBe(200);
  });

  test.each([
    ['expires_at', '0 seconds'],
    ['last_seen_at', '2 days'],
  ])('expires: %s', async (column, ago) => {
    const visitor = await signedIn();
    await rows(`UPDATE user_session SET ${column} = now() - $1::interval`, [ago]);
    expect((await visitor.call('GET', '/v1/sessions/current')).status).toBe(401);
    await signedIn();
    expect(await rows('SELECT 1 FROM user_session')).toHaveLength(1);
  });

  test('records its use, but not with every request', async () => {
    await rows('DELETE FROM user_session');
    const visitor = await signedIn();
    const lastSeen = async () => {
      expect((await visitor.call('GET', '/v1/sessions/current')).status).toBe(200);
      return (
        await rows<{ at: Date; row: string }>('SELECT last_seen_at AS at, xmin::text AS row FROM user_session')
      )[0];
    };
    const first = await lastSeen();
    expect((await lastSeen())?.row).toBe(first?.row);
    await rows(`UPDATE user_session SET last_seen_at = now() - interval '61 seconds'`);
    expect((await lastSeen())?.at.getTime()).toBeGreaterThan((first?.at.getTime() ?? 0) - 1);
  });

  test('has lower precedence than a key in the same request', async () => {
    const visitor = await signedIn();
    const headers = { authorization: `Bearer ${await api.key('viewer', 'default')}` };
    expect((await visitor.call<CurrentPrincipal>('GET', '/v1/me', { headers })).body).toMatchObject({
      role: 'viewer',
      user: null,
    });
    expect((await visitor.call('GET', '/v1/me', { headers: { authorization: 'Bearer ph_wrong' } })).status).toBe(401);
  });
});
