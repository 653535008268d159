import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { viewports } from '../harness/console-page.ts';
import { useSharedConsole } from '../harness/console.fixture.ts';

describe('the detail of a step', () => {
  const fixture = useSharedConsole();

  const disclosure = (name: string | RegExp) => fixture.viewer.page.locator('summary').filter({ hasText: name });
  const select = (title: string) =>
    fixture.viewer.page.getByRole('list', { name: 'Steps' }).getByRole('button', { name: title }).click();

  test('shows source, tried locators, console messages and network requests', async () => {
    const { page } = fixture.viewer;
    const { client, site } = fixture.stack;
    const file = `# The rope of the season.
name: order-rope
steps:
  - action: navigate
    title: Open the portal
    url: ${site.url}/login?next=/catalogue
  - action: fill
    title: Enter the e-mail
    target: [{ label: No such label }, { label: E-mail }]
    text: ${DEMO_ACCOUNT.email}
  - action: fill
    target: { label: Password }
    text: ${DEMO_ACCOUNT.password}
  - action: click
    title: Log in
    target: { role: button, name: Log in }
    expect: { text: Catalogue }
`;
    await fetch(`${client.url}/v1/workflows?publish=true`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/yaml' },
      body: file,
    });
    const capture = { screenshots: 'none', har: 'headers', console: true };
    const run = (await client.json('/v1/workflows/order-rope/runs', { method: 'POST', body: { capture } })) as {
      id: string;
    };
    expect((await client.waitForEnd(run.id)).status).toBe('completed');
    await page.goto(`/runs/${run.id}?step=2`);

    const locators = page.getByRole('region', { name: 'Locators' });
    await locators.getByRole('row').filter({ hasText: 'No such label' }).getByText('No match').waitFor();
    await locators.getByRole('row').filter({ hasText: 'E-mail' }).getByText('1 match', { exact: true }).waitFor();
    await disclosure('Source').click();
    const source = page.getByRole('region', { name: 'Source' });
    await source.getByText('title: Enter the e-mail').waitFor();
    expect((await source.innerText()).replaceAll(/\s+/g, ' ').trim()).toMatch(
      /^7 - action: fill 8 title.* 10 text: \S+$/,
    );

    // Opened sections stay open, and follow the selected step.
    await disclosure('Network').click();
    await disclosure('Console').click();
    await page.getByText('No entries.').first().waitFor();
    await select('Log in');
    await source.getByText('expect: { text: Catalogue }').waitFor();
    const network = page.getByRole('region', { name: 'Network', exact: true });
    await network.getByRole('row').filter({ hasText: 'POST' }).first().waitFor();
    expect(await network.getByText('/login?next=').count()).toBeLessThan(await network.getByRole('row').count());
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('link', { name: 'Edit this step' }).click();
    await page.waitForURL('**/workflows/order-rope/edit?version=1#at=4');
  });

  test('of a failed step shows what each locator found, and how to record more', async () => {
    const { page } = fixture.viewer;
    const { client, site } = fixture.stack;
    const run = await client.submit({
      steps: [
        { action: 'navigate', url: `${site.url}/login`, title: 'Open the portal' },
        {
          action: 'click',
          title: 'Press a missing button',
          target: [{ role: 'button', name: 'Not here' }, { text: 'Nor here' }],
          timeout: 2,
        },
      ],
    });
    await client.waitForEnd(run.id);
    await page.goto(`/runs/${run.id}`);
    const locators = page.getByRole('region', { name: 'Locators' });
    await locators.getByRole('row').filter({ hasText: 'Not here' }).getByText('No match').waitFor();
    await locators.getByRole('row').filter({ hasText: 'Nor here' }).getByText('No match').waitFor();
    await disclosure('Source').click();
    await page.getByRole('region', { name: 'Source' }).getByText('title: Press a missing button').waitFor();
    await disclosure('Console').click();
    await page.getByText('Console messages were not recorded.').waitFor();
    await disclosure('Network').click();
    await page.getByText('Network requests were not recorded.').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
  });

  test('of a failed step says where, what happened and what to do, and offers a similar control', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    const site = createServer((_, response) => {
      response.setHeader('content-type', 'text/html').end('<title>Cards</title><button>Submit renewal</button>');
    });
    await once(site.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = site.address() as AddressInfo;
      const body = {
        name: 'renew-card',
        steps: [
          { action: 'navigate', url: `http://127.0.0.1:${port}/` },
          { action: 'click', target: { role: 'button', name: 'Request renewal' }, timeout: 8 },
        ],
      };
      await client.json('/v1/workflows?publish=true', { method: 'POST', body });
      const { id } = await client.submit({ workflow: 'renew-card' });
      await client.waitForEnd(id);
      await page.goto(`/runs/${id}`);
      const error = page.getByRole('alert', { name: 'Error' });
      await error.getByText('Step 2, Click button “Request renewal”').waitFor();
      expect(await error.getByRole('term').allInnerTexts()).toEqual([
        'Where',
        'What happened',
        'On the page',
        'What to do',
      ]);
      await error.getByText('button: "Submit renewal"').waitFor();
      // The message is on the page once.
      expect(await page.getByText('No locator of the step found an element').count()).toBe(1);
      expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
      await error.getByRole('link', { name: 'Use this' }).click();
      await page.getByText('Step 2 uses button “Submit renewal” in this draft.').waitFor();
      await page.getByRole('button', { name: 'Save draft (v2)' }).click();
      await page.waitForURL('**/workflows/renew-card?version=2');
      const definition = (await client.json('/v1/workflows/renew-card?version=2')) as { definition: unknown };
      expect(definition.definition).toMatchObject({
        steps: [{}, { target: { role: 'button', name: 'Submit renewal', exact: true } }],
      });
    } finally {
      site.closeAllConnections();
      site.close();
    }
  });

  test('long names and errors wrap in a narrow window', async () => {
    const { page } = fixture.viewer;
    const { client, site } = fixture.stack;
    const { id } = await client.submit({
      steps: [
        { action: 'navigate', url: `${site.url}/public/widgets` },
        { action: 'click', title: 'S'.repeat(100), target: { role: 'button', name: 'N'.repeat(200) }, timeout: 1 },
      ],
    });
    expect((await client.waitForEnd(id)).status).toBe('failed');
    for (const viewport of Object.values(viewports)) {
      await page.setViewportSize(viewport);
      await page.goto(`/runs/${id}`);
      await page.getByRole('heading', { name: 'S'.repeat(100) }).waitFor();
      expect(await page.getByRole('alert').count()).toBe(2);
      expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBe(viewport.width);
    }
  });
});
