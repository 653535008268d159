import { mkdir } from 'node:fs/promises';
import { useSharedConsole } from '../harness/console.fixture.ts';

const shots = process.env.PILOTHOUSE_SHOTS;

describe('rows of runs and tables', () => {
  const fixture = useSharedConsole();
  const shoot = async (name: string) => {
    if (!shots) return;
    await mkdir(shots, { recursive: true });
    await fixture.viewer.page.screenshot({ path: `${shots}/${name}.png` });
  };

  test('a row shows the failed step and links to its run', async () => {
    const { page } = fixture.viewer;
    const title = 'Press the button that is nowhere';
    const steps = [{ action: 'click', title, target: { role: 'button', name: 'Nowhere' }, timeout: 1 }];
    const { id } = await fixture.stack.client.submit({ definition: { name: 'goes-wrong', steps } });
    await fixture.stack.client.waitForEnd(id);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto('/runs');
      const row = page.getByRole('row').filter({ hasText: 'goes-wrong' });
      await row.getByText(`${title}: `).waitFor();
      await shoot(`runs-${width}`);
      expect(await row.getAttribute('title')).toContain(title);
      // Not on the link itself.
      await row.getByText(`${title}: `).click({ force: true });
      await page.waitForURL(new RegExp(`/runs/${id}`));
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto('/runs');
    await page.getByRole('checkbox', { name: /Select goes-wrong/ }).check();
    expect(page.url()).toMatch(/\/runs$/);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
  });

  test('the model table scrolls with a fixed first column', async () => {
    const { page } = fixture.viewer;
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await page.goto('/settings');
      const table = page.getByRole('region', { name: 'Models by purpose' });
      await table.scrollIntoViewIfNeeded();
      const box = async () => {
        const cell = await table.getByRole('row').nth(1).getByRole('cell').first().boundingBox();
        return Math.round(cell?.x ?? -1);
      };
      const initialBox = await box();
      await table.evaluate((element) => (element.scrollLeft = 200));
      expect(await box()).toBe(initialBox);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(wide).toBeLessThanOrEqual(0);
      await shoot(`models-${width}`);
    }
  });
});
