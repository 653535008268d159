import type { SessionView } from '@pilothouse/contract/project/user.schema';
import { startProvider, type TestProvider } from '@pilothouse/testing/oidc-provider';
import { useConsole } from '../harness/console.fixture.ts';

const ada = { name: 'Ada', email: 'ada@example.com', password: 'a tide waits for no one' };

describe('sign-in', () => {
  const fixture = useConsole({ workers: 0, signIn: 'none', isDatabaseEmpty: true });
  const home = () => fixture.viewer.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  const signIn = async (email: string, password: string) => {
    const { page } = fixture.viewer;
    await page.goto('/sign-in');
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
  };

  test('the first visit creates the first user, with a code or an admin key', async () => {
    const { page } = fixture.viewer;
    await page.goto('/runs');
    await page.waitForURL('**/setup');
    for (const [label, text] of [
      ['Setup code', 'WRONG'],
      ['Name', ada.name],
      ['Email', ada.email],
      ['Password', 'short'],
    ] as const)
      await page.getByLabel(label).fill(text);
    const send = page.getByRole('button', { name: 'Create admin account' });
    await send.click();
    await page.getByText('Use at least 12 characters').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByLabel('Password').fill(ada.password);
    await send.click();
    await page.getByText('The setup code is incorrect').waitFor();
    await page.getByLabel('Setup code').fill(fixture.stack.secrets.adminKey);
    await send.click();
    await home();
    // Scripts cannot read credentials.
    expect(await page.evaluate('document.cookie')).toBe('');
    await page.getByText('Ada · admin').waitFor();
  });

  test('a user signs in, reaches the requested page, makes a change, and signs out', async () => {
    const run = await fixture.stack.client.submit({ steps: [{ action: 'navigate', url: fixture.stack.site.url }] });
    const { page } = fixture.viewer;
    await page.goto(`/runs/${run.id}?from=mail`);
    await page.waitForURL('**/sign-in?next=*');
    await page.getByLabel('Email').fill(ada.email);
    await page.getByLabel('Password').fill('not this one at all');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByLabel('Password').fill(ada.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`**/runs/${run.id}?from=mail`);
    // A change in a session needs its token; the stream of events needs the session.
    await page.getByRole('button', { name: 'Cancel' }).click();
    await fixture.viewer.confirm('Cancel run');
    await page.getByText('Cancelled', { exact: true }).waitFor();
    expect((await fixture.stack.client.run(run.id)).status).toBe('cancelled');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email').waitFor();
    await page.goto('/runs');
    await page.waitForURL('**/sign-in?next=%2Fruns');
  });

  test('a key grants its role and is hidden from scripts', async () => {
    const { page } = fixture.viewer;
    await page.goto('/sign-in?with=key&next=//elsewhere.example/');
    await page.getByLabel('API key').fill('ph_00000000000000000000');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('API key not found').waitFor();
    await page.getByLabel('API key').fill(fixture.stack.secrets.adminKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await home();
    // Sign-in does not redirect to another site.
    expect(new URL(page.url()).origin).toBe(fixture.consoleServer.url);
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await page.content()).not.toContain(fixture.stack.secrets.adminKey);
  });

  test('an invitation link creates a member', async () => {
    const invitation = (await fixture.stack.client.json('/v1/invitations', {
      method: 'POST',
      body: { email: 'bo@example.com', role: 'viewer' },
    })) as { url: string };
    const { page } = fixture.viewer;
    await page.goto(`/invitation${new URL(invitation.url).hash}`);
    await page.getByText('You join as viewer with bo@example.com.').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByLabel('Name').fill('Bo');
    await page.getByLabel('Choose a password').fill('the wind is in the west');
    await page.getByRole('button', { name: 'Join' }).click();
    await home();
    await page.getByText('Bo · viewer').waitFor();
    await page.goto(`/invitation${new URL(invitation.url).hash}`);
    await page.getByRole('alert').waitFor();
  });

  test.each(['/invitation', '/reset-password'])('the link %s without its token is reported', async (path) => {
    const { page } = fixture.viewer;
    await page.goto(path);
    await page.getByText('The link is incomplete.').waitFor();
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
  });

  test('a forgotten password is reset by a link of an admin', async () => {
    const { page } = fixture.viewer;
    await signIn(ada.email, ada.password);
    await home();
    await page.goto('/settings/members');
    await page.getByRole('button', { name: 'Reset password of Bo' }).click();
    const link = await page.getByLabel('Password reset link').inputValue();
    expect(link).toMatch(`${fixture.consoleServer.url}/reset-password#`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email').waitFor();

    const set = page.getByRole('button', { name: 'Set password and sign in' });
    await page.goto(`/reset-password${new URL(link).hash}`);
    await page.getByLabel('New password').fill('too short');
    await set.click();
    await page.getByText('Use at least 12 characters').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByLabel('New password').fill('the wind has turned east');
    await set.click();
    await home();
    await page.getByText('Bo · viewer').waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email').waitFor();

    await signIn('bo@example.com', 'the wind is in the west');
    await page.getByRole('alert').waitFor();
    await signIn('bo@example.com', 'the wind has turned east');
    await home();
    await page.getByText('Bo · viewer').waitFor();
    // The link is valid once.
    await page.goto(`/reset-password${new URL(link).hash}`);
    await page.getByLabel('New password').fill('a third one for good measure');
    await set.click();
    await page.getByRole('alert').waitFor();
  });

  test('a user switches between projects and sees their runs', async () => {
    const { page } = fixture.viewer;
    const definition = (name: string) => ({ name, steps: [{ action: 'navigate', url: fixture.stack.site.url }] });
    await fixture.stack.client.submit({ definition: definition('tides') });
    await signIn(ada.email, ada.password);
    await home();
    await page.goto('/runs');
    await page.getByRole('link', { name: 'tides' }).waitFor();
    // Like a request of the console, in the current project.
    const { csrf } = (await (await page.request.get('/api/v1/sessions/current')).json()) as SessionView;
    const post = async (path: string, body: object) => {
      const answer = await page.request.post(`/api/v1/${path}`, { data: body, headers: { 'pilothouse-csrf': csrf } });
      expect([answer.ok(), await answer.text()]).toEqual([true, expect.any(String)]);
    };
    await post('projects', { slug: 'north-dock', name: 'North Dock' });
    await page.reload();
    const switcher = page.getByRole('combobox', { name: 'Project' });
    await switcher.selectOption('North Dock');
    await home();
    await switcher.locator('option:checked').filter({ hasText: 'North Dock' }).waitFor({ state: 'attached' });
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await post('runs', { definition: definition('ropes') });
    await page.goto('/runs');
    await page.getByRole('link', { name: 'ropes' }).waitFor();
    expect(await page.getByRole('link', { name: 'tides' }).count()).toBe(0);
    await switcher.selectOption('Default');
    await home();
    await page.goto('/runs');
    await page.getByRole('link', { name: 'tides' }).waitFor();
    expect(await page.getByRole('link', { name: 'ropes' }).count()).toBe(0);
  });
});

describe('sign-in with a provider', () => {
  let provider: TestProvider;
  beforeAll(async () => {
    provider = await startProvider();
  });
  const fixture = useConsole({
    workers: 0,
    signIn: 'none',
    api: () => ({
      PILOTHOUSE_OIDC_ISSUER: provider.issuer,
      PILOTHOUSE_OIDC_CLIENT_ID: provider.clientId,
      PILOTHOUSE_OIDC_CLIENT_SECRET: provider.clientSecret,
      PILOTHOUSE_OIDC_DISPLAY_NAME: 'Harbour ID',
      PILOTHOUSE_OIDC_SCOPES: 'openid email profile groups',
      PILOTHOUSE_OIDC_ROLE_MAPPINGS: JSON.stringify([
        { claim: 'groups', value: 'pilots', project: 'default', role: 'operator' },
      ]),
    }),
  });
  afterAll(() => provider?.close());

  test('returns to the requested page, or shows the error', async () => {
    const { stack, consoleServer: pages, viewer } = fixture;
    const body = { code: stack.secrets.adminKey, ...ada };
    await stack.client.json('/v1/setup', { method: 'POST', body });
    const { page } = viewer;
    const grace = { sub: 'grace', email: 'grace@example.com', email_verified: true, name: 'Grace' };
    provider.claims = { ...grace, groups: [] };
    await page.goto('/runs');
    await page.getByRole('link', { name: 'Sign in with Harbour ID' }).click();
    await page.getByText('You have no project yet').waitFor();
    expect(new URL(page.url()).origin).toBe(pages.url);
    expect(await viewer.accessibilityViolations()).toEqual([]);
    provider.claims = { ...grace, groups: ['pilots'] };
    await page.goto('/runs');
    await page.getByRole('link', { name: 'Sign in with Harbour ID' }).click();
    await page.waitForURL(`${pages.url}/runs`);
    await page.getByText('Grace · operator').waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
  });
});
