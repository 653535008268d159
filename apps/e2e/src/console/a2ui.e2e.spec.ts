import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startConsole } from '../harness/console-process.ts';
import { until } from '../harness/poll-until.ts';
import { useConsole } from '../harness/console.fixture.ts';

describe('the stream of a run in the A2UI renderer', () => {
  const fixture = useConsole({ workers: 0 });

  test('shows pending steps, continues after a lost connection, and sends an answer to the run', async () => {
    const { page } = fixture.viewer;
    // The request is not idempotent, and its worker dies before the site responds.
    const arrived = Promise.withResolvers<undefined>();
    let answers = false;
    const site = createServer((_, response) => {
      arrived.resolve(undefined);
      if (answers) response.end('{}');
    });
    site.listen(0, '127.0.0.1');
    await once(site, 'listening');
    try {
      const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/order`;
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
      await page.getByText('The connection is gone').waitFor();
      const worker = await fixture.stack.addWorker();
      await arrived.promise;
      fixture.consoleServer = await startConsole(
        fixture.stack.client.url,
        Number(new URL(fixture.consoleServer.url).port),
      );
      await row('Order').getByText('running').waitFor();

      await worker.kill();
      await fixture.stack.addWorker();
      const repeat = page.getByRole('button', { name: /do it/ });
      await repeat.waitFor();
      await row('Order').getByText('interrupted').waitFor();
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
      await until('each step is told once', async () => (await row('Order').count()) === 1);

      // A run that was not carried out has its steps skipped.
      await page.goto(`/runs/${otherRun.id}/a2ui`);
      await row('Order').getByText('skipped').waitFor();
      expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    } finally {
      site.closeAllConnections();
      site.close();
    }
  });
});
