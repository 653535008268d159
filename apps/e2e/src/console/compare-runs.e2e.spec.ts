import type { RunView } from '@pilothouse/contract/run/run.schema';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { useSharedConsole } from '../harness/console.fixture.ts';

describe('the comparison of two runs', () => {
  const fixture = useSharedConsole();

  const publish = async (method: 'POST' | 'PUT', path: string, name: string, target: unknown) => {
    const { client, site } = fixture.stack;
    const steps = [
      { action: 'navigate', url: `${site.url}/login?next=/catalogue`, title: 'Open the portal' },
      { action: 'fill', target: { label: 'E-mail' }, text: DEMO_ACCOUNT.email, title: 'Enter the e-mail' },
      { action: 'extract', target, value: {}, title: 'Read a text' },
    ];
    await client.json(`/v1/workflows${path}?publish=true`, { method, body: { name, steps } });
  };
  const start = async (name: string) => {
    const { client } = fixture.stack;
    const run = (await client.json(`/v1/workflows/${name}/runs`, { method: 'POST', body: {} })) as RunView;
    await client.waitForEnd(run.id);
    return run.id;
  };

  test('marks the first step that differs from the previous run', async () => {
    const { page } = fixture.viewer;
    await publish('POST', '', 'read-portal', { role: 'heading' });
    const first = await start('read-portal');
    const second = await start('read-portal');
    await publish('PUT', '/read-portal', 'read-portal', { css: 'label', nth: 0 });
    const third = await start('read-portal');

    await page.goto(`/runs/${second}`);
    await page.getByRole('link', { name: 'Compare with previous run' }).click();
    await page.waitForURL(`**/runs/compare?left=${first}&right=${second}`);
    await page.getByText('No differences in status, error, locator and output.').waitFor();
    const rows = page.getByRole('list', { name: 'Compared steps' }).getByRole('listitem');
    expect(await rows.count()).toBe(3);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);

    // Two runs are selected in the list, and the audit log links the workflow.
    await page.goto('/runs');
    await page.getByRole('checkbox', { name: `Select read-portal ${second.slice(0, 13)}` }).check();
    expect(await page.getByRole('link', { name: 'Compare 2 runs' }).count()).toBe(0);
    await page.getByRole('checkbox', { name: `Select read-portal ${first.slice(0, 13)}` }).check();
    await page.getByRole('link', { name: 'Compare 2 runs' }).click();
    await page.waitForURL(`**/runs/compare?left=${first}&right=${second}`);
    await page.goto('/settings/audit');
    await page.getByRole('link', { name: 'Workflow read-portal' }).first().click();
    await page.waitForURL('**/workflows/read-portal');
    await page.goto(`/runs/compare?left=${first}&right=${second}`);

    await page.getByLabel('Right run').selectOption(third);
    await page.waitForURL(`**/runs/compare?left=${first}&right=${third}`);
    await page.getByText('1 step differs.').waitFor();
    const marked = rows.filter({ hasText: 'First difference' });
    expect(await marked.count()).toBe(1);
    await marked.getByText(/^css=label/).waitFor();
    await marked.getByText('Output', { exact: true }).waitFor();
    await marked.locator('summary').click();
    await marked.getByRole('region', { name: 'Diff' }).getByText('E-mail').first().waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await marked.getByRole('link').last().click();
    await page.waitForURL(`**/runs/${third}?step=3`);
    await page.getByRole('heading', { name: 'Read a text' }).waitFor();
  });

  test('runs of different workflows are named', async () => {
    const { page } = fixture.viewer;
    await publish('POST', '', 'read-other', { role: 'heading' });
    await publish('POST', '', 'read-another', { role: 'heading' });
    const [left, right] = [await start('read-other'), await start('read-another')];
    await page.goto(`/runs/compare?left=${left}&right=${right}`);
    await page.getByRole('heading', { name: 'Compare read-other and read-another', level: 1 }).waitFor();
    await page.getByRole('link', { name: `read-other ${left.slice(0, 13)}` }).waitFor();
    expect(await page.getByLabel('Left run').locator('option:checked').innerText()).toContain('Completed');
  });

  test('a first run has nothing to compare with', async () => {
    const { page } = fixture.viewer;
    await publish('POST', '', 'read-once', { role: 'heading' });
    const run = await start('read-once');
    await page.goto(`/runs/compare?right=${run}`);
    await page.getByText('This workflow has no earlier run. Select a run to compare.').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    // The page of a run that does not exist is not found.
    await page.goto(`/runs/compare?left=${run}&right=01990000-0000-7000-8000-000000000000`);
    await page.getByText('another project').waitFor();
    expect(await page.getByRole('list', { name: 'Compared steps' }).count()).toBe(0);
    // A link without runs says how to compare.
    await page.goto('/runs/compare');
    await page.getByText('Select two runs in the list of runs').waitFor();
  });
});
