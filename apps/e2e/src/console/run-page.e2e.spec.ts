import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { TestServer } from '@pilothouse/testing/test-server';
import { parseWorkflow } from '@pilothouse/core/workflow/parse-workflow';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../harness/bundles.ts';
import { startConsole } from '../harness/console-process.ts';
import { until } from '../harness/poll-until.ts';
import { admin, useConsole } from '../harness/console.fixture.ts';

describe('the run page', () => {
  const fixture = useConsole({ workers: 0 });

  const step = (name: string) =>
    fixture.viewer.page.getByRole('list', { name: 'Steps' }).getByRole('listitem').filter({ hasText: name });

  test('shows a run live from the first step to the last, across a lost connection', async () => {
    const { page } = fixture.viewer;
    const run = await fixture.stack.client.submit({
      definition: {
        name: 'read-tides',
        inputs: { password: { type: 'string', secret: true } },
        steps: [
          { action: 'navigate', url: `${fixture.stack.site.url}/login?next=/catalogue`, title: 'Open the portal' },
          { action: 'fill', target: { label: 'E-mail' }, text: DEMO_ACCOUNT.email },
          { action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' },
          { action: 'click', target: { role: 'button', name: 'Log in' }, title: 'Log in' },
          { id: 'head', action: 'extract', target: { role: 'heading' }, value: {}, title: 'Read the heading' },
        ],
        output: { head: '{{steps.head.value}}' },
      },
      inputs: { password: DEMO_ACCOUNT.password },
      capture: { screenshots: 'before-and-after' },
    });
    await page.goto(`/runs/${run.id}`);
    await page.getByText('Queued', { exact: true }).waitFor();
    // Pending steps are listed before a worker starts.
    await step('Read the heading').getByText('Pending').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);

    // After a restart of the console the page reconnects and receives missed events.
    await fixture.consoleServer.program.stop();
    await page.getByText('Connection lost').waitFor();
    await fixture.stack.addWorker();
    fixture.consoleServer = await startConsole(
      fixture.stack.client.url,
      Number(new URL(fixture.consoleServer.url).port),
    );
    await page.getByText('Completed', { exact: true }).waitFor();
    for (const name of ['Open the portal', 'Log in', 'Read the heading']) await step(name).getByText('Done').waitFor();
    expect((await fixture.stack.client.waitForEnd(run.id)).status).toBe('completed');

    await page.getByLabel('Output').getByText('"head"').waitFor();
    await step('Log in').getByRole('button').click();
    const image = page.getByRole('img', { name: 'Before: Log in' });
    await image.waitFor();
    await until('the image is shown', () =>
      image.evaluate((element) => (element as unknown as { naturalWidth: number }).naturalWidth > 100),
    );
    await page.getByRole('tab', { name: /Events/ }).click();
    await page.getByText('run.completed').waitFor();
    await page.getByRole('tab', { name: /Artifacts/ }).click();
    const downloading = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download 01-navigate.jpg' }).click();
    expect((await downloading).suggestedFilename()).toBe('01-navigate.jpg');
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    expect(await page.content()).not.toContain(DEMO_ACCOUNT.password);

    // The live view equals the view after a reload.
    const stepsText = await page.getByRole('list', { name: 'Steps' }).innerText();
    await page.reload();
    await until(
      'the page shows the steps',
      async () => (await page.getByRole('list', { name: 'Steps' }).innerText()) === stepsText,
    );
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await page.getByText('Retry of').waitFor();
    expect(page.url()).not.toContain(run.id);

    // The key of the first run, the user of its retry, and its audit log entry.
    await page.getByText('Started by').waitFor();
    await page.getByRole('link', { name: admin.email }).click();
    await page.getByRole('link', { name: 'Clear filters' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Retry a run' }).filter({ hasText: admin.email }).waitFor();
    expect(await page.locator('tbody').getByRole('row').count()).toBe(1);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('link', { name: 'Clear filters' }).click();
    await page.getByRole('row').filter({ hasText: 'Sign in' }).first().waitFor();
    await page.goto(`/runs/${run.id}`);
    await page.getByText('(API key)').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
  });

  test('shows the browser during the run', async () => {
    const { page } = fixture.viewer;
    if (fixture.stack.workers.length === 0) await fixture.stack.addWorker();
    const run = await fixture.stack.client.submit({
      steps: [
        { action: 'navigate', url: `${fixture.stack.site.url}/public/widgets` },
        { action: 'waitFor', condition: { text: 'This text never comes' }, timeout: 120 },
      ],
    });
    // The first connection fails.
    const broken = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/live'));
    await page.route('**/live', (route) => route.abort(), { times: 1 });
    await page.goto(`/runs/${run.id}`);
    await broken;
    const live = page.getByRole('img', { name: 'Live browser view' });
    await until(
      'the page is seen',
      () => live.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 300),
      60_000,
    );
    await until('it is shown as wide', () =>
      live.evaluate((image) => (image as unknown as { width: number }).width > 300),
    );
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await fixture.stack.client.cancel(run.id);
    await page.getByText('Cancelled', { exact: true }).first().waitFor();
    await live.waitFor({ state: 'detached' });
  });

  test('shows a question and sends the answer to the run', async () => {
    const { page } = fixture.viewer;
    // The request is not idempotent, and its worker dies before the site responds.
    const arrived = Promise.withResolvers<undefined>();
    let answers = false;
    let times = 0;
    const site = new TestServer((_, response) => {
      times += 1;
      arrived.resolve(undefined);
      if (answers) response.end('{}');
    });
    await site.start();
    try {
      if (fixture.stack.workers.length === 0) await fixture.stack.addWorker();
      const url = `${site.origin}/order`;
      const run = await fixture.stack.client.submit({
        steps: [{ action: 'http', method: 'POST', url, title: 'Order', timeout: 120 }],
      });
      await page.goto(`/runs/${run.id}`);
      await arrived.promise;
      for (const worker of fixture.stack.workers) if (worker.isRunning) await worker.kill();
      await fixture.stack.addWorker();
      const question = page.getByRole('region', { name: 'Question' });
      await question.waitFor();
      await page.getByText('Needs input', { exact: true }).waitFor();
      await step('Order').getByText('Interrupted').waitFor();
      expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
      answers = true;
      const { choices } = (await fixture.stack.client.run(run.id)).question ?? { choices: [] };
      const retryTitle = choices.find(({ choice }) => choice === 'retry')?.title ?? '';
      await question.getByRole('button', { name: retryTitle }).click();
      await page.getByText('Completed', { exact: true }).waitFor();
      await question.waitFor({ state: 'detached' });
      expect(times).toBe(2);
      expect((await fixture.stack.client.waitForEnd(run.id)).status).toBe('completed');
    } finally {
      await site.stop();
    }
  });

  test('shows the error of a failed run and the skipped steps', async () => {
    const { page } = fixture.viewer;
    if (fixture.stack.workers.length === 0) await fixture.stack.addWorker();
    const run = await fixture.stack.client.submit({
      steps: [
        { action: 'navigate', url: fixture.stack.site.url },
        { action: 'click', target: { role: 'button', name: 'Nowhere' }, title: 'Press nothing', timeout: 1 },
        { action: 'screenshot', title: 'Never taken' },
      ],
    });
    await fixture.stack.client.waitForEnd(run.id);
    await page.goto(`/runs/${run.id}`);
    await step('Press nothing').getByText('Failed').waitFor();
    await step('Never taken').getByText('Skipped').waitFor();
    // The failed step is selected, with its image.
    await page.getByRole('heading', { name: 'Press nothing' }).waitFor();
    await page.getByRole('img', { name: 'After: Press nothing' }).waitFor();
    await page.goto(`/runs?status=failed`);
    await page.getByRole('row').filter({ hasText: 'TARGET_NOT_FOUND' }).waitFor();
  });

  test('shows a canceled run and its steps as canceled, without activity indicators', async () => {
    const { page } = fixture.viewer;
    if (fixture.stack.workers.length === 0) await fixture.stack.addWorker();
    const run = await fixture.stack.client.submit({
      steps: [
        { action: 'navigate', url: fixture.stack.site.url, title: 'Open the site' },
        { action: 'waitFor', condition: { text: 'This text never comes' }, timeout: 120, title: 'Wait for nothing' },
        { action: 'screenshot', title: 'Never taken' },
      ],
    });
    const spinners = page.locator('.animate-spin');
    const badge = page.getByText('Cancelled', { exact: true }).first();
    await page.goto(`/runs/${run.id}`);
    await step('Wait for nothing').getByText('Running').waitFor();
    expect(await spinners.count()).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await fixture.viewer.confirm('Cancel run');
    const appearance = async () => {
      await badge.waitFor();
      await page.getByText('Cancelled by').waitFor();
      await page.getByText(admin.email).first().waitFor();
      await step('Open the site').getByText('Done').waitFor();
      await step('Wait for nothing').getByText('Cancelled', { exact: true }).waitFor();
      await step('Never taken').getByText('Skipped').waitFor();
      expect(await spinners.count()).toBe(0);
      expect(await page.getByRole('list', { name: 'Steps' }).locator('.text-bad').count()).toBe(0);
      expect(await page.getByRole('button', { name: 'Take control' }).count()).toBe(0);
      // An inline definition has no workflow page.
      expect(await page.locator('a[href*="/workflows/"]').count()).toBe(0);
    };
    await appearance();
    expect((await fixture.stack.client.waitForEnd(run.id)).status).toBe('cancelled');
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    // The live view equals the view after a reload.
    await page.reload();
    await appearance();
  });

  test('shows the timeline of a queued run, and its steps as they arrive', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    await client.json('/v1/fleets/browsers/pause', { method: 'POST' });
    const definition = parseWorkflow(readFileSync(join(root, 'docs/examples/low-stock.yaml'), 'utf8'));
    const inputs = { site_url: fixture.stack.site.url, password: DEMO_ACCOUNT.password, limit: 40 };
    const { id } = await client.submit({ definition, inputs });
    await page.goto(`/runs/${id}`);
    await page.getByText('Steps appear when the run starts.').waitFor();
    expect(await page.getByText('deleted by the retention policy').count()).toBe(0);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await client.json('/v1/fleets/browsers/resume', { method: 'POST' });
    if (!fixture.stack.workers.some(({ isRunning }) => isRunning)) await fixture.stack.addWorker();
    await page.getByRole('list', { name: 'Steps' }).getByRole('listitem').nth(3).waitFor();
    expect((await client.waitForEnd(id)).status).toBe('completed');
  });
});
