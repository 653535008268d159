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
    const expectNoOverlap = async () => {
      const [first, second, third] = await boxes();
      expect(first?.height).toBeGreaterThan(45);
      expect(second?.y).toBeGreaterThanOrEqual((first?.y ?? 0) + (first?.height ?? 0));
      expect(third?.y).toBeGreaterThanOrEqual((second?.y ?? 0) + (second?.height ?? 0));
    };
    await rows.nth(2).waitFor();
    await expectNoOverlap();
    loadScripts();
    await until('the rows are measured', async () => {
      const [first, second] = await boxes();
      return first != null && second != null && second.y >= first.y + first.height;
    });
    await expectNoOverlap();
    await page.unroute('**/assets/*.js');
  });
});
