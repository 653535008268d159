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
    const before = await scrollY();
    await page.reload();
    await until('rows of the middle are shown again', inView);
    expect(await scrollY()).toBe(before);
    // `useConsole` fails a test whose page writes an error to its console.
    expect(fixture.viewer.pageErrors).toEqual([]);
  });
});
