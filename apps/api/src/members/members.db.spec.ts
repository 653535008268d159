import type { AuditEntry } from '@pilothouse/contract/api/audit.routes';
import type { ProjectView } from '@pilothouse/contract/api/project.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { Problem } from '@pilothouse/contract/errors/pilothouse-error';
import type {
  Invitation,
  InvitationCreated,
  InvitationDetails,
  Member,
  ResetLink,
} from '@pilothouse/contract/project/member.schema';
import type { AccountView, ProjectMembership, SessionView } from '@pilothouse/contract/project/user.schema';
import { until } from '@pilothouse/testing/test-helpers';
import { startApi, type TestApi } from '../testing/test-api.fixture.ts';
import { projectHeader, signInAs } from '../testing/members.fixture.ts';
import { openBrowserClient, type BrowserClient } from '../testing/browser-client.fixture.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ retention: { runsDays: 90, eventsDays: null, artifactsDays: 7 } });
}, 60_000);
afterAll(() => api.close());

const password = 'a tide waits for no one';

const rows = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await api.context.pool.query<Row>(text, values)).rows;

/** The fragment of a link after `#`. */
const tokenOf = ({ url }: { url: string }) => new URL(url).hash.slice(1);

/** A separate project with its admin. */
async function team() {
  const slug = await api.project();
  const admin = await signInAs(api, { [slug]: 'admin' });
  const call = <Body>(method: string, path: string, body?: unknown) =>
    admin.call<Body & Problem>(method, path, {
      headers: projectHeader(admin, slug),
      ...(body !== undefined && { body }),
    });
  return { slug, admin, call };
}

type Team = Awaited<ReturnType<typeof team>>;

const invite = async ({ call }: Team, email: string, role = 'operator') => {
  const created = await call<InvitationCreated>('POST', '/v1/invitations', { email, role });
  expect(created.status).toBe(201);
  return created.body;
};

const accept = (visitor: BrowserClient, link: { url: string }, fields: object = {}) =>
  visitor.call<SessionView & Problem>('POST', '/v1/invitations/accept', {
    body: { token: tokenOf(link), name: 'Grace', password, ...fields },
  });

const members = async ({ call }: Team) => (await call<Page<Member>>('GET', '/v1/members')).body.items;

describe('an invitation', () => {
  test('creates a member, once', async () => {
    const ours = await team();
    const created = await invite(ours, 'Grace@Example.com', 'viewer');
    expect(created.url).toMatch(new RegExp(`^${api.url}/invitation#phl_\\w{43}$`));
    expect(Date.parse(created.expiresAt) - Date.parse(created.createdAt)).toBe(7 * 86_400_000);
    const invitation = await openBrowserClient(api).call<InvitationDetails>('POST', '/v1/invitations/lookup', {
      body: { token: tokenOf(created) },
    });
    expect(invitation.body).toMatchObject({ email: 'grace@example.com', role: 'viewer', hasAccount: false });
    expect(invitation.body.project.slug).toBe(ours.slug);
    const guests = [openBrowserClient(api), openBrowserClient(api), openBrowserClient(api)];
    const answers = await Promise.all(guests.map((guest) => accept(guest, created)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const { status } of answers) expect([201, 401, 404, 409]).toContain(status);
    const guest = guests.find(({ session }) => session);
    expect(guest?.session?.projects.map(({ slug, role }) => [slug, role])).toEqual([[ours.slug, 'viewer']]);
    expect((await guest?.call('GET', '/v1/runs'))?.status).toBe(200);
    expect((await members(ours)).map(({ user, role }) => [user.email, role])).toEqual([
      [ours.admin.session?.user.email, 'admin'],
      ['grace@example.com', 'viewer'],
    ]);
    expect((await accept(openBrowserClient(api), created)).status).toBe(404);
    expect((await ours.call<Page<Invitation>>('GET', '/v1/invitations')).body.items).toEqual([]);
    const repeated = await openBrowserClient(api).call('POST', '/v1/sessions/current', {
      body: { email: 'grace@example.com', password },
    });
    expect(repeated.status).toBe(200);
  });

  test('is invalid once it is revoked, expired or replaced', async () => {
    const ours = await team();
    const first = await invite(ours, 'lost@example.com');
    const second = await invite(ours, 'lost@example.com');
    expect((await accept(openBrowserClient(api), first)).status).toBe(404);
    expect((await ours.call<Invitation>('DELETE', `/v1/invitations/${second.id}`)).body.email).toBe('lost@example.com');
    expect((await accept(openBrowserClient(api), second)).status).toBe(404);
    expect((await ours.call('DELETE', `/v1/invitations/${second.id}`)).status).toBe(404);
    const third = await invite(ours, 'lost@example.com');
    await rows('UPDATE invitation SET expires_at = now() WHERE id = $1', [third.id]);
    expect((await accept(openBrowserClient(api), third)).status).toBe(404);
    expect(await rows(`SELECT 1 FROM user_account WHERE email = 'lost@example.com'`)).toEqual([]);
  });

  test('requires a name and a good password from a new user, and survives a rejected attempt', async () => {
    const created = await invite(await team(), 'new@example.com');
    const wrong = [
      await accept(openBrowserClient(api), created, { name: undefined }),
      await accept(openBrowserClient(api), created, { password: 'elevenchars' }),
    ];
    expect(wrong.map(({ status, body }) => [status, body.errors?.[0]?.pointer])).toEqual([
      [400, '/name'],
      [400, '/password'],
    ]);
    expect((await accept(openBrowserClient(api), created)).status).toBe(201);
  });

  test('requires the password of an existing account', async () => {
    const [firstTeam, secondTeam] = [await team(), await team()];
    expect((await accept(openBrowserClient(api), await invite(firstTeam, 'both@example.com'))).status).toBe(201);
    const created = await invite(secondTeam, 'both@example.com', 'admin');
    const invitation = await openBrowserClient(api).call<InvitationDetails>('POST', '/v1/invitations/lookup', {
      body: { token: tokenOf(created) },
    });
    expect(invitation.body.hasAccount).toBe(true);
    expect((await accept(openBrowserClient(api), created, { password: 'some other password' })).status).toBe(401);
    const guest = openBrowserClient(api);
    expect((await accept(guest, created, { name: 'Renamed' })).status).toBe(201);
    expect(guest.session?.user.name).toBe('Grace');
    expect(guest.session?.projects.map(({ slug }) => slug).sort()).toEqual([firstTeam.slug, secondTeam.slug].sort());
  });

  test('is rejected for a member', async () => {
    const ours = await team();
    const body = { email: ours.admin.session?.user.email.toUpperCase(), role: 'viewer' };
    expect((await ours.call('POST', '/v1/invitations', body)).status).toBe(409);
  });
});

describe('a member', () => {
  /** A member of the project whose sessions the test inspects. */
  const join = (ours: Team, role: 'viewer' | 'operator' | 'admin') => signInAs(api, { [ours.slug]: role });
  const path = ({ session }: BrowserClient) => `/v1/members/${session?.user.id}`;

  test('gets another role with immediate effect', async () => {
    const ours = await team();
    const bob = await join(ours, 'viewer');
    expect((await bob.call('GET', '/v1/members')).status).toBe(403);
    expect((await ours.call<Member>('PATCH', path(bob), { role: 'admin' })).body.role).toBe('admin');
    expect((await bob.call('GET', '/v1/members')).status).toBe(200);
  });

  test('is signed out everywhere when removed; a user without projects is deleted', async () => {
    const [ours, theirs] = [await team(), await team()];
    const bob = await signInAs(api, { [ours.slug]: 'operator', [theirs.slug]: 'viewer' });
    expect((await ours.call<Member>('DELETE', path(bob))).body.user.email).toBe(bob.session?.user.email);
    expect((await bob.call('GET', '/v1/sessions/current')).status).toBe(401);
    expect((await members(ours)).map(({ role }) => role)).toEqual(['admin']);
    expect(await members(theirs)).toHaveLength(2);
    expect((await ours.call('DELETE', path(bob))).status).toBe(404);
    expect((await theirs.call('DELETE', path(bob))).status).toBe(200);
    expect(await rows('SELECT 1 FROM user_account WHERE id = $1', [bob.session?.user.id])).toEqual([]);
  });

  test('remains if it is the last admin, also with concurrent changes', async () => {
    const ours = await team();
    const alone = [
      await ours.call('PATCH', path(ours.admin), { role: 'viewer' }),
      await ours.call('DELETE', path(ours.admin)),
    ];
    expect(alone.map(({ status }) => status)).toEqual([409, 409]);
    const bob = await join(ours, 'admin');
    // Both pause before they check for other admins, so that they overlap.
    const gate = await api.context.pool.connect();
    await gate.query('BEGIN');
    await gate.query('SELECT 1 FROM project WHERE slug = $1 FOR UPDATE', [ours.slug]);
    const requests = Promise.all([
      ours.call('PATCH', path(bob), { role: 'viewer' }),
      bob.call('DELETE', path(ours.admin), { headers: projectHeader(bob, ours.slug) }),
    ]);
    await until('both wait', async () => {
      const waiting = await rows(
        `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return waiting.length === 2;
    });
    await gate.query('COMMIT');
    gate.release();
    const both = await requests;
    expect(both.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
    expect(
      (
        await rows(
          `SELECT 1 FROM membership m JOIN project p ON p.id = m.project_id
      WHERE p.slug = $1 AND m.role = 'admin'`,
          [ours.slug],
        )
      ).length,
    ).toBe(1);
  });

  test('is listed in pages, in the order of joining', async () => {
    const ours = await team();
    const later = [await join(ours, 'viewer'), await join(ours, 'operator'), await join(ours, 'viewer')];
    const key = await api.key('admin', ours.slug);
    const slugs: string[] = [];
    let next: string | null = '/v1/members?limit=3';
    while (next !== null) {
      const { body }: { body: Page<Member> } = await api.call<Page<Member>>('GET', next, { key });
      slugs.push(...body.items.map(({ user }) => user.id));
      next = body.nextCursor && `/v1/members?limit=3&cursor=${body.nextCursor}`;
    }
    expect(slugs).toEqual([ours.admin, ...later].map(({ session }) => session?.user.id));
  });
});

describe('a password', () => {
  /** A user with a password, and two browsers. */
  async function guest(ours: Team, email: string) {
    const first = openBrowserClient(api);
    expect((await accept(first, await invite(ours, email))).status).toBe(201);
    const second = openBrowserClient(api);
    expect((await second.call('POST', '/v1/sessions/current', { body: { email, password } })).status).toBe(200);
    return [first, second] as const;
  }
  const newPassword = 'another long password';
  const signIn = async (email: string, password: string) =>
    (await openBrowserClient(api).call('POST', '/v1/sessions/current', { body: { email, password } })).status;

  test('is changed with the current one, and ends the other sessions', async () => {
    const [browserA, browserB] = await guest(await team(), 'change@example.com');
    const change = (current: string) =>
      browserA.call<Problem>('PUT', '/v1/sessions/current/password', { body: { current, password: newPassword } });
    const rejection = await change('not my password');
    expect([rejection.status, rejection.body.errors?.[0]?.pointer]).toEqual([403, '/current']);
    expect((await browserB.call('GET', '/v1/sessions/current')).status).toBe(200);
    expect((await change(password)).status).toBe(204);
    expect((await browserA.call('GET', '/v1/sessions/current')).status).toBe(200);
    expect((await browserB.call('GET', '/v1/sessions/current')).status).toBe(401);
    expect([await signIn('change@example.com', password), await signIn('change@example.com', newPassword)]).toEqual([
      401, 200,
    ]);
  });

  test('is reset with a link of an admin, once', async () => {
    const ours = await team();
    const [browserA] = await guest(ours, 'reset@example.com');
    const path = `/v1/members/${browserA.session?.user.id}/password-reset`;
    const stale = (await ours.call<ResetLink>('POST', path)).body;
    const link = (await ours.call<ResetLink>('POST', path)).body;
    expect(link.url).toMatch(new RegExp(`^${api.url}/reset-password#phl_\\w{43}$`));
    const reset = (visitor: BrowserClient, resetLink: { url: string }) =>
      visitor.call<SessionView>('POST', '/v1/password-reset', {
        body: { token: tokenOf(resetLink), password: newPassword },
      });
    expect((await reset(openBrowserClient(api), stale)).status).toBe(404);
    const visitors = [openBrowserClient(api), openBrowserClient(api), openBrowserClient(api)];
    const answers = await Promise.all(visitors.map((visitor) => reset(visitor, link)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect(visitors.find(({ session }) => session)?.session?.user.email).toBe('reset@example.com');
    expect((await browserA.call('GET', '/v1/sessions/current')).status).toBe(401);
    expect([await signIn('reset@example.com', password), await signIn('reset@example.com', newPassword)]).toEqual([
      401, 200,
    ]);
    const expiredLink = (await ours.call<ResetLink>('POST', path)).body;
    await rows('UPDATE password_reset SET expires_at = now()');
    expect((await reset(openBrowserClient(api), expiredLink)).status).toBe(404);
  });

  test('cannot be reset by an admin of one project if the user belongs to another', async () => {
    const [ours, theirs] = [await team(), await team()];
    const bob = await signInAs(api, { [ours.slug]: 'operator', [theirs.slug]: 'admin' });
    const path = `/v1/members/${bob.session?.user.id}/password-reset`;
    const key = await api.key('admin', ours.slug);
    for (const response of [await ours.call('POST', path), await api.call<Problem>('POST', path, { key })]) {
      expect([response.status, response.body.code]).toEqual([403, 'FORBIDDEN']);
    }
    const adminOfBoth = await signInAs(api, { [ours.slug]: 'admin', [theirs.slug]: 'admin' });
    const created = await adminOfBoth.call<ResetLink>('POST', path, { headers: projectHeader(adminOfBoth, ours.slug) });
    expect(created.status).toBe(201);
  });
});

describe('an account', () => {
  test('shows sign-in methods and sessions, and ends the other sessions', async () => {
    const ours = await team();
    const email = 'sessions@example.com';
    const [browserA, browserB] = [openBrowserClient(api), openBrowserClient(api)];
    await accept(browserA, await invite(ours, email));
    await browserB.call('POST', '/v1/sessions/current', { body: { email, password } });
    const { body: account } = await browserA.call<AccountView>('GET', '/v1/account');
    expect(account).toMatchObject({ user: { email, name: 'Grace' }, hasPassword: true, providers: [] });
    expect(account.sessions.map(({ isCurrent }) => isCurrent).sort()).toEqual([false, true]);
    expect(JSON.stringify(account)).not.toMatch(/[0-9a-f]{64}|phs_/);
    const noToken = { headers: { 'pilothouse-csrf': '' } };
    expect((await browserA.call('DELETE', '/v1/account/sessions', noToken)).status).toBe(403);
    expect((await openBrowserClient(api).call('DELETE', '/v1/account/sessions')).status).toBe(401);
    const key = await api.key('admin', ours.slug);
    for (const [method, path] of [
      ['GET', '/v1/account'],
      ['DELETE', '/v1/account/sessions'],
    ] as const)
      expect((await api.call(method, path, { key })).status).toBe(403);
    expect((await browserB.call('GET', '/v1/sessions/current')).status).toBe(200);
    await rows(
      `INSERT INTO user_session (hash, user_id, created_at, last_seen_at, expires_at)
       VALUES (repeat('0', 64), $1, now(), now(), now() - interval '1 minute')`,
      [browserA.session?.user.id],
    );
    expect((await browserA.call('DELETE', '/v1/account/sessions')).body).toEqual({ ended: 1 });
    expect((await browserB.call('GET', '/v1/sessions/current')).status).toBe(401);
    expect((await browserA.call<AccountView>('GET', '/v1/account')).body.sessions).toHaveLength(1);
    // Another user stays signed in.
    expect((await ours.admin.call('GET', '/v1/sessions/current')).status).toBe(200);
    const change = { body: { current: password, password: 'another long password' } };
    expect((await browserA.call('PUT', '/v1/sessions/current/password', change)).status).toBe(204);
    for (const action of ['endOtherSessions', 'changePassword']) {
      const { body: log } = await ours.call<Page<AuditEntry>>('GET', `/v1/audit?action=${action}`);
      expect(log.items.map(({ actor, details }) => [actor.name, details])).toEqual([[email, {}]]);
    }
  });

  test('without a password shows its provider', async () => {
    const { admin } = await team();
    await rows('INSERT INTO user_identity (issuer, subject, user_id) VALUES ($1, $2, $3)', [
      'https://id.example.com',
      admin.session?.user.id,
      admin.session?.user.id,
    ]);
    const { body } = await admin.call<AccountView>('GET', '/v1/account');
    expect(body).toMatchObject({ hasPassword: false, providers: ['https://id.example.com'] });
  });
});

describe('a project', () => {
  test('is created by an admin, who becomes its admin, and renamed', async () => {
    const { admin } = await team();
    const body = { slug: 'north-dock', name: 'North Dock' };
    const created = await admin.call<ProjectMembership>('POST', '/v1/projects', { body });
    expect([created.status, created.body]).toEqual([201, { id: expect.any(String), ...body, role: 'admin' }]);
    expect((await admin.call('POST', '/v1/projects', { body })).status).toBe(409);
    const session = await admin.call<SessionView>('GET', '/v1/sessions/current');
    expect(session.body.projects).toContainEqual(created.body);
    const headers = { 'pilothouse-project': created.body.id };
    const response = await admin.call<ProjectView>('PATCH', '/v1/projects/current', {
      headers,
      body: { name: 'South Dock' },
    });
    expect(response.body).toMatchObject({
      slug: 'north-dock',
      name: 'South Dock',
      retention: { runsDays: 90, artifactsDays: 7 },
    });
  });

  test('cannot be created without an admin role', async () => {
    const slug = await api.project();
    const body = { slug: 'mine', name: 'Mine' };
    expect((await (await signInAs(api, { [slug]: 'operator' })).call('POST', '/v1/projects', { body })).status).toBe(
      403,
    );
  });
});

test('links use the configured URL of the console', async () => {
  const otherApi = await startApi({ consoleUrl: 'https://console.example.com' });
  try {
    const body = { email: 'a@b', role: 'viewer' };
    const { body: created } = await otherApi.call<InvitationCreated>('POST', '/v1/invitations', { body });
    expect(created.url).toMatch(/^https:\/\/console\.example\.com\/invitation#phl_/);
  } finally {
    await otherApi.close();
  }
}, 60_000);

test('links never use a host from the client', async () => {
  const otherApi = await startApi({ proxyCount: 0 });
  try {
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
    };
    const body = { email: 'a@b', role: 'viewer' };
    const { body: created } = await otherApi.call<InvitationCreated>('POST', '/v1/invitations', { body, headers });
    expect(created.url).toMatch(new RegExp(`^${otherApi.url}/invitation#phl_`));
  } finally {
    await otherApi.close();
  }
}, 60_000);
