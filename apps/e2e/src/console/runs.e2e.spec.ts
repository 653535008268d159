import { until } from '../harness/poll-until.ts';
import { useConsole } from '../harness/console.fixture.ts';

describe('the list of runs', () => {
  const fixture = useConsole({ workers: 0 });

  const submit = (name: string, parentRunId?: string) =>
    fixture.stack.client.submit({
      definition: { name, steps: [{ action: 'navigate', url: fixture.stack.site.url }] },
      labels: { team: 'harbour' },
      parentRunId,
    });

  test('shows new and changed runs, and cancels several at once', async () => {
    const { page } = fixture.viewer;
    await page.goto('/runs');
    // New runs appear without a reload.
    const ids = await Promise.all(['first', 'second', 'third'].map(async (name) => (await submit(name)).id));
    const row = (name: string) => page.getByRole('row').filter({ hasText: name });
    for (const name of ['first', 'second', 'third']) await row(name).getByText('Queued').waitFor();
    await fixture.stack.client.cancel(ids[0] ?? '');
    await row('first').getByText('Cancelled').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);

    for (const name of ['first', 'second', 'third']) await row(name).getByRole('checkbox').check();
    // An ended run is not canceled.
    await page.getByRole('button', { name: 'Cancel 2 runs' }).click();
    await fixture.viewer.confirm('Cancel runs');
    await page.getByText('2 runs cancelled').waitFor();
    for (const name of ['second', 'third']) await row(name).getByText('Cancelled').waitFor();
    expect(await Promise.all(ids.map(async (id) => (await fixture.stack.client.run(id)).status))).toEqual(
      Array(3).fill('cancelled'),
    );
  });

  test('retries several at once', async () => {
    const { page } = fixture.viewer;
    const names = ['morning', 'evening'];
    const ids = await Promise.all(names.map(async (name) => (await submit(name)).id));
    await Promise.all(ids.map((id) => fixture.stack.client.cancel(id)));
    await page.goto('/runs');
    const rows = (name: string) => page.getByRole('row').filter({ hasText: name });
    for (const name of names) await rows(name).filter({ hasText: 'Cancelled' }).getByRole('checkbox').check();
    await page.getByRole('button', { name: 'Retry 2 runs' }).click();
    await page.getByText('2 runs retried').waitFor();
    // The new runs appear above the originals.
    for (const name of names) await rows(name).filter({ hasText: 'Queued' }).waitFor();
    for (const id of ids) {
      expect(await fixture.stack.client.json(`/v1/runs?retryOf=${id}`)).toMatchObject({
        items: [{ status: 'queued', origin: { kind: 'retry', run: id }, labels: { team: 'harbour' } }],
      });
    }
  });

  test('filters by the URL', async () => {
    const { page } = fixture.viewer;
    await submit('waiting');
    await page.goto('/runs');
    await page.getByRole('link', { name: 'waiting' }).waitFor();
    await page.getByLabel('Search by name').fill('waiting');
    await page.getByLabel('Search by name').press('Enter');
    await page.waitForURL(/text=waiting/);
    await page.getByText('Failed', { exact: true }).click();
    await page.waitForURL(/status=failed/);
    await page.getByText('No runs match').waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'waiting' }).waitFor();
    const failed = page.getByText('Failed', { exact: true });
    await until('it is no longer wanted', async () => !(await failed.isChecked()));
  });

  test('shows the child runs of a run', async () => {
    const { page } = fixture.viewer;
    const parent = await submit('crew');
    const title = page.getByRole('heading', { name: 'Child runs' });
    const childLinks = page.getByRole('link', { name: /sailor/ });
    await page.goto(`/runs/${parent.id}`);
    await page.getByRole('heading', { name: 'crew', level: 1 }).waitFor();
    expect(await title.count()).toBe(0);
    // The first child runs appear without a reload.
    for (let n = 1; n <= 6; n += 1) await submit(`sailor-${n}`, parent.id);
    await title.waitFor();
    await page.getByRole('link', { name: 'Show all' }).waitFor();
    expect(await childLinks.count()).toBe(5);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);

    await page.getByRole('link', { name: 'Show all' }).click();
    await page.waitForURL(`**/runs?parent=${parent.id}`);
    await until('all child runs are listed', async () => (await childLinks.count()) === 6);
    await fixture.stack.client.cancel(parent.id);
    await until(
      'they are cancelled',
      async () => (await page.getByRole('row').filter({ hasText: 'Cancelled' }).count()) === 6,
    );
    await childLinks.first().click();
    await page.getByRole('term').filter({ hasText: 'Parent' }).waitFor();
    await page.getByRole('link', { name: parent.id.slice(0, 13) }).click();
    await page.waitForURL(`**/runs/${parent.id}`);
  });

  test('a view is saved, selected and deleted', async () => {
    const { page } = fixture.viewer;
    await page.goto('/runs?status=failed&span=24h');
    await page.getByRole('button', { name: 'Save view' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Failed today');
    await page.getByLabel('Share with the project').check();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const view = page.getByRole('link', { name: 'Failed today' });
    await view.waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    expect(await fixture.stack.client.json('/v1/saved-views')).toMatchObject({
      items: [{ name: 'Failed today', search: 'status=failed&span=24h', shared: true }],
    });
    await page.goto('/runs');
    await view.click();
    await page.waitForURL(/status=failed&span=24h/);
    await page.getByRole('button', { name: 'Delete view Failed today' }).click();
    await view.waitFor({ state: 'detached' });
    expect(await fixture.stack.client.json('/v1/saved-views')).toEqual({ items: [] });
  });

  test('supports keyboard shortcuts and lists them', async () => {
    const { page } = fixture.viewer;
    const runs = page.getByRole('heading', { name: 'Runs', level: 1 });
    // Key sequences time out, so on a busy machine the keys may need repetition.
    await until('g and r lead to the runs', async () => {
      await page.keyboard.press('g');
      await page.keyboard.press('r');
      return runs.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
    });
    await page.keyboard.press('/');
    await page.keyboard.type('g h?');
    expect(await page.getByLabel('Search by name').inputValue()).toBe('g h?');
    await runs.click();
    await page.getByLabel('Search by name').blur();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor({ state: 'hidden' });
  });

  test('an unknown page shows an error', async () => {
    const { page } = fixture.viewer;
    const answer = await page.goto('/nowhere');
    expect(answer?.status()).toBe(404);
    await page.getByText('Not found').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
  });
});
