import type { WorkflowDetail } from '@pilothouse/contract/api/workflows.routes';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { TestServer } from '@pilothouse/testing/test-server';
import { useSharedConsole } from '../harness/console.fixture.ts';

describe('the run page with a retried step', () => {
  const fixture = useSharedConsole();
  let answers = false;
  const service = new TestServer((_request, response) => {
    response.writeHead(answers ? 200 : 503, { 'content-type': 'application/json' });
    response.end('{"eur":1.1}');
  });
  beforeAll(() => service.start());
  afterAll(async () => {
    await service.stop();
  });

  test('shows the attempts during and after the backoff, and links to the step by id', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    const url = `${service.origin}/rates`;
    const definition = {
      name: 'read-rates',
      steps: [
        { action: 'navigate', url: `${fixture.stack.site.url}/login`, title: 'Open the portal' },
        { id: 'rates', action: 'http', url, title: 'Read the rates', retry: { maxAttempts: 4, backoffSeconds: 3 } },
      ],
    };
    await (client.json('/v1/workflows?publish=true', { method: 'POST', body: definition }) as Promise<WorkflowDetail>);
    const run = (await client.json('/v1/workflows/read-rates/runs', { method: 'POST', body: {} })) as RunView;
    await page.goto(`/runs/${run.id}`);
    const step = page.getByRole('list', { name: 'Steps' }).getByRole('listitem').filter({ hasText: 'Read the rates' });
    await step.getByText('Waiting to retry').waitFor();
    await step.getByText(/^Attempt 1 of 4 failed: /).waitFor();
    await step.getByText('2 attempts').waitFor();
    answers = true;
    await page.getByText('Completed', { exact: true }).waitFor();
    await step.getByText('3 attempts').waitFor();
    await step.getByText('Done').waitFor();

    await page.getByRole('tab', { name: 'Step' }).click();
    await step.getByRole('button').click();
    await page.getByText('Failed attempts: 2').waitFor();
    await page.getByText(/^2 of 4, .*: REQUEST_FAILED /).waitFor();
    // The live view equals the view after a reload.
    const stepText = await step.innerText();
    await page.reload();
    await step.getByText('3 attempts').waitFor();
    expect(await step.innerText()).toBe(stepText);

    await page.getByRole('tab', { name: 'Step' }).click();
    await step.getByRole('button').click();
    await page.getByRole('link', { name: 'Edit this step' }).click();
    await page.waitForURL('**/workflows/read-rates/edit?version=1#at=rates');
    await page.getByRole('heading', { name: 'http', level: 3 }).waitFor();
    await page.goto('/workflows');
    await page.getByText('2 step retries').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
  });
});
