import { ControlTestSite } from '../harness/control-test-site.ts';
import { until } from '../harness/poll-until.ts';
import { useSharedConsole } from '../harness/console.fixture.ts';
import { Viewer, viewports } from '../harness/console-page.ts';

/** A page with text to copy, a password, a list and a long scroll area; it reports its events. */
const PAGE = `<!doctype html><meta charset=utf-8><title>Orders</title>
<style>
  body{margin:0;height:400vh;font:32px sans-serif} body>*{position:fixed;left:0;width:40vw;height:10vh;margin:0;font:inherit}
</style>
<p style="top:0">Order A-1234</p>
<input type="password" value="horse battery" aria-label="Password" style="top:20vh">
<select aria-label="Port" style="top:40vh"><option>Bergen<option disabled>Oslo<option>Bodø<option>Tromsø</select>
<input aria-label="Name" style="top:60vh"><h1 style="top:80vh">Welcome</h1>
<script>
  fetch('/ready').then(() => { document.title = 'Ready'; });
  const say = (what) => fetch('/message?text=' + encodeURIComponent(what));
  document.querySelector('select').onchange = ({ target }) => {
    document.querySelector('h1').textContent = target.value;
    say('chose ' + target.value);
  };
  document.querySelector('[aria-label=Name]').oninput = ({ target }) => say('name ' + target.value);
  document.querySelector('p').onclick = () => say('click');
  addEventListener('contextmenu', (event) => { event.preventDefault(); say('menu'); });
  addEventListener('scroll', () => say('scroll ' + Math.round(scrollY)));
</script>`;

/** Positions on the page, in thousandths. */
const positions = {
  code: { x: 60, y: 50 },
  password: { x: 200, y: 250 },
  port: { x: 200, y: 450 },
  name: { x: 200, y: 650 },
  emptyArea: { x: 700, y: 900 },
};

describe('a page under manual control', () => {
  const fixture = useSharedConsole();
  let site: ControlTestSite;
  beforeAll(async () => {
    site = await ControlTestSite.start(PAGE);
  });
  afterAll(() => site?.stop());
  beforeEach(() => site.reset());

  /** Starts a run that waits for its page, and takes control of it. */
  const startControlledRun = async ({ page }: Viewer) => {
    const { client } = fixture.stack;
    const { id } = await client.submit({ definition: site.definition });
    await page.goto(`/runs/${id}`);
    await client.waitForEvent(id, ({ type, data }) => type === 'step.started' && data['step'] === 1, 60_000);
    await page.getByRole('button', { name: 'Take control' }).click();
    // The step would wait for two minutes; taking control does not.
    await page.getByText('You have control').waitFor();
    const remoteBrowser = page.getByRole('textbox', { name: 'Remote browser' });
    await remoteBrowser.waitFor();
    const positionAt = async ({ x, y }: { x: number; y: number }) => {
      const box = await remoteBrowser.boundingBox();
      if (!box) throw new Error('The live view is gone');
      return { x: box.x + (x / 1000) * box.width, y: box.y + (y / 1000) * box.height };
    };
    const recordedActions = async () => {
      const { items } = (await client.json(`/v1/runs/${id}/events?format=json&limit=1000`)) as {
        items: { type: string; data: { action?: unknown } }[];
      };
      return items.flatMap(({ type, data }) => (type === 'control.action' ? [data.action] : []));
    };
    return { id, remoteBrowser, positionAt, recordedActions };
  };
  const waitForMessage = (message: string) =>
    until(`the page said: ${message}`, async () => site.messages.includes(message) || undefined, 60_000);

  test('copies to the local clipboard, never a password, with a fallback without permission', async () => {
    const { page } = fixture.viewer;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const { id, remoteBrowser, positionAt } = await startControlledRun(fixture.viewer);
    const code = await positionAt(positions.code);
    await page.mouse.click(code.x, code.y, { clickCount: 3 });
    await page.keyboard.press('Control+C');
    await page.getByText('Copied 12 characters').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('Order A-1234');

    const name = await positionAt(positions.name);
    await page.mouse.click(name.x, name.y);
    await page.keyboard.type('Ada');
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Control+X');
    await page.keyboard.type('Ben');
    await page.getByText('Copied 3 characters').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('Ada');
    await waitForMessage('name Ben');

    const password = await positionAt(positions.password);
    await page.mouse.click(password.x, password.y);
    await page.keyboard.press('Control+A');
    await page.getByRole('button', { name: 'Copy selection' }).press('Enter');
    await page.getByText('Nothing copied').waitFor();

    const browser = await page.context().newCDPSession(page);
    const { targetInfo } = await browser.send('Target.getTargetInfo');
    await browser.send('Browser.setPermission', {
      ...(targetInfo.browserContextId && { browserContextId: targetInfo.browserContextId }),
      permission: { name: 'clipboard-write', allowWithoutSanitization: false },
      setting: 'denied',
    });
    await page.mouse.click(code.x, code.y, { clickCount: 3 });
    await page.getByRole('button', { name: 'Copy selection' }).click();
    await page.getByText('Clipboard access needs HTTPS').waitFor();
    expect(await page.getByRole('textbox', { name: 'Copied text' }).inputValue()).toBe('Order A-1234');
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Close' }).click();
    await remoteBrowser.waitFor();

    site.ready();
    await page.getByRole('button', { name: 'Release control' }).click();
    await page.getByText('Completed', { exact: true }).waitFor();
    expect(await fixture.stack.client.waitForEnd(id)).toMatchObject({ output: { messages: 'Welcome' } });
  });

  test('shows native lists, selects by pointer and keys, and records the selection', async () => {
    const { page } = fixture.viewer;
    const { positionAt, recordedActions } = await startControlledRun(fixture.viewer);
    const list = page.getByRole('listbox', { name: 'Options of the select' });
    const port = await positionAt(positions.port);
    await page.mouse.click(port.x, port.y);
    await list.waitFor();
    const [listBox, below] = [await list.boundingBox(), await positionAt({ x: 0, y: 500 })];
    expect(Math.abs((listBox?.y ?? 0) - below.y)).toBeLessThan(4);
    expect(await list.getByRole('option').allTextContents()).toEqual(['✓Bergen', 'Oslo', 'Bodø', 'Tromsø']);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await list.getByRole('option', { name: 'Bodø' }).click();
    await waitForMessage('chose Bodø');
    await list.waitFor({ state: 'detached' });

    // The focus returns to the image, and in the page to its list.
    await page.keyboard.press('Space');
    await list.waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await page.keyboard.press('Alt+ArrowDown');
    await list.waitFor();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await waitForMessage('chose Tromsø');
    await page.getByRole('list', { name: 'Steps' }).getByText('Tromsø').waitFor();
    const target = expect.arrayContaining([{ role: 'combobox', name: 'Port', exact: true }]);
    const actions = await recordedActions();
    // With more than 1.5 s between them, both selections are recorded.
    const first = { action: 'selectOption', target, option: 'Bodø' };
    expect([[], [first]]).toContainEqual(actions.slice(0, -1));
    expect(actions.at(-1)).toEqual({ action: 'selectOption', target, option: 'Tromsø' });
  });

  test('on a phone one finger taps, long-presses and pans; the keyboard opens on request', async () => {
    const phone = await Viewer.open(fixture.browser, fixture.consoleServer.url, { isPhone: true });
    try {
      await phone.signIn(fixture.user);
      const { page } = phone;
      expect(page.viewportSize()).toEqual(viewports.narrow);
      const { remoteBrowser, positionAt } = await startControlledRun(phone);
      await remoteBrowser.scrollIntoViewIfNeeded();
      const tap = async (position: { x: number; y: number }) => {
        const { x, y } = await positionAt(position);
        await page.touchscreen.tap(x, y);
      };
      const cdpSession = await page.context().newCDPSession(page);
      const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
        cdpSession.send('Input.dispatchTouchEvent', { type, touchPoints });

      await tap(positions.code);
      await waitForMessage('click');
      expect(await remoteBrowser.getAttribute('inputmode')).toBe('none');
      await tap(positions.port);
      const list = page.getByRole('listbox', { name: 'Options of the select' });
      await list.getByRole('option', { name: 'Tromsø' }).tap();
      await waitForMessage('chose Tromsø');

      await touch('touchStart', await positionAt(positions.code));
      await waitForMessage('menu');
      await touch('touchEnd');
      const emptyArea = await positionAt(positions.emptyArea);
      await touch('touchStart', { ...emptyArea, x: emptyArea.x - 40 }, { ...emptyArea });
      await touch('touchMove', { ...emptyArea, x: emptyArea.x - 80 }, { ...emptyArea, x: emptyArea.x + 40 });
      await touch('touchEnd');

      await page.getByRole('button', { name: 'Keyboard' }).tap();
      expect(await remoteBrowser.getAttribute('inputmode')).toBe('text');
      expect(await remoteBrowser.evaluate((field) => field === document.activeElement)).toBe(true);
      await tap(positions.name);
      await page.keyboard.type('Ada');
      await waitForMessage('name Ada');
      // Neither the long press nor two fingers clicked or scrolled.
      expect(site.messages.filter((message) => !message.startsWith('name '))).toEqual([
        'click',
        'chose Tromsø',
        'menu',
      ]);

      const box = (await remoteBrowser.boundingBox()) ?? { width: 1, height: 1 };
      const [start, distance] = [await positionAt(positions.emptyArea), 60];
      await touch('touchStart', start);
      for (const fraction of [0.25, 0.5, 0.75, 1])
        await touch('touchMove', { ...start, y: start.y - distance * fraction });
      await touch('touchEnd');
      // The page scrolls by the distance of the finger, scaled to the image.
      const imageWidth = await page
        .getByAltText('Live browser view')
        .evaluate((image: HTMLImageElement) => image.naturalWidth);
      const expectedScroll = (distance * imageWidth) / box.width;
      const scrolled = () => Number(site.messages.findLast((message) => message.startsWith('scroll '))?.slice(7) ?? 0);
      await until(
        `it is scrolled by ${expectedScroll}`,
        async () => Math.abs(scrolled() - expectedScroll) < 6 || undefined,
        20_000,
      ).catch((error: unknown) => expect([error, scrolled()]).toEqual([null, expectedScroll]));
      expect(await page.evaluate(() => scrollX)).toBe(0);
    } finally {
      await phone.close();
    }
    expect(phone.pageErrors).toEqual([]);
  });
});
