import { until } from '../harness/poll-until.ts';
import { useSharedConsole } from '../harness/console.fixture.ts';

describe('the live grid', () => {
  const fixture = useSharedConsole();

  test('shows the browsers of several active runs', async () => {
    const { page } = fixture.viewer;
    await page.goto('/live');
    await page.getByText('No active runs').waitFor();
    const submit = (name: string, path: string) =>
      fixture.stack.client.submit({
        definition: {
          name,
          steps: [
            { action: 'navigate', url: `${fixture.stack.site.url}${path}` },
            { action: 'waitFor', condition: { text: 'This never comes' }, title: `Wait at ${path}`, timeout: 200 },
          ],
        },
        capture: { screenshots: 'none' },
      });
    const paths = { first: '/public/widgets', second: '/login', third: '/public/widgets' };
    const runs = await Promise.all(Object.entries(paths).map(([name, path]) => submit(name, path)));
    const tile = (name: string) =>
      page.getByRole('list', { name: 'Active runs' }).getByRole('listitem').filter({ hasText: name });
    for (const [name, path] of Object.entries(paths)) {
      await tile(name).getByText(`Wait at ${path}`).waitFor();
      await until(
        `${name} is seen`,
        () =>
          tile(name)
            .getByRole('img')
            .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 300),
        60_000,
      );
    }
    const sources = await Promise.all(
      Object.keys(paths).map((name) => tile(name).getByRole('img').getAttribute('src')),
    );
    expect(sources[0]).not.toBe(sources[1]);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    // A finished run is removed.
    await fixture.stack.client.cancel(runs[0]?.id ?? '');
    await tile('first').waitFor({ state: 'detached' });
    await tile('second').getByRole('link').click();
    await page.getByRole('heading', { name: 'second', level: 1 }).waitFor();
    for (const { id } of runs.slice(1)) await fixture.stack.client.cancel(id);
  });
});
