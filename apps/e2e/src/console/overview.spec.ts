import { useConsole } from '../harness/use-console.ts';

describe('home and fleets', () => {
  const house = useConsole({ workers: 1 });

  test('a fleet shows its workers, is paused and resumed', async () => {
    const { page } = house.viewer;
    await page.getByRole('link', { name: 'Fleets' }).click();
    await page.getByRole('row').filter({ hasText: 'worker-1' }).getByText('ready').waitFor();
    await page.getByText('0 of 4 slots').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('no queued run is given to a worker').waitFor();
    expect(await house.viewer.wrong()).toEqual([]);
    expect(await house.stack.client.json('/v1/fleets/browsers')).toMatchObject({ paused: true });
    const { id } = await house.stack.client.submit({ steps: [{ action: 'navigate', url: house.stack.site.url }] });
    await page.getByRole('definition').filter({ hasText: /^1$/ }).first().waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    expect((await house.stack.client.ended(id)).status).toBe('completed');
  });

  test('home counts what ran, and leads to what failed', async () => {
    const { page } = house.viewer;
    await page.goto('/');
    const steps = [{ action: 'click', target: { role: 'button', name: 'Nowhere' }, timeout: 1 }];
    const { id } = await house.stack.client.submit({ definition: { name: 'goes-wrong', steps } });
    await house.stack.client.ended(id);
    await page.getByRole('link', { name: 'goes-wrong' }).waitFor();
    await page.getByText('50 %').waitFor();
    expect(await house.viewer.wrong()).toEqual([]);
    await page.getByRole('link', { name: 'TARGET_NOT_FOUND', exact: true }).click();
    await page.waitForURL(/error=TARGET_NOT_FOUND/);
    await page.getByRole('row').filter({ hasText: 'goes-wrong' }).waitFor();
    await page.getByText('only TARGET_NOT_FOUND').waitFor();
  });
});
