import type { OidcConfig } from '@pilothouse/infra-config';
import type { AuditEntry } from '@pilothouse/contract/api/audit.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { Role } from '@pilothouse/contract/project/project-roles';
import type { SessionView, SetupStatus } from '@pilothouse/contract/project/user.schema';
import { createOidcClient, startProvider, type OidcClient, type TestProvider } from '@pilothouse/testing/oidc-provider';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { signInAs } from '../testing/members.fixture.ts';

const CONSOLE = 'https://console.test';
const CALLBACK = 'http://127.0.0.1:1/v1/sessions/current/oidc/callback';

let provider: TestProvider;
let api: TestApi;
beforeAll(async () => {
  provider = await startProvider(CALLBACK);
  api = await startApi({ consoleUrl: CONSOLE, oidc: config() });
}, 60_000);
afterAll(async () => {
  await api.close();
  await provider.close();
});

const config = (settings: Partial<OidcConfig> = {}): OidcConfig => ({
  issuer: provider.issuer,
  clientId: provider.clientId,
  clientSecret: provider.clientSecret,
  displayName: 'Harbour ID',
  scopes: 'openid email profile groups',
  allowedEmailDomains: ['example.com', 'example.org'],
  roleMappings: [
    { claim: 'groups', value: 'pilots', project: 'default', role: 'operator' },
    { claim: 'groups', value: 'captains', project: 'default', role: 'admin' },
  ],
  assumeEmailVerified: false,
  redirectUrl: CALLBACK,
  ...settings,
});

const rows = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await api.context.pool.query<Row>(text, values)).rows;

interface Person {
  sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[];
}

const person = (sub: string, fields: Partial<Person> = {}): Person => ({
  sub,
  email: `${sub}@example.com`,
  email_verified: true,
  name: `The ${sub}`,
  groups: ['pilots'],
  ...fields,
});

/** Signs in at the provider, and returns with its answer. @returns where the API redirects the browser */
async function signIn(person: Person, { at = api, browser = createOidcClient(), next = '' } = {}) {
  provider.claims = { ...person };
  const start = `${at.url}/v1/sessions/current/oidc${next && `?next=${encodeURIComponent(next)}`}`;
  // The provider has a placeholder address, because a free port is not known in advance.
  const { location: back } = await browser.follow(start, [at.url, provider.issuer]);
  expect(back).toContain(`${CALLBACK}?code=`);
  const { location, answers } = await browser.follow(back.replace('http://127.0.0.1:1', at.url), [at.url]);
  return { location, cookies: answers.at(-1)?.headers.getSetCookie() ?? [], browser, back };
}

const sessionOf = async (browser: OidcClient, testApi = api) =>
  (
    await testApi.call<SessionView>('GET', '/v1/sessions/current', {
      key: null,
      headers: { cookie: browser.cookies(testApi.url) },
    })
  ).body;

const rolesOf = ({ projects }: SessionView) => projects.map(({ slug, role }): [string, Role] => [slug, role]);

test('the sign-in page shows the provider', async () => {
  const { body } = await api.call<SetupStatus>('GET', '/v1/setup', { key: null });
  expect(body.oidc).toEqual({ name: 'Harbour ID' });
});

test('a user confirmed by the provider is signed in with the role of the group, and audited', async () => {
  const { location, cookies, browser } = await signIn(person('ada'), { next: '/runs?status=failed' });
  expect(location).toBe(`${CONSOLE}/runs?status=failed`);
  expect(cookies).toEqual([
    expect.stringMatching(/^pilothouse=phs_\w{43}; Max-Age=1209600; Path=\/; HttpOnly; SameSite=Lax$/),
    expect.stringMatching(/^pilothouse_oidc=; .*Max-Age=0/),
  ]);
  const session = await sessionOf(browser);
  expect(session.user).toMatchObject({ email: 'ada@example.com', name: 'The ada' });
  expect(rolesOf(session)).toEqual([['default', 'operator']]);
  const { body: audit } = await api.call<Page<AuditEntry>>('GET', `/v1/audit?actor=${session.user.id}`);
  expect(audit.items.map(({ action }) => action)).toEqual(['finishOidc']);
});

test('roles follow the provider at each sign-in: the highest group counts, and a removed group removes the role', async () => {
  const { browser } = await signIn(person('grace', { groups: ['captains', 'pilots'] }));
  const { user } = await sessionOf(browser);
  expect(rolesOf(await sessionOf(browser))).toEqual([['default', 'admin']]);
  await signIn(person('grace', { email: 'renamed@example.com' }), { browser });
  expect(await sessionOf(browser)).toMatchObject({ user: { id: user.id, email: 'grace@example.com' } });
  expect(rolesOf(await sessionOf(browser))).toEqual([['default', 'operator']]);
  const { location } = await signIn(person('grace', { groups: [] }));
  expect(location).toBe(`${CONSOLE}/sign-in?error=uninvited`);
  // Existing sessions are affected, too.
  const sessionHeaders = { cookie: browser.cookies(api.url) };
  expect((await api.call('GET', '/v1/sessions/current', { key: null, headers: sessionHeaders })).status).toBe(401);
  expect(await rows('SELECT 1 FROM user_account WHERE id = $1', [user.id])).toEqual([]);
});

test.each<[string, Person, string]>([
  ['in no group', person('out', { groups: [] }), 'uninvited'],
  ['of another domain', person('far', { email: 'far@elsewhere.test' }), 'domain'],
  ['whose address only ends alike', person('near', { email: 'near@notexample.com' }), 'domain'],
  ['whose address is not confirmed', person('maybe', { email_verified: false }), 'unverified'],
  ['without a verified address', person('unsaid', { email_verified: undefined }), 'unverified'],
  ['without an address', person('none', { email: undefined }), 'unverified'],
])('a user %s is rejected and not stored', async (_, person, reason) => {
  const { location, cookies } = await signIn(person);
  expect(location).toBe(`${CONSOLE}/sign-in?error=${reason}`);
  expect(cookies.join()).not.toContain('phs_');
  expect(await rows('SELECT 1 FROM user_account WHERE email = $1', [person.email ?? ''])).toEqual([]);
  expect(await rows('SELECT 1 FROM user_identity WHERE subject = $1', [person.sub])).toEqual([]);
});

test('an invited user is signed in by address, without a group', async () => {
  const slug = await api.project();
  const key = await api.key('admin', slug);
  await api.call('POST', '/v1/invitations', { key, body: { email: 'guest@example.org', role: 'viewer' } });
  const { browser } = await signIn(person('guest', { email: 'Guest@Example.org', groups: [] }));
  expect(rolesOf(await sessionOf(browser))).toEqual([[slug, 'viewer']]);
  expect(await rows('SELECT 1 FROM invitation')).toEqual([]);
});

test('a user with an existing account of that address gets it, and its other sessions end', async () => {
  const earlierSession = await signInAs(api, { default: 'viewer' });
  const { id = '', email = '' } = earlierSession.session?.user ?? {};
  await rows(`UPDATE user_account SET password = 'x' WHERE id = $1`, [id]);
  const { browser } = await signIn(person('owner', { email }));
  expect((await sessionOf(browser)).user.id).toBe(id);
  expect((await earlierSession.call('GET', '/v1/sessions/current')).status).toBe(401);
  expect(await rows('SELECT password FROM user_account WHERE id = $1', [id])).toEqual([{ password: null }]);
});

test('concurrent first sign-ins create one user', async () => {
  const browsers = [createOidcClient(), createOidcClient(), createOidcClient()];
  provider.claims = { ...person('twin') };
  const backs = await Promise.all(
    browsers.map(async (browser) => {
      const start = `${api.url}/v1/sessions/current/oidc`;
      return (await browser.follow(start, [api.url, provider.issuer])).location;
    }),
  );
  const ends = await Promise.all(
    browsers.map((browser, n) => browser.follow((backs[n] ?? '').replace('http://127.0.0.1:1', api.url), [api.url])),
  );
  expect(ends.map(({ location }) => location)).toEqual(Array(3).fill(`${CONSOLE}/`));
  expect(await rows(`SELECT 1 FROM user_account WHERE email = 'twin@example.com'`)).toHaveLength(1);
});

describe('an authorization response is rejected', () => {
  const failureUrl = `${CONSOLE}/sign-in?error=failed`;
  const end = async (url: string, browser: OidcClient) => (await browser.follow(url, [api.url])).location;

  test('in another browser, a second time, or modified', async () => {
    const { back, browser } = await signIn(person('first'));
    const callbackUrl = back.replace('http://127.0.0.1:1', api.url);
    expect(await end(callbackUrl, createOidcClient())).toBe(failureUrl);
    expect(await end(callbackUrl, browser)).toBe(failureUrl);
    provider.claims = { ...person('first') };
    const client = createOidcClient();
    const { location } = await client.follow(`${api.url}/v1/sessions/current/oidc`, [api.url, provider.issuer]);
    const forged = new URL(location.replace('http://127.0.0.1:1', api.url));
    forged.searchParams.set('state', 'another');
    expect(await end(forged.href, client)).toBe(failureUrl);
  });

  test('for a flow that another browser started', async () => {
    // Otherwise a stranger could make a victim's browser finish the sign-in, and work in the stranger's account.
    const [stranger, victim] = [createOidcClient(), createOidcClient()];
    const starts = await Promise.all(
      [stranger, victim].map((client) =>
        client.follow(`${api.url}/v1/sessions/current/oidc`, [api.url, provider.issuer]),
      ),
    );
    expect(await end((starts[0]?.location ?? '').replace('http://127.0.0.1:1', api.url), victim)).toBe(failureUrl);
  });

  test('when the provider returns an error', async () => {
    const browser = createOidcClient();
    await browser.follow(`${api.url}/v1/sessions/current/oidc`, [api.url, provider.issuer]);
    expect(await end(`${api.url}/v1/sessions/current/oidc/callback?error=access_denied`, browser)).toBe(failureUrl);
  });
});

test('a redirect to another origin is rejected', async () => {
  for (const next of ['https://evil.example', '//evil.example', '/\\evil.example']) {
    const { status } = await api.call('GET', `/v1/sessions/current/oidc?next=${encodeURIComponent(next)}`, {
      key: null,
    });
    expect(status).toBe(400);
  }
});

test('an unavailable provider is reported, and retried later; without a provider the routes do not exist', async () => {
  const apiWithoutProvider = await startApi({ oidc: config({ issuer: 'http://127.0.0.1:1' }) });
  try {
    const { status } = await apiWithoutProvider.call('GET', '/v1/sessions/current/oidc', { key: null });
    expect(status).toBe(503);
  } finally {
    await apiWithoutProvider.close();
  }
  const none = await startApi();
  try {
    expect((await none.call('GET', '/v1/sessions/current/oidc', { key: null })).status).toBe(404);
    expect((await none.call<SetupStatus>('GET', '/v1/setup', { key: null })).body.oidc).toBeNull();
  } finally {
    await none.close();
  }
}, 60_000);

test('a trusted provider may omit email_verified, but not deny it', async () => {
  const trusting = await startApi({
    consoleUrl: CONSOLE,
    oidc: config({ assumeEmailVerified: true, allowedEmailDomains: [] }),
  });
  try {
    const unsaid = await signIn(person('unsaid', { email: 'u@anywhere.test', email_verified: undefined }), {
      at: trusting,
    });
    expect(unsaid.location).toBe(`${CONSOLE}/`);
    expect((await sessionOf(unsaid.browser, trusting)).user.email).toBe('u@anywhere.test');
    const denied = await signIn(person('denied', { email_verified: false }), { at: trusting });
    expect(denied.location).toBe(`${CONSOLE}/sign-in?error=unverified`);
  } finally {
    await trusting.close();
  }
}, 60_000);
