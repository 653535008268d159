import { startTcpProxy } from '@pilothouse/testing/tcp-proxy';
import { viewports } from '../harness/console-page.ts';
import { startConsole } from '../harness/console-process.ts';
import { until } from '../harness/poll-until.ts';
import { useSharedConsole } from '../harness/console.fixture.ts';

describe('the shell of the console', () => {
  const fixture = useSharedConsole();
  const page = () => fixture.viewer.page;
  const dialog = () => page().getByRole('dialog', { name: 'New run' });
  let earlierRun = '';

  beforeAll(async () => {
    const { client, site } = fixture.stack;
    const definition = {
      name: 'read-tides',
      title: 'Read the tides',
      inputs: { harbor: { type: 'string' }, days: { type: 'integer', default: 3, maximum: 9 } },
      steps: [{ action: 'navigate', url: `${site.url}/public/widgets` }],
      output: { harbor: '{{inputs.harbor}}', days: '{{inputs.days}}' },
    };
    await client.json('/v1/workflows?publish=true', { method: 'POST', body: definition });
    ({ id: earlierRun } = await client.submit({ workflow: 'read-tides', inputs: { harbor: 'Oslo' } }));
    await client.waitForEnd(earlierRun);
  });

  test('a run of a workflow is started by keyboard from any page, with errors at its inputs', async () => {
    await page().goto('/settings');
    await page().keyboard.press('c');
    const workflow = dialog().getByRole('combobox', { name: 'Workflow' });
    await workflow.fill('tid');
    await page().getByRole('option', { name: 'read-tides' }).waitFor();
    await page().keyboard.press('Enter');
    await dialog().getByLabel('harbor').fill('Bergen');
    await dialog().getByLabel('days').fill('12');
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page().keyboard.press('Enter');
    const days = dialog().getByLabel('days');
    await until('the error is at its field', async () => (await days.getAttribute('aria-invalid')) === 'true');
    await days.fill('2');
    const start = dialog().getByRole('button', { name: 'Start run' });
    await until('the form is ready', () => start.isEnabled());
    await page().keyboard.press('Enter');
    await page().waitForURL('**/runs/*');
    await dialog().waitFor({ state: 'detached' });
    const run = new URL(page().url()).pathname.split('/').at(-1) ?? '';
    expect((await fixture.stack.client.waitForEnd(run)).status).toBe('completed');
    expect(await fixture.stack.client.json(`/v1/runs/${run}`)).toMatchObject({
      inputs: { harbor: 'Bergen', days: 2 },
      output: { harbor: 'Bergen', days: 2 },
    });
  });

  test('a goal is started on a narrow window, and the workflow of the page is preselected', async () => {
    await page().setViewportSize(viewports.narrow);
    await page().goto('/workflows/read-tides');
    await page().getByRole('button', { name: 'New run' }).click();
    await dialog().getByText('v1, published').waitFor();
    await dialog().getByRole('tab', { name: 'Goal' }).click();
    await dialog().getByLabel('Surface').selectOption('desktop');
    await dialog().getByLabel('Applications (optional)').waitFor();
    await dialog().getByLabel('Surface').selectOption('browser');
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page().setViewportSize(viewports.narrow);
    await dialog().getByRole('textbox', { name: 'Goal' }).fill('Read the heading');
    await dialog().getByLabel('Start page (optional)').fill(`${fixture.stack.site.url}/public/widgets`);
    // A wrong value is named at its field, and the other values stay.
    const schema = dialog().getByLabel('Output schema (optional)');
    const start = () => dialog().getByRole('button', { name: 'Start run' }).click();
    await schema.fill('{ "type": ');
    await start();
    await dialog().getByText('Enter JSON or leave blank').waitFor();
    await schema.fill('{ "type": "nothing" }');
    await start();
    await dialog().getByText('Enter JSON or leave blank').waitFor({ state: 'detached' });
    await until('the API refuses the schema', async () => (await schema.getAttribute('aria-invalid')) === 'true');
    await schema.fill('{ "type": "object", "properties": { "heading": { "type": "string" } } }');
    await dialog().getByLabel('Steps and turns').fill('0');
    await start();
    await dialog().getByText('Enter a number above 0').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page().setViewportSize(viewports.narrow);
    await dialog().getByLabel('Steps and turns').fill('5');
    await dialog().getByLabel('Minutes').fill('2');
    await start();
    await page().waitForURL('**/runs/*');
    const run = new URL(page().url()).pathname.split('/').at(-1) ?? '';
    expect((await fixture.stack.client.run(run)).budget).toMatchObject({ steps: 5, seconds: 120 });
    expect(await fixture.stack.client.json(`/v1/runs/${run}/definition`)).toMatchObject({
      steps: [
        { action: 'navigate' },
        { action: 'goal', goal: 'Read the heading', outputSchema: { properties: { heading: { type: 'string' } } } },
      ],
    });
    await page().getByRole('heading', { name: 'Read the heading', level: 1 }).waitFor();
    await page().goto('/runs');
    await page().getByRole('row').getByRole('link', { name: 'Read the heading' }).waitFor();
  });

  test('entered values survive a change of the tab, and are discarded only after a question', async () => {
    const question = page().getByRole('alertdialog', { name: 'Discard changes?' });
    const workflow = dialog().getByRole('combobox', { name: 'Workflow' });
    await page().goto('/fleets');
    await page().keyboard.press('c');
    await workflow.fill('tid');
    await page().getByRole('option', { name: 'read-tides' }).waitFor();
    // The first Escape closes the list only.
    await page().keyboard.press('Escape');
    await page().getByRole('option').waitFor({ state: 'detached' });
    await dialog().waitFor();
    await workflow.fill('tides');
    await page().getByRole('option', { name: 'read-tides' }).click();
    await dialog().getByLabel('harbor').fill('Bergen');
    await dialog().getByRole('tab', { name: 'Goal' }).click();
    await dialog().getByRole('tab', { name: 'Workflow' }).click();
    expect(await dialog().getByLabel('harbor').inputValue()).toBe('Bergen');
    await dialog().getByRole('button', { name: 'Close' }).click();
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await dialog().getByLabel('harbor').inputValue()).toBe('Bergen');
    await page().keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard changes' }).click();
    await dialog().waitFor({ state: 'detached' });
    // A dialog without entered values closes at once.
    await page().keyboard.press('c');
    await dialog().waitFor();
    await page().keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  test('the dialog of a new run shows that the API is unreachable, and the page stays', async () => {
    const connection = await startTcpProxy(fixture.stack.client.url);
    const server = await startConsole(connection.url);
    try {
      await page().goto(`${server.url}/workflows/read-tides`);
      await connection.close();
      await page().keyboard.press('c');
      await dialog().getByText('Loading the fleets failed: The API does not answer. Try again.').waitFor();
      await dialog().getByText('Loading the workflow failed').waitFor();
      await page().keyboard.press('Escape');
      await page().getByRole('heading', { name: 'read-tides', level: 1 }).waitFor();
    } finally {
      await server.program.stop();
    }
  });

  test('an error page keeps the navigation', async () => {
    await page().goto('/workflows/not-there');
    await page().getByText('Workflow not-there not found.').waitFor();
    expect(await page().title()).toBe('Not found · Pilothouse');
    expect(await page().getByRole('button', { name: 'Retry', exact: true }).count()).toBe(0);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page().getByRole('navigation', { name: 'Main navigation' }).getByRole('link', { name: 'Workflows' }).click();
    await page().getByRole('link', { name: 'read-tides' }).waitFor();
  });

  test('a viewer gets the page "Access denied" instead of a form', async () => {
    const { stack, viewer } = fixture;
    const body = { name: 'reader', role: 'viewer' };
    const { key } = (await stack.client.json('/v1/api-keys', { method: 'POST', body })) as { key: string };
    await viewer.signInWithKey(key);
    for (const path of [
      `/runs/${earlierRun}/retry`,
      '/workflows/read-tides/run',
      '/workflows/read-tides/edit',
      '/workflows/new',
      '/learning/datasets/new',
      '/learning/models/new',
      '/learning/tuning/new',
    ]) {
      const response = await page().goto(path);
      expect([path, response?.status()]).toEqual([path, 403]);
      await page()
        .getByText(/^This page requires the role (operator|admin)\. Your role is viewer\.$/)
        .waitFor();
      expect(await page().title()).toBe('Access denied · Pilothouse');
      expect(await page().getByRole('main').getByRole('textbox').count()).toBe(0);
    }
  });

  test('keys before the command palette is loaded become its text, and trigger no shortcut', async () => {
    await page().goto(`/runs/${earlierRun}`);
    await page().getByRole('heading', { name: 'read-tides', level: 1 }).waitFor();
    let loadPalette = () => {};
    const isReleased = new Promise<void>((resolve) => (loadPalette = resolve));
    await page().route('**/assets/command-palette-*.js', async (route) => {
      await isReleased;
      await route.continue();
    });
    const palette = page().getByRole('dialog', { name: 'Command palette' });
    await page().keyboard.press('Control+k');
    // `c` opens a new run, and `?` the list of the shortcuts.
    await page().keyboard.type('c?x');
    await page().keyboard.press('Backspace');
    await page().keyboard.press('Backspace');
    await page().keyboard.type('anc');
    expect(await page().getByRole('dialog').count()).toBe(0);
    loadPalette();
    await palette.getByRole('combobox').and(palette.locator(':focus')).waitFor();
    await page().keyboard.type('el');
    expect(await palette.getByRole('combobox').inputValue()).toBe('cancel');
    await page().keyboard.press('Escape');
    await palette.waitFor({ state: 'detached' });
    // The next text starts empty.
    await page().keyboard.press('Control+k');
    await page().keyboard.type('audit');
    await palette.getByRole('option', { name: /^Settings: Audit log/ }).waitFor();
    expect(await palette.getByRole('combobox').inputValue()).toBe('audit');
    await page().unroute('**/assets/command-palette-*.js');
  });

  test('the command palette finds workflows, runs, pages and actions by keyboard', async () => {
    const open = async (text: string) => {
      await page().keyboard.press('Control+k');
      await page().getByRole('dialog', { name: 'Command palette' }).waitFor();
      await page().keyboard.type(text);
    };
    const option = (name: string | RegExp) => page().getByRole('option', { name });
    await page().goto('/fleets');
    await open('');
    await option(/^read-tides Read the tides/).waitFor();
    await option(new RegExp(`read-tides ${earlierRun.slice(0, 13)}`)).waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page().keyboard.type('tides');
    await option(/^Home/).waitFor({ state: 'detached' });
    await page().keyboard.press('Enter');
    await page().waitForURL('**/workflows/read-tides');

    await open(earlierRun.slice(0, 13));
    await until('only the run is left', async () => (await page().getByRole('option').count()) === 1);
    await page().keyboard.press('Enter');
    await page().waitForURL(`**/runs/${earlierRun}`);

    await open('audit');
    await page().keyboard.press('Enter');
    await page().waitForURL('**/settings/audit');

    await open('theme dark');
    await page().keyboard.press('Enter');
    await page().locator('html[data-theme=dark]').waitFor();
    await open('theme system');
    await page().keyboard.press('Enter');
    await page().locator('html:not([data-theme])').waitFor();

    await open('goal');
    await page().keyboard.press('Enter');
    await dialog().getByRole('textbox', { name: 'Goal' }).waitFor();
    await page().keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });

    await open('no such thing');
    await page().getByText('No results.').waitFor();
    await page().keyboard.press('Escape');
    await page().getByRole('dialog').waitFor({ state: 'detached' });
  });
});
