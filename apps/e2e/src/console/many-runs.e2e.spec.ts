import { viewports } from '../harness/console-page.ts';
import { until } from '../harness/poll-until.ts';
import { useConsole } from '../harness/console.fixture.ts';

describe('a list with more runs than fit on a screen', () => {
  const fixture = useConsole({ workers: 0 });

  test('keeps its scroll position after a reload, without an error', async () => {
    const { page } = fixture.viewer;
    const definition = { name: 'many', steps: [{ action: 'navigate', url: fixture.stack.site.url }] };
    for (let n = 0; n < 90; n += 1) await fixture.stack.client.submit({ definition });
    await page.goto('/runs');
    const rows = page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'many' });
    await rows.first().waitFor();
    const scrollY = () => page.evaluate<number>('window.scrollY');
    const inView = () => page.locator('[role=row][aria-rowindex="62"]').isVisible();
    await page.evaluate('window.scrollTo(0, 2000)');
    await until('rows of the middle are shown', inView);
    const initialScrollY = await scrollY();
    await page.reload();
    await until('rows of the middle are shown again', inView);
    expect(await scrollY()).toBe(initialScrollY);
    // `useConsole` fails a test whose page writes an error to its console.
    expect(fixture.viewer.pageErrors).toEqual([]);
  });

  test('does not overlap in a narrow window before its scripts load', async () => {
    const { page } = fixture.viewer;
    const labels = { team: 'harbor' };
    const definition = { name: 'labeled', steps: [{ action: 'navigate', url: fixture.stack.site.url }] };
    for (let n = 0; n < 3; n += 1) {
      const { id } = await fixture.stack.client.submit({ definition, labels });
      await fixture.stack.client.json(`/v1/runs/${id}/cancel`, { method: 'POST' });
    }
    await page.setViewportSize(viewports.narrow);
    await page.goto('/settings');
    let loadScripts = () => {};
    const areReleased = new Promise<void>((resolve) => (loadScripts = resolve));
    await page.route('**/assets/*.js', async (route) => {
      await areReleased;
      await route.continue();
    });
    // `goto` would wait for hydration.
    await page.evaluate("location.assign('/runs')");
    const rows = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'labeled' }) });
    const boxes = async () => Promise.all((await rows.all()).map((row) => row.boundingBox()));
    /** True if each row begins below the one before it. */
    const isStacked = async () => {
      const [first, second, third] = await boxes();
      if (!first || !second || !third) return false;
      return second.y >= first.y + first.height && third.y >= second.y + second.height;
    };
    await rows.nth(2).waitFor();
    expect(await isStacked()).toBe(true);
    expect((await rows.first().boundingBox())?.height).toBeGreaterThan(45);
    loadScripts();
    await page.waitForFunction(() => Object.keys(document.body).some((key) => key.startsWith('__reactFiber')));
    // The scripts measure one row after the other.
    await until('the rows are measured', isStacked);
    await page.unroute('**/assets/*.js');
  });
});
