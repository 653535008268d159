import { keyboardViolations, expectOpensByKeyboard } from '../harness/keyboard-audit.ts';
import { useSharedConsole } from '../harness/console.fixture.ts';
import { viewports, type Viewer } from '../harness/console-page.ts';

type Page = Viewer['page'];
type Locator = ReturnType<Page['getByText']>;

const steps = (url: string) => [
  { action: 'navigate', url, title: 'Open the portal' },
  { id: 'head', action: 'extract', target: { css: 'h1' }, value: {} },
];

describe('keyboard access', () => {
  const fixture = useSharedConsole();
  let run = '';

  beforeAll(async () => {
    const { client, site } = fixture.stack;
    const definition = {
      name: 'read-tides',
      inputs: { note: { type: 'string', default: '' } },
      steps: steps(site.url),
    };
    await client.json('/v1/workflows?publish=true', { method: 'POST', body: definition });
    ({ id: run } = await client.submit({ workflow: 'read-tides', capture: { screenshots: 'on' } }));
    await client.waitForEnd(run);
  });

  const heading = (page: Page) => page.getByRole('heading', { level: 1 });
  const graph = (page: Page) => page.getByRole('group', { name: 'Steps' }).getByRole('button').first();
  /** Each page, and the last content to appear. */
  const pages: Record<string, (page: Page) => Locator> = {
    '/': heading,
    '/runs': (page) => page.getByRole('row').filter({ hasText: 'read-tides' }),
    '/runs/{run}': (page) => page.getByRole('list', { name: 'Steps' }).getByText('Done').first(),
    '/runs/{run}/a2ui': (page) => page.getByText('Open the portal').first(),
    '/runs/{run}/retry': heading,
    '/live': heading,
    '/proposals': heading,
    '/learning': heading,
    '/learning/traces': heading,
    '/learning/datasets': heading,
    '/learning/datasets/new': heading,
    '/learning/tuning': heading,
    '/learning/tuning/new': heading,
    '/learning/models': heading,
    '/learning/models/new': heading,
    '/learning/jobs': heading,
    '/learning/savings': heading,
    '/fleets': (page) => page.getByRole('row').filter({ hasText: 'worker-1' }),
    '/workflows': heading,
    '/workflows/new': graph,
    '/workflows/read-tides': heading,
    '/workflows/read-tides/edit': graph,
    '/workflows/read-tides/run': heading,
    '/settings': heading,
    '/settings/profiles': heading,
    '/settings/secrets': heading,
    '/settings/members': heading,
    '/settings/keys': heading,
    '/settings/audit': heading,
    '/settings/projects': heading,
    '/settings/account': heading,
    '/nowhere': (page) => page.getByText('Not found'),
    '/sign-in': heading,
  };

  test.each(Object.entries(pages))('reaches every element of %s with a visible focus', async (path, last) => {
    const { page } = fixture.viewer;
    for (const [window, viewport] of Object.entries(viewports)) {
      await page.setViewportSize(viewport);
      await page.goto(path.replace('{run}', run));
      await last(page).waitFor();
      expect([window, await keyboardViolations(page)]).toEqual([window, []]);
    }
  });

  test('returns the focus when a popup closes', async () => {
    const { page } = fixture.viewer;
    await page.goto('/fleets');
    await expectOpensByKeyboard(page, 'Keyboard shortcuts');
    await expectOpensByKeyboard(page, 'Search');
    await expectOpensByKeyboard(page, 'New run');
    await expectOpensByKeyboard(page, 'Edit limits');
    await page.goto('/runs?status=completed');
    await expectOpensByKeyboard(page, 'Save view');
    await page.goto('/workflows/read-tides');
    await expectOpensByKeyboard(page, 'Export', '[role=menu]');
    await page.goto('/workflows/read-tides/edit');
    await expectOpensByKeyboard(page, 'Add step');
    await expectOpensByKeyboard(page, 'Test run');
  });
});
