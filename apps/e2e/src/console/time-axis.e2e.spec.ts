import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { useSharedConsole } from '../harness/console.fixture.ts';
import { viewports } from '../harness/console-page.ts';
import { until } from '../harness/poll-until.ts';

describe('the time axis of a run', () => {
  const fixture = useSharedConsole();

  const axis = () => fixture.viewer.page.getByRole('slider', { name: 'Steps on the time axis' });
  const preview = () => fixture.viewer.page.locator('[data-preview]');
  const submit = () =>
    fixture.stack.client.submit({
      definition: {
        name: 'read-catalogue',
        steps: [
          { action: 'navigate', url: `${fixture.stack.site.url}/login?next=/catalogue`, title: 'Open the portal' },
          { action: 'fill', target: { label: 'E-mail' }, text: DEMO_ACCOUNT.email, title: 'Enter the e-mail' },
          { action: 'extract', target: { role: 'heading' }, value: {}, title: 'Read the heading' },
        ],
      },
      capture: { screenshots: 'before-and-after' },
    });

  test('shows the screenshots of the steps; hover previews a step, and a click selects it', async () => {
    const { page } = fixture.viewer;
    const run = await submit();
    await fixture.stack.client.waitForEnd(run.id);
    await page.goto(`/runs/${run.id}`);
    await until('thumbnails are loaded', () =>
      axis()
        .locator('img')
        .evaluateAll(
          (images) =>
            images.length >= 3 &&
            images.every((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 100),
        ),
    );
    const { width, height } = (await axis().boundingBox()) ?? { width: 0, height: 0 };
    await axis().hover({ position: { x: 4, y: height - 8 } });
    await preview().getByText('Open the portal').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await axis().hover({ position: { x: width - 4, y: height - 8 } });
    await preview().getByText('Read the heading').waitFor();
    await preview().getByRole('img', { name: 'Read the heading' }).waitFor();
    await axis().click({ position: { x: width - 4, y: height - 8 } });
    await page.getByRole('heading', { name: 'Read the heading' }).waitFor();
    await page.mouse.move(0, 0);
    await preview().waitFor({ state: 'detached' });
  });

  test('moves between steps by keyboard', async () => {
    const { page } = fixture.viewer;
    const run = await submit();
    await fixture.stack.client.waitForEnd(run.id);
    await page.goto(`/runs/${run.id}`);
    await axis().focus();
    await page.keyboard.press('Home');
    await page.getByRole('heading', { name: 'Open the portal' }).waitFor();
    expect(await axis().getAttribute('aria-valuetext')).toMatch(/^1 Open the portal, /);
    await page.keyboard.press('ArrowRight');
    await page.getByRole('heading', { name: 'Enter the e-mail' }).waitFor();
    await preview().getByText('Enter the e-mail').waitFor();
    await page.keyboard.press('Escape');
    await preview().waitFor({ state: 'detached' });
    await page.keyboard.press('End');
    await page.getByRole('heading', { name: 'Read the heading' }).waitFor();
    expect(await axis().getAttribute('aria-valuenow')).toBe('3');
  });

  test('grows with a live run, without screenshots, on a phone', async () => {
    const { page } = fixture.viewer;
    await page.setViewportSize(viewports.narrow);
    const run = await fixture.stack.client.submit({
      definition: {
        name: 'wait-long',
        steps: [
          { action: 'navigate', url: `${fixture.stack.site.url}/public/widgets`, title: 'Open the widgets' },
          { action: 'waitFor', condition: { text: 'This text never comes' }, timeout: 120, title: 'Wait for a text' },
        ],
      },
      capture: { screenshots: 'none' },
    });
    await page.goto(`/runs/${run.id}`);
    await axis().waitFor();
    await until(
      'both steps are on the axis',
      async () => (await axis().getAttribute('aria-valuetext'))?.startsWith('2 Wait for a text, ') === true,
    );
    expect(await axis().locator('img').count()).toBe(0);
    const firstBar = () => axis().locator('span').first().boundingBox();
    const initialWidth = (await firstBar())?.width ?? 0;
    await until('the bar of the first step shrinks', async () => ((await firstBar())?.width ?? 0) < initialWidth / 1.5);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await fixture.stack.client.cancel(run.id);
    await page.getByText('Cancelled', { exact: true }).first().waitFor();
    const { width } = (await firstBar()) ?? { width: 0 };
    expect(width).toBeGreaterThan(0);
  });

  test('an hour of waiting for a person is compressed, and the steps stay wide', async () => {
    const { page } = fixture.viewer;
    const { client, site } = fixture.stack;
    const run = await client.submit({
      definition: {
        name: 'wait-for-person',
        steps: [
          { action: 'navigate', url: `${site.url}/public/widgets`, title: 'Open the widgets' },
          { action: 'waitFor', condition: { text: 'This text never comes' }, timeout: 120, title: 'Wait for a text' },
        ],
      },
    });
    await client.waitForEvent(run.id, ({ type, data }) => type === 'step.started' && data['step'] === 1);
    await client.json(`/v1/runs/${run.id}/control`, { method: 'POST' });
    await client.waitForEvent(run.id, ({ type }) => type === 'run.awaiting_user');
    await page.clock.setFixedTime(Date.now() + 3_600_000);
    await page.goto(`/runs/${run.id}`);
    const mark = axis().locator('[data-wait=awaiting_user]');
    await mark.getByText(/^(59 min|1 h)/).waitFor();
    const { width } = (await axis().boundingBox()) ?? { width: 0 };
    expect((await mark.boundingBox())?.width).toBeLessThan(width * 0.1);
    expect((await axis().locator('span').first().boundingBox())?.width).toBeGreaterThan(width * 0.05);
    await mark.hover();
    await preview()
      .getByText(/^Waiting for a person: /)
      .waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await client.cancel(run.id);
    await client.waitForEnd(run.id);
  });

  test('a link to a step selects it, also after a reload and during a live run', async () => {
    const { page } = fixture.viewer;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const run = await fixture.stack.client.submit({
      definition: {
        name: 'wait-long',
        steps: [
          { action: 'navigate', url: `${fixture.stack.site.url}/public/widgets`, title: 'Open the widgets' },
          { action: 'waitFor', condition: { text: 'This text never comes' }, timeout: 120, title: 'Wait for a text' },
          { action: 'extract', target: { role: 'heading' }, value: {}, title: 'Read the heading' },
        ],
      },
    });
    await fixture.stack.client.waitForEvent(run.id, ({ type, data }) => type === 'step.started' && data['step'] === 1);
    await page.goto(`/runs/${run.id}`);
    const steps = page.getByRole('list', { name: 'Steps' });
    await steps.getByRole('button', { name: 'Open the widgets' }).click();
    await page.getByRole('heading', { name: 'Open the widgets' }).waitFor();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Link copied' }).waitFor();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    expect(new URL(link).search).toBe('?step=1');
    await page.reload();
    await page.getByRole('heading', { name: 'Open the widgets' }).waitFor();
    await fixture.stack.client.cancel(run.id);
    await page.getByText('Cancelled', { exact: true }).first().waitFor();
    await page.getByRole('heading', { name: 'Open the widgets' }).waitFor();

    await page.goto(link.replace('step=1', 'step=3'));
    await page.getByRole('heading', { name: 'Read the heading' }).waitFor();
    // A step that does not exist: the page selects one.
    await page.goto(link.replace('step=1', 'step=9'));
    await page.getByRole('heading', { name: 'Wait for a text' }).waitFor();
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Runs' }).click();
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  });
});
