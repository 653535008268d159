import type { FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import { TestServer } from '@pilothouse/testing/test-server';
import { until } from '../harness/poll-until.ts';
import { useConsole } from '../harness/console.fixture.ts';

describe('home and fleets', () => {
  const fixture = useConsole({ workers: 1 });

  test('a fleet shows its workers, is paused and resumed', async () => {
    const { page } = fixture.viewer;
    await page.getByRole('link', { name: 'Fleets' }).click();
    await page.getByRole('row').filter({ hasText: 'worker-1' }).getByText('ready').waitFor();
    await page.getByText('0/4 slots in use').waitFor();
    await page.getByText('Limits are set in the Helm values').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('running runs continue, queued runs wait').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    expect(await fixture.stack.client.json('/v1/fleets/browsers')).toMatchObject({ paused: true });
    const { id } = await fixture.stack.client.submit({ steps: [{ action: 'navigate', url: fixture.stack.site.url }] });
    await page.getByRole('definition').filter({ hasText: /^1$/ }).first().waitFor();
    // The queue is sampled every 15 s while a page is open.
    await page.getByText('1 queued, 0 running, 4 slots, 1 worker').waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Resume' }).click();
    expect((await fixture.stack.client.waitForEnd(id)).status).toBe('completed');
  });

  test('home counts runs and links to failed ones', async () => {
    const { page } = fixture.viewer;
    await page.goto('/');
    const steps = [{ action: 'click', target: { role: 'button', name: 'Nowhere' }, timeout: 1 }];
    const { id } = await fixture.stack.client.submit({ definition: { name: 'goes-wrong', steps } });
    await fixture.stack.client.waitForEnd(id);
    await page.getByRole('link', { name: 'goes-wrong' }).waitFor();
    await page.getByText('50%').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('link', { name: 'TARGET_NOT_FOUND', exact: true }).click();
    await page.waitForURL(/error=TARGET_NOT_FOUND/);
    await page.getByRole('row').filter({ hasText: 'goes-wrong' }).waitFor();
    await page.getByText('Only TARGET_NOT_FOUND').waitFor();
  });

  test('a lost connection is shown and recovers', async () => {
    const { page } = fixture.viewer;
    for (const path of ['/', '/fleets', '/runs']) {
      await page.goto(path);
      await page.context().setOffline(true);
      await page.getByText('Connection lost. Reconnecting…').waitFor();
      await page
        .getByText(path === '/runs' ? 'goes-wrong' : 'browsers')
        .first()
        .waitFor();
      await page.context().setOffline(false);
      await page.getByText('Connection lost. Reconnecting…').waitFor({ state: 'detached' });
    }
    // Page requests fail, as with a lost connection.
    await page.route(/settings\.data/, (route) => route.abort());
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByText('API unavailable').waitFor();
    await page.unrouteAll();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  });

  test('the worker limits of a fleet are changed, with errors at their fields', async () => {
    const { page } = fixture.viewer;
    await page.goto('/fleets');
    await page.getByRole('button', { name: 'Edit limits' }).click();
    await page.getByLabel('Minimum workers').fill('9');
    await page.getByLabel('Maximum workers').fill('3');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('minWorkers (9) must not exceed maxWorkers (3)').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByLabel('Minimum workers').fill('0');
    await page.getByLabel('Minimum workers').press('Enter');
    await page.getByText('Saved.').waitFor();
    await page.getByRole('button', { name: 'Close' }).first().click();
    await page.getByText('1 (min 0, max 3)').waitFor();
    expect(await fixture.stack.client.json('/v1/fleets/browsers')).toMatchObject({ minWorkers: 0, maxWorkers: 3 });
    await page.goto('/settings/audit');
    await page.getByRole('row').filter({ hasText: 'Change the limits of a fleet' }).waitFor();
  });

  test('a cordoned worker stays and takes no run until it is uncordoned', async () => {
    const { page } = fixture.viewer;
    await page.goto('/fleets');
    const worker = page.getByRole('row').filter({ hasText: 'worker-1' });
    await worker.getByRole('button', { name: 'Cordon worker-1', exact: true }).press('Enter');
    await worker.getByText('cordoned').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    const { id } = await fixture.stack.client.submit({ steps: [{ action: 'navigate', url: fixture.stack.site.url }] });
    await page.getByRole('definition').filter({ hasText: /^1$/ }).first().waitFor();
    // The run was dispatched immediately, but not to this worker.
    await until('the worker renewed after that', async () => {
      const { workers } = (await fixture.stack.client.json('/v1/fleets/browsers')) as FleetView;
      const { createdAt } = await fixture.stack.client.run(id);
      return Date.parse(workers[0]?.lastSeenAt ?? '') > Date.parse(createdAt) + 2_000 || undefined;
    });
    expect(await fixture.stack.client.run(id)).toMatchObject({ status: 'queued', attempts: 0 });
    await worker.getByRole('button', { name: 'Uncordon worker-1' }).press('Enter');
    expect((await fixture.stack.client.waitForEnd(id)).status).toBe('completed');
    await worker.getByRole('button', { name: 'Cordon worker-1', exact: true }).waitFor();
  });

  test('a drained worker finishes its run, takes no other, and exits', async () => {
    const { page } = fixture.viewer;
    // A page that completes on request.
    const gate = Promise.withResolvers<undefined>();
    const site = new TestServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      if (request.url === '/gate') void gate.promise.then(() => response.end('open'));
      else response.end(`<script>fetch('/gate').then(() => (document.body.textContent = 'Low tide'))</script>`);
    });
    await site.start();
    try {
      const url = `${site.origin}/`;
      const first = await fixture.stack.client.submit({
        steps: [
          { action: 'navigate', url },
          { action: 'waitFor', condition: { text: 'Low tide' }, timeout: 120 },
        ],
      });
      await page.goto('/fleets');
      const worker = page.getByRole('row').filter({ hasText: 'worker-1' });
      await worker.getByText('1/4').waitFor();
      await worker.getByRole('link').waitFor();
      await worker.getByRole('button', { name: 'Drain worker-1' }).click();
      const { state } = ((await fixture.stack.client.json('/v1/fleets/browsers')) as FleetView).workers[0] ?? {};
      expect(state).toBe('ready');
      await fixture.viewer.confirm('Drain worker');
      await worker.getByText('draining').waitFor();
      expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
      const second = await fixture.stack.client.submit({ steps: [{ action: 'navigate', url }] });
      gate.resolve(undefined);
      expect((await fixture.stack.client.waitForEnd(first.id)).status).toBe('completed');
      await until('the worker exits', () => fixture.stack.workers[0]?.isRunning === false, 60_000);
      await worker.waitFor({ state: 'detached' });
      expect(await fixture.stack.client.run(second.id)).toMatchObject({ status: 'queued', attempts: 0 });
      await fixture.stack.addWorker();
      expect((await fixture.stack.client.waitForEnd(second.id)).status).toBe('completed');
    } finally {
      gate.resolve(undefined);
      await site.stop();
    }
  });
});
