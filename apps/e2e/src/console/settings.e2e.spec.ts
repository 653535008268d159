import type { RunView } from '@pilothouse/contract/run/run.schema';
import { readFile } from 'node:fs/promises';
import { Viewer, viewports } from '../harness/console-page.ts';
import { admin, useConsole } from '../harness/console.fixture.ts';

describe('the settings of a project', () => {
  const fixture = useConsole({ workers: 0 });

  test('are changed, with errors at their fields', async () => {
    const { page } = fixture.viewer;
    await page.goto('/settings');
    await page.getByLabel('Runs (days)').fill('soon');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a whole number of 1 or more').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByLabel('Runs (days)').fill('30');
    await page.getByLabel('Access', { exact: true }).selectOption('listed');
    await page.getByLabel('Host list').fill('*.example.com');
    await page.getByLabel('Models for Act').fill('unknown/x');
    await page.getByLabel('Max tokens for Act').fill('2000');
    await page.getByRole('button', { name: 'Save' }).click();
    // The API reports the error for this field.
    await page.getByRole('row').filter({ hasText: 'Act' }).getByText('Endpoint unknown not found').waitFor();
    await page.locator('[aria-invalid=true]').and(page.getByLabel('Models for Act')).waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByLabel('Models for Act').fill('openai/gpt-5-mini, gemini/gemini-2.5-flash');
    await page.getByLabel('Action format for Act').selectOption('aura');
    await page.getByLabel('Healed locators').selectOption('publish');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved.').waitFor();
    expect(await fixture.stack.client.json('/v1/projects/current')).toMatchObject({
      retention: { runsDays: 30, eventsDays: null },
      egress: { allow: ['*.example.com'] },
      models: { act: { use: ['openai/gpt-5-mini', 'gemini/gemini-2.5-flash'], maxTokens: 2000, dialect: 'aura' } },
      agents: { repairPolicy: 'publish' },
    });
    await page.getByRole('button', { name: 'Preview' }).click();
    await page.getByText('Would delete: 0 runs').waitFor();
  });

  test('budgets and site limits are set, and the usage of the month is shown here and at home', async () => {
    const { page } = fixture.viewer;
    await page.goto('/settings');
    await page.getByLabel('Tokens: Default per run').fill('5000');
    await page.getByLabel('Tokens: Maximum per run').fill('1000');
    await page.getByLabel('Tokens: Project, per month').fill('100000');
    await page.getByLabel('Cost (USD): Project, per month').fill('20');
    await page.getByRole('button', { name: 'Add site limit' }).press('Enter');
    // The new row has the focus.
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'politeness.0.domain');
    await page.keyboard.type('shop.example.com');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter pages per minute, concurrent runs, or both.').waitFor();
    await page.getByLabel('Pages per minute, row 1').fill('30');
    await page.getByRole('button', { name: 'Add site limit' }).click();
    await page.getByLabel('Site, row 2').fill('https://no.host/');
    await page.getByLabel('Concurrent runs, row 2').fill('2');
    await page.getByLabel('robots.txt').selectOption('report');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('row')
      .filter({ hasText: 'Default per run' })
      .getByText('The default must not exceed')
      .waitFor();
    expect(await page.getByLabel('Site, row 2').getAttribute('aria-invalid')).toBe('true');
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByLabel('Tokens: Maximum per run').fill('50000');
    await page.getByRole('button', { name: 'Remove row 2' }).press('Enter');
    await page.getByLabel('Site, row 2').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved.').waitFor();
    expect(await fixture.stack.client.json('/v1/projects/current')).toMatchObject({
      budgets: { default: { tokens: 5000 }, max: { tokens: 50_000 }, month: { tokens: 100_000, usd: 20 } },
      politeness: { limits: [{ domain: 'shop.example.com', requestsPerMinute: 30 }], robots: 'report' },
    });
    await page.getByText('0 of 100,000 tokens').waitFor();

    // Model usage is recorded as by the gateway.
    await fixture.stack.database.spend('default', { tokens: 85_000, usd: 3.5 });
    await page.reload();
    await page.getByText('85,000 of 100,000 tokens').waitFor();
    await page.getByText('$3.50 of $20.00').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.goto('/');
    await page.getByText('almost used: 85,000 of 100,000 tokens').waitFor();
    expect(await page.getByText('$3.50 of $20.00').count()).toBe(0);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    const details = expect.objectContaining({
      budgets: expect.objectContaining({ month: { tokens: 100_000, usd: 20 } }),
    });
    expect(await fixture.stack.client.json('/v1/audit')).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ details })]),
    });
  });

  test('notes for agents are added, corrected and removed', async () => {
    const { page } = fixture.viewer;
    await page.goto('/settings');
    await page.getByRole('button', { name: 'Add note' }).press('Enter');
    // The new note has the focus.
    await page.waitForFunction(() => document.activeElement?.getAttribute('name') === 'notes.0.kind');
    await page.getByLabel('Application ID').fill('mousepad');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Enter a text or remove the note.').waitFor();
    await page.getByLabel('Note', { exact: true }).fill('Control+S saves. Names have the form 2026-11-30.txt.');
    await page.getByRole('button', { name: 'Add note' }).click();
    const second = page.getByRole('listitem').filter({ hasText: 'About' }).nth(1);
    await second.getByLabel('About').selectOption('site');
    await second.getByLabel('Host').fill('https://no.host/');
    await second.getByLabel('Note', { exact: true }).fill('Prices are net');
    await page.getByRole('button', { name: 'Save' }).click();
    // The API reports the error for this field.
    await second.locator('[aria-invalid=true]').and(page.getByLabel('Host')).waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await second.getByLabel('Host').fill('*.example.com');
    await page.getByRole('button', { name: 'Remove note 1' }).press('Enter');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Settings saved.').waitFor();
    expect(await fixture.stack.client.json('/v1/projects/current')).toMatchObject({
      agents: { notes: [{ site: '*.example.com', text: 'Prices are net' }] },
    });
  });

  test('a key is created, shown once, gives access, and is revoked', async () => {
    const { page } = fixture.viewer;
    await page.goto('/settings/keys');
    await page.getByLabel('Name', { exact: true }).fill('nightly');
    await page.getByLabel('Role').selectOption('viewer');
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByLabel('New API key').inputValue();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    const fetchMe = () => fetch(`${fixture.stack.client.url}/v1/me`, { headers: { authorization: `Bearer ${key}` } });
    expect((await fetchMe()).status).toBe(200);
    await page.getByRole('button', { name: 'Revoke nightly' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Revoke key nightly?' });
    await dialog.waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    // The cancel button has the focus.
    await dialog
      .locator(':focus')
      .and(dialog.getByRole('button', { name: 'Back' }))
      .press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect((await fetchMe()).status).toBe(200);
    await page.getByRole('button', { name: 'Revoke nightly' }).click();
    await fixture.viewer.confirm('Revoke key');
    await page.getByRole('row').filter({ hasText: 'nightly' }).getByText('Revoked').waitFor();
    expect((await fetchMe()).status).toBe(401);
    await page.reload();
    expect(await page.content()).not.toContain(key);
  });

  test('a secret is created, replaced, selected for a run, and deleted with a confirmation', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    await page.goto('/settings/secrets');
    await page.getByText('No secrets').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByLabel('Name', { exact: true }).fill('Portal');
    await page.getByLabel('Value', { exact: true }).fill('under-the-mat');
    await page.getByRole('button', { name: 'Create secret' }).click();
    await page.getByText('Use 1 to 63 lower-case letters').waitFor();
    expect(await page.getByLabel('Value', { exact: true }).inputValue()).toBe('under-the-mat');
    await page.getByLabel('Name', { exact: true }).fill('portal-password');
    await page.getByLabel('Description').fill('Account of the robot');
    await page.getByLabel('Description').press('Enter');
    const row = page.getByRole('row').filter({ hasText: 'portal-password' });
    await row.getByText('v1').waitFor();
    // The next secret starts with an empty form.
    expect(await page.getByLabel('Value', { exact: true }).inputValue()).toBe('');
    expect(await page.content()).not.toContain('under-the-mat');
    await page.getByLabel('Name', { exact: true }).fill('portal-password');
    await page.getByLabel('Value', { exact: true }).fill('lost');
    await page.getByRole('button', { name: 'Create secret' }).click();
    await page.getByText('A secret portal-password exists').waitFor();
    await page.getByRole('button', { name: 'Replace portal-password' }).press('Enter');
    await page.getByRole('dialog').getByLabel('New value').fill('over-the-door');
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Replace value' }).click();
    await row.getByText('v2').waitFor();

    const definition = {
      name: 'log-in',
      inputs: { password: { type: 'string', secret: true } },
      steps: [{ action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' }],
    };
    await client.json('/v1/workflows?publish=true', { method: 'POST', body: definition });
    await page.goto('/workflows/log-in/run');
    await page.getByLabel('password: source').selectOption('portal-password');
    expect(await page.getByLabel('password', { exact: true }).count()).toBe(0);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.waitForURL(/\/runs\//);
    const { items } = (await client.json('/v1/runs')) as { items: RunView[] };
    expect(items[0]).toMatchObject({ inputs: { password: { secret: 'portal-password' } } });

    await page.goto('/settings/secrets');
    await row.getByText('log-in').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Delete portal-password' }).click();
    await page.getByRole('alertdialog').getByText('1 open run uses it and will fail').waitFor();
    await page.getByRole('alertdialog').getByText('Recent runs of log-in used it').waitFor();
    await fixture.viewer.confirm('Delete secret');
    await page.getByText('No secrets').waitFor();
    await client.cancel(items[0]?.id ?? '');
  });

  test('the role of a member changes when it is saved, and removal needs a confirmation', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    const body = { email: 'bo@example.com', role: 'viewer' };
    const { url } = (await client.json('/v1/invitations', { method: 'POST', body })) as { url: string };
    const token = new URL(url).hash.slice(1);
    const accept = { token, name: 'Bo', password: 'the wind is in the west' };
    await client.json('/v1/invitations/accept', { method: 'POST', body: accept });
    const roles = async () =>
      ((await client.json('/v1/members')) as { items: { user: { name: string }; role: string }[] }).items.map(
        ({ user, role }) => `${user.name} ${role}`,
      );
    await page.goto('/settings/members');
    await page.getByLabel('Role of Bo').selectOption('operator');
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    expect(await roles()).toContain('Bo viewer');
    await page.getByRole('button', { name: 'Save role of Bo' }).click();
    await page.getByRole('button', { name: 'Save role of Bo' }).waitFor({ state: 'detached' });
    expect(await roles()).toContain('Bo operator');
    await page.getByRole('button', { name: 'Remove Bo' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Back' }).click();
    expect(await roles()).toContain('Bo operator');
    await page.getByRole('button', { name: 'Remove Bo' }).click();
    await fixture.viewer.confirm('Remove member');
    await page.getByRole('row').filter({ hasText: 'bo@example.com' }).waitFor({ state: 'detached' });
    expect(await roles()).toEqual([`${admin.name} admin`]);
  });

  test('unsaved changes survive a link; the result of saving is in view', async () => {
    const { page } = fixture.viewer;
    await page.goto('/settings');
    await page.getByLabel('Events and steps (days)').fill('soon');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    // The first invalid field has the focus and is in view.
    await page.locator('[name=eventsDays]:focus').waitFor();
    await page.getByText('Not saved. Correct 1 field.').waitFor();
    const isInView = (words: string) =>
      page.getByText(words).evaluate((element) => {
        const { top, bottom } = element.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      });
    expect(await isInView('Not saved')).toBe(true);

    await page.getByLabel('Events and steps (days)').fill('20');
    await page.getByRole('link', { name: 'Members' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Discard changes?' });
    await dialog.waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Keep editing' }).click();
    expect(await page.getByLabel('Events and steps (days)').inputValue()).toBe('20');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('Settings saved.').waitFor();
    expect(await isInView('Settings saved.')).toBe(true);
    // Saved: nothing to lose.
    await page.getByRole('link', { name: 'Members' }).click();
    await page.waitForURL('**/settings/members');
    await page.getByRole('link', { name: 'Project', exact: true }).click();
    await page.getByLabel('Events and steps (days)').fill('10');
    await page.getByRole('link', { name: 'Members' }).click();
    await fixture.viewer.confirm('Discard changes');
    await page.waitForURL('**/settings/members');
    expect(await fixture.stack.client.json('/v1/projects/current')).toMatchObject({ retention: { eventsDays: 20 } });
  });

  test('an invitation is sent and appears in the audit log', async () => {
    const { page } = fixture.viewer;
    await page.goto('/settings/members');
    await page.getByRole('row').filter({ hasText: admin.email }).waitFor();
    await page.getByLabel('Email').fill('cy@example.com');
    await page.getByRole('button', { name: 'Create invitation link' }).click();
    expect(await page.getByLabel('Invitation link for cy@example.com').inputValue()).toMatch(
      `${fixture.consoleServer.url}/invitation#`,
    );
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Revoke invitation for cy@example.com' }).click();
    await fixture.viewer.confirm('Revoke invitation');
    await page.getByRole('row').filter({ hasText: 'cy@example.com' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('row').filter({ hasText: 'Create an API key' }).waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('link', { name: 'Profiles' }).click();
    await page.getByText('No browser profiles').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
  });

  test('the audit log is filtered and exported', async () => {
    const { page } = fixture.viewer;
    await page.goto('/settings/audit');
    await page.getByLabel('Action', { exact: true }).selectOption({ label: 'Create an API key' });
    await page.getByLabel('Actor: email address, key name or id').fill(admin.email);
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.waitForURL((url) => url.searchParams.get('action') === 'createApiKey');
    const log = page.getByRole('region', { name: 'Audit log' });
    await log.getByRole('row').filter({ hasText: 'Create an API key' }).first().waitFor();
    // The address changes before the list.
    await log.getByText('Invite a user').first().waitFor({ state: 'detached' });
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'NDJSON export' }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^audit-default-\d{4}-\d\d-\d\d\.ndjson$/);
    const entries = (await readFile(await download.path(), 'utf8')).trimEnd().split('\n');
    expect(entries.length).toBeGreaterThan(0);
    for (const entry of entries) expect(JSON.parse(entry)).toMatchObject({ action: 'createApiKey' });
    await page.goto('/settings/audit?actor=unknown@example.com');
    await page.getByText('No matching entries').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
  });

  test('a second project is created, renamed and selected, and shows nothing of the first', async () => {
    const { page } = fixture.viewer;
    await page.goto('/settings/projects');
    await page.getByLabel('Name', { exact: true }).fill('North Dock');
    await page.getByLabel('Identifier').fill('default');
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.getByText('It is taken').waitFor();
    await page.getByLabel('Identifier').fill('north-dock');
    await page.getByRole('button', { name: 'Create project' }).click();
    await page.getByText('Project North Dock created.').waitFor();
    await page.getByLabel('Name of North Dock').fill('South Dock');
    await page.getByRole('button', { name: 'Rename North Dock' }).click();
    await page.getByText('Project renamed to South Dock.').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Switch to South Dock' }).click();
    await page.waitForURL((url) => url.pathname === '/');
    const selected = page.getByLabel('Project', { exact: true }).locator('option:checked');
    await selected.filter({ hasText: 'South Dock' }).waitFor({ state: 'attached' });
    await page.goto('/settings/keys');
    await page.getByText('No API keys').waitFor();
    await page.goto('/settings/audit');
    const log = page.getByRole('region', { name: 'Audit log' });
    await log.getByText('Create a project').first().waitFor();
    expect(await log.getByText('Create an API key').count()).toBe(0);
    await page.setViewportSize(viewports.narrow);
    await page.goto('/settings/projects');
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
    await page.getByLabel('Project', { exact: true }).selectOption({ label: 'Default' });
    await page.waitForURL((url) => url.pathname === '/');
    await selected.filter({ hasText: 'Default' }).waitFor({ state: 'attached' });
    await page.setViewportSize(viewports.wide);
  });

  test('an account shows its sessions and ends the other ones', async () => {
    const { page } = fixture.viewer;
    const laptop = await Viewer.open(fixture.browser, fixture.consoleServer.url);
    await laptop.signIn(admin);
    await page.goto('/settings/account');
    await page.getByText(admin.email, { exact: true }).waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Sign out other sessions' }).click();
    await fixture.viewer.confirm('Sign out');
    await page.getByText('You are signed in only here.').waitFor();
    await laptop.page.goto('/runs');
    await laptop.page.waitForURL('**/sign-in**');
    await laptop.close();
    await page.getByLabel('Current password').fill('not my password');
    await page.getByLabel('New password').fill('another long password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Enter your current password.').waitFor();
  });
});
