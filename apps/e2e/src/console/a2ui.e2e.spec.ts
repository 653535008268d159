import { createClient } from '@pilothouse/client';
import { TestServer } from '@pilothouse/testing/test-server';
import { startConsole } from '../harness/console-process.ts';
import { until } from '../harness/poll-until.ts';
import { useConsole } from '../harness/console.fixture.ts';

describe('the A2UI view of a run', () => {
  const fixture = useConsole({ workers: 0 });

  test('shows pending steps, continues after a lost connection, and sends an answer to the run', async () => {
    const { page } = fixture.viewer;
    // The request is not idempotent, and its worker dies before the site responds.
    const arrived = Promise.withResolvers<undefined>();
    let answers = false;
    const site = new TestServer((_, response) => {
      arrived.resolve(undefined);
      if (answers) response.end('{}');
    });
    await site.start();
    try {
      const url = `${site.origin}/order`;
      const definition = {
        name: 'order-rope',
        steps: [
          { action: 'http', method: 'POST', url, title: 'Order', timeout: 120 },
          { action: 'navigate', url: fixture.stack.site.url, title: 'Look at the harbour' },
        ],
        output: { bought: 'a rope' },
      };
      const run = await fixture.stack.client.submit({ definition });
      const otherRun = await fixture.stack.client.submit({ definition: { ...definition, name: 'of-another-run' } });
      await fixture.stack.client.cancel(otherRun.id);
      await page.goto(`/runs/${run.id}/a2ui`);
      const row = (title: string) => page.getByRole('listitem').filter({ hasText: title });
      await row('Look at the harbour').getByText('pending').waitFor();
      expect(await fixture.viewer.accessibilityViolations()).toEqual([]);

      // The console restarts at the same address while a worker starts.
      await fixture.consoleServer.program.stop();
      await page.getByText('Connection lost').waitFor();
      const worker = await fixture.stack.addWorker();
      await arrived.promise;
      fixture.consoleServer = await startConsole(
        fixture.stack.client.url,
        Number(new URL(fixture.consoleServer.url).port),
      );
      await row('Order').getByText('running').waitFor();

      await worker.kill();
      await fixture.stack.addWorker();
      const repeat = page.getByRole('button', { name: 'Run the step again' });
      await repeat.waitFor();
      await row('Order').getByText('interrupted').waitFor();
      const pulses = (title: string) =>
        row(title)
          .first()
          .evaluate((item) =>
            [...item.querySelectorAll('*')]
              .map((element) => getComputedStyle(element, '::after').animationName)
              .filter((name) => name !== 'none' && name !== ''),
          );
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      expect(await pulses('Order')).toEqual(['wait-pulse']);
      expect(await pulses('Look at the harbour')).toEqual([]);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      expect(await pulses('Order')).toEqual([]);
      expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
      answers = true;
      await repeat.click();
      await row('Look at the harbour').getByText('completed').waitFor();
      await page.getByText('a rope').waitFor();
      await repeat.waitFor({ state: 'detached' });
      expect((await fixture.stack.client.waitForEnd(run.id)).status).toBe('completed');
      expect(await page.content()).not.toContain('of-another-run');
      // The stream restarts from the beginning, without duplicates.
      await page.reload();
      await page.getByText('a rope').waitFor();
      await until('each step has one row', async () => (await row('Order').count()) === 1);

      // A run that was not carried out has its steps skipped.
      await page.goto(`/runs/${otherRun.id}/a2ui`);
      await row('Order').getByText('skipped').waitFor();
      expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    } finally {
      await site.stop();
    }
  });

  test('shows the stages and files of a run; active rows are animated, and a button cancels the run', async () => {
    const { page } = fixture.viewer;
    const { client, site } = fixture.stack;
    const run = await client.submit({
      definition: {
        name: 'wait-long',
        steps: [
          { action: 'navigate', url: `${site.url}/public/widgets`, title: 'Open the widgets' },
          { action: 'waitFor', condition: { text: 'This text never comes' }, timeout: 120, title: 'Wait for a text' },
        ],
      },
      capture: { screenshots: 'none', video: 'small' },
    });
    await page.goto(`/runs/${run.id}/a2ui`);
    const row = (title: string) => page.getByRole('listitem').filter({ hasText: title });
    await row('Validate workflow and inputs').getByText('completed').waitFor();
    await row('Start the browser').getByText('completed').waitFor();
    await row('Wait for a text').getByText('running').waitFor();
    expect(await row('Wait for a text').locator('.animate-spin').count()).toBe(1);
    expect(await row('Open the widgets').locator('.animate-spin').count()).toBe(0);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Cancel run' }).click();
    expect((await client.waitForEnd(run.id)).status).toBe('cancelled');
    await page.getByText(/^Cancelled by/).waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).waitFor({ state: 'detached' });
    await row('File video')
      .getByText(/^video, \d+ bytes$/)
      .waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
  });

  test('the client submits a run and reads its stream', async () => {
    const { url, key } = fixture.stack.client;
    const runs: string[] = [];
    const messages: object[] = [];
    const client = createClient({ url, key });
    const body = { run: { steps: [{ action: 'navigate' as const, url: `${fixture.stack.site.url}/public/widgets` }] } };
    for await (const message of client.submitA2ui(body as never, { onRun: (run) => runs.push(run) }))
      messages.push(message);
    expect((await fixture.stack.client.run(runs[0] ?? '')).status).toBe('completed');
    expect(messages[0]).toMatchObject({ createSurface: { surfaceId: `run-${runs[0]}` } });
    expect(JSON.stringify(messages)).toContain('Completed in');
    // All events are known: the stream of the ended run starts again.
    let count = 0;
    for await (const message of client.a2ui(runs[0] ?? '')) count += Object.keys(message).length > 0 ? 1 : 0;
    expect(count).toBe(messages.length);
  });
});
