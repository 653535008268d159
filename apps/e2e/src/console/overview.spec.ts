import { jest } from '@jest/globals';
import { startConsole, type Console } from '../harness/console.ts';
import { Stack } from '../harness/stack.ts';
import { Viewer } from '../harness/viewer.ts';

// A real browser on a busy machine: a limit only ends what hangs.
jest.setTimeout(240_000);

describe('home and fleets', () => {
  let stack: Stack;
  let pages: Console;
  let viewer: Viewer;
  beforeAll(async () => {
    stack = await Stack.start({ workers: 1 });
    pages = await startConsole(stack.client.url);
    viewer = await Viewer.open(pages.url);
    await viewer.signIn(stack.secrets.adminKey);
  }, 120_000);
  afterAll(async () => {
    await viewer?.close();
    await pages?.program.stop();
    await stack?.stop();
  }, 60_000);
  afterEach(() => expect(viewer.faults).toEqual([]));

  test('a fleet shows its workers, is paused and resumed', async () => {
    const { page } = viewer;
    await page.getByRole('link', { name: 'Fleets' }).click();
    await page.getByRole('row').filter({ hasText: 'worker-1' }).getByText('ready').waitFor();
    await page.getByText('0 of 4 slots').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('no queued run is given to a worker').waitFor();
    expect(await viewer.wrong()).toEqual([]);
    expect(await stack.client.json('/v1/fleets/browsers')).toMatchObject({ paused: true });
    const { id } = await stack.client.submit({ steps: [{ action: 'navigate', url: stack.site.url }] });
    await page.getByRole('definition').filter({ hasText: /^1$/ }).first().waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    expect((await stack.client.ended(id)).status).toBe('completed');
  });

  test('home counts what ran, and leads to what failed', async () => {
    const { page } = viewer;
    await page.goto('/');
    const steps = [{ action: 'click', target: { role: 'button', name: 'Nowhere' }, timeout: 1 }];
    const { id } = await stack.client.submit({ definition: { name: 'goes-wrong', steps } });
    await stack.client.ended(id);
    await page.getByRole('link', { name: 'goes-wrong' }).waitFor();
    await page.getByText('50 %').waitFor();
    expect(await viewer.wrong()).toEqual([]);
    await page.getByRole('link', { name: 'TARGET_NOT_FOUND', exact: true }).click();
    await page.waitForURL(/error=TARGET_NOT_FOUND/);
    await page.getByRole('row').filter({ hasText: 'goes-wrong' }).waitFor();
    await page.getByText('only TARGET_NOT_FOUND').waitFor();
  });
});
