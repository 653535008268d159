import type { ProposalView } from '@pilothouse/contract/api/proposals.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { WorkflowView } from '@pilothouse/contract/workflow/workflow.schema';
import { call, ParsedPrompt } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { TestServer } from '@pilothouse/testing/test-server';
import { until } from '../harness/poll-until.ts';
import { viewports } from '../harness/console-page.ts';
import { useConsole } from '../harness/console.fixture.ts';

describe('a finished run', () => {
  let models: ModelServer;
  /** Content of the shop, and the received passwords. */
  let body = '';
  const passwords: string[] = [];
  const shop = new TestServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://shop');
    const password = searchParams.get('password');
    if (password !== null) passwords.push(password);
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><title>Shop</title><link rel="icon" href="data:,">${pathname === '/' ? body : '<h1>Done</h1>'}`,
    );
  });
  const url = () => shop.origin;
  beforeAll(async () => {
    await shop.start();
    models = await startModels();
    // Enters the shop, and is done there.
    models.policy = ({ system, text }) => {
      const prompt = new ParsedPrompt(`${system}\n${text.trimEnd()}`);
      if (system.includes('You verify the work')) return { text: '{"verdict":"success","why":"It is in"}' };
      const link = prompt.maybe(/link "Sign in"/);
      return {
        text: 'As the page says',
        calls:
          link !== undefined
            ? [call('click', { element: link })]
            : [call('done', { title_or_url: '/in', indicators: ['Done'] })],
      };
    };
  });
  afterAll(async () => {
    await models?.close();
    await shop.stop();
  });
  const fixture = useConsole({
    workers: 1,
    api: () => ({ PILOTHOUSE_MODEL: 'gemini/policy', GEMINI_API_KEY: 'key-of-gemini', GEMINI_BASE_URL: models.url }),
  });

  const json = <Answer>(path: string, request: Parameters<typeof fixture.stack.client.json>[1] = {}) =>
    fixture.stack.client.json(path, request) as Promise<Answer>;
  const open = async (id: string) => {
    await fixture.viewer.page.goto(`/runs/${id}`);
    await fixture.viewer.page.getByText('Completed', { exact: true }).first().waitFor();
  };

  test('is run again with other inputs; shows its console, requests and rows', async () => {
    const { page } = fixture.viewer;
    body = `<form action="/in"><input type="password" name="password" aria-label="Password"><button>Log in</button></form>
      <script>console.warn('The tide turns')</script>`;
    const run = await fixture.stack.client.submit({
      definition: {
        name: 'log-in',
        inputs: { port: { type: 'string' }, password: { type: 'string', secret: true } },
        steps: [
          { action: 'navigate', url: `${url()}/` },
          { action: 'fill', target: { label: 'Password' }, text: '{{inputs.password}}' },
          { action: 'click', target: { role: 'button', name: 'Log in' }, expect: { text: 'Done' } },
        ],
        output: { ships: [{ name: 'Aurora', port: '{{inputs.port}}' }, { name: 'Borealis' }] },
      },
      inputs: { port: 'Bergen', password: 'under-the-mat' },
      capture: { screenshots: 'none', har: 'headers', console: true },
    });
    await fixture.stack.client.waitForEnd(run.id);
    await open(run.id);
    await page.getByRole('row').filter({ hasText: 'Aurora' }).getByText('Bergen').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'JSON' }).click();
    await page.getByLabel('Output', { exact: true }).getByText('"Borealis"').waitFor();
    await page.getByRole('tab', { name: 'Console' }).click();
    await page.getByRole('row').filter({ hasText: 'The tide turns' }).getByText('warning').waitFor();
    await page.getByRole('tab', { name: 'Network' }).click();
    await page
      .getByRole('row')
      .filter({ hasText: `GET ${url()}/in` })
      .getByText('200')
      .waitFor();
    await page.getByLabel('Search network-1.har').fill('nothing is like this');
    await page.getByText('No matches.').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);

    await page.getByRole('link', { name: 'Retry with changes' }).click();
    const port = page.getByLabel('port', { exact: true });
    await until('the form has the earlier input', async () => (await port.inputValue()) === 'Bergen');
    expect(await page.getByLabel(/password/).inputValue()).toBe('');
    await port.fill('Oslo');
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Start run' }).click();
    await page.getByText('Retry of').waitFor();
    const { items } = await json<Page<RunView>>(`/v1/runs?retryOf=${run.id}`);
    expect(items).toMatchObject([{ inputs: { port: 'Oslo' }, capture: run.capture }]);
    expect((await fixture.stack.client.waitForEnd(items[0]?.id ?? '')).status).toBe('completed');
    // The secret is reused without being shown.
    expect(passwords).toEqual(['under-the-mat', 'under-the-mat']);
  });

  test('an agent run is compiled into a draft and tested', async () => {
    const { page } = fixture.viewer;
    body = '<a href="/in">Sign in</a>';
    const run = await fixture.stack.client.submit({
      definition: {
        name: 'go-in',
        steps: [
          { action: 'navigate', url: `${url()}/` },
          { action: 'goal', goal: 'Go in' },
        ],
      },
      capture: { screenshots: 'none' },
    });
    expect(await fixture.stack.client.waitForEnd(run.id)).toMatchObject({ status: 'completed' });
    await open(run.id);
    await page.getByRole('button', { name: 'Compile to workflow' }).click();
    await until('it is named', async () => (await page.getByLabel('Name').inputValue()) === 'go-in');
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Compile' }).click();
    const link = page.getByRole('link', { name: 'go-in, version 1' });
    await link.waitFor();
    const { items } = await json<Page<ProposalView>>(`/v1/proposals?run=${run.id}`);
    expect(items).toMatchObject([{ kind: 'compile', workflow: { name: 'go-in' }, version: 1 }]);
    await link.click();
    await page.getByRole('heading', { name: 'go-in', level: 1 }).waitFor();
    expect(await json<WorkflowView>('/v1/workflows/go-in')).toMatchObject({ latestVersion: 1, publishedVersion: null });
  });

  const published = (name: string) =>
    until('it is published', async () => {
      const { publishedVersion } = await json<WorkflowView>(`/v1/workflows/${name}`);
      return publishedVersion === 2 || undefined;
    });

  test('a repair is shown as a diff and accepted', async () => {
    const { page } = fixture.viewer;
    body = '<a href="/in">Log in</a>';
    await json('/v1/workflows?publish=true', {
      method: 'POST',
      body: {
        name: 'enter-shop',
        heal: 'auto',
        steps: [
          { action: 'navigate', url: `${url()}/` },
          { action: 'click', target: { role: 'link', name: 'Log in' }, timeout: 5, expect: { text: 'Done' } },
        ],
      },
    });
    body = '<a href="/in">Sign in</a><a href="/help">Help</a>';
    const { id } = await json<RunView>('/v1/workflows/enter-shop/runs', { method: 'POST', body: {} });
    expect(await fixture.stack.client.waitForEnd(id)).toMatchObject({ status: 'completed' });
    await open(id);
    await page.getByText('Healed', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Proposals' }).click();
    const proposal = page.getByRole('region', { name: 'Proposal for enter-shop' });
    await proposal.getByText(/^Verified/).waitFor();
    await proposal
      .getByLabel('Diff')
      .filter({ hasText: /\+\s+name: Sign in/ })
      .waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.goto('/');
    await page.getByRole('link', { name: 'Review proposals' }).click();
    await page.getByRole('heading', { name: 'Proposals', level: 1 }).waitFor();
    const navigation = page.getByRole('navigation', { name: 'Main navigation' });
    const openProposals = navigation.getByRole('link', { name: /^Proposals\s*\d+ open$/ });
    await openProposals.waitFor();
    const openCount = Number.parseInt((await openProposals.textContent())?.replace('Proposals', '') ?? '', 10);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await proposal.getByRole('button', { name: 'Publish', exact: true }).click();
    await proposal.getByText('Published', { exact: true }).waitFor();
    const remaining = openCount === 1 ? /^Proposals$/ : new RegExp(`^Proposals\\s*${openCount - 1} open$`);
    await navigation.getByRole('link', { name: remaining }).waitFor();
    await published('enter-shop');
  });

  test('a step that is not idempotent is replayed after approval, and published', async () => {
    const { page } = fixture.viewer;
    body = '<a href="/in">Order</a>';
    const steps = [
      { action: 'navigate', url: `${url()}/` },
      { action: 'click', target: { role: 'button', name: 'Order' }, timeout: 5, idempotent: false },
    ];
    await json('/v1/workflows?publish=true', { method: 'POST', body: { name: 'order-shop', heal: 'auto', steps } });
    const { id } = await json<RunView>('/v1/workflows/order-shop/runs', { method: 'POST', body: {} });
    expect(await fixture.stack.client.waitForEnd(id)).toMatchObject({ status: 'completed' });
    await page.goto('/proposals');
    const proposal = page.getByRole('region', { name: 'Proposal for order-shop' });
    await proposal.getByText('Not verified').waitFor();
    // The effect of a replay is described before it starts, also for screen readers.
    const replay = proposal.getByRole('button', { name: 'Verify and publish' });
    const descriptionId = await replay.getAttribute('aria-describedby');
    const warning = page.locator(`[id="${descriptionId}"]`);
    expect(await warning.textContent()).toContain('runs the whole workflow again');
    for (const viewport of [viewports.narrow, viewports.wide]) {
      await page.setViewportSize(viewport);
      expect(await warning.isVisible()).toBe(true);
    }
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await replay.click();
    await proposal.getByText('Published', { exact: true }).waitFor();
    await proposal.getByText(/^Verified/).waitFor();
    await published('order-shop');
  });
});
