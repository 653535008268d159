import { pixelsOf } from '@pilothouse/testing/decode-pixels';
import { colorOf } from '../harness/screencast-frame.ts';
import { ControlTestSite, positions } from '../harness/control-test-site.ts';
import { until } from '../harness/poll-until.ts';
import { useSharedConsole } from '../harness/console.fixture.ts';

describe('control on the run page', () => {
  const fixture = useSharedConsole({ signIn: 'key' });
  let site: ControlTestSite;
  beforeAll(async () => {
    site = await ControlTestSite.start();
  });
  afterAll(() => site?.stop());

  test('is acquired, drives the browser by mouse, keys, input method and clipboard, and is released', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    const run = await client.submit({ definition: site.definition });
    await page.goto(`/runs/${run.id}`);
    await client.waitForEvent(run.id, ({ type, data }) => type === 'step.started' && data['step'] === 1, 60_000);
    // By keyboard.
    await page.getByRole('button', { name: 'Take control' }).press('Enter');
    // The step would wait for two minutes.
    await page.getByText('You have control').waitFor();
    await client.waitForEvent(run.id, ({ type }) => type === 'run.awaiting_user', 60_000);
    // Not earlier: the run would end before its worker receives the control request.
    site.ready();
    const remoteBrowser = page.getByRole('textbox', { name: 'Remote browser' });
    await remoteBrowser.waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);

    const box = async () => (await remoteBrowser.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const clickOn = async (position: { x: number; y: number }) => {
      const { width, height } = await box();
      await remoteBrowser.click({ position: { x: (position.x / 1000) * width, y: (position.y / 1000) * height } });
    };
    await clickOn(positions.name);
    await page.keyboard.type('Adx');
    await page.keyboard.press('Backspace');
    // As at the end of an IME composition.
    await page.keyboard.insertText('á');
    await clickOn(positions.password);
    await remoteBrowser.evaluate((field) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', 'battery');
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await clickOn(positions.resume);
    await until('the page has it', () => site.clickCount === 1 || undefined, 60_000);
    // The last frame is delivered without a further one.
    const color = async () => colorOf(pixelsOf(await remoteBrowser.screenshot()));
    await until('it is seen', async () => (await color()) === 'blue' || undefined, 60_000);
    await page.getByRole('list', { name: 'Steps' }).getByText('Click button “Go”').waitFor();
    await fixture.viewer.page.keyboard.press('Shift+Escape');
    expect(await remoteBrowser.evaluate((field) => field === document.activeElement)).toBe(false);
    await page.getByRole('button', { name: 'Release control' }).click();
    await page.getByText('Completed', { exact: true }).waitFor();
    expect(await client.waitForEnd(run.id)).toMatchObject({ output: { messages: 'Hello Adá, 7' } });
    await remoteBrowser.waitFor({ state: 'detached' });
  });

  test('shows control of another user', async () => {
    site.reset();
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    const apiKey = await client.json('/v1/api-keys', { method: 'POST', body: { name: 'ada', role: 'operator' } });
    const headers = { authorization: `Bearer ${(apiKey as { key: string }).key}` };
    const run = await client.submit({ definition: site.definition });
    await client.waitForEvent(run.id, ({ type, data }) => type === 'step.started' && data['step'] === 1, 60_000);
    const scroll = `${client.url}/v1/runs/${run.id}/control`;
    expect((await fetch(scroll, { method: 'POST', headers })).status).toBe(200);
    await client.waitForEvent(run.id, ({ type }) => type === 'run.awaiting_user', 60_000);
    site.ready();
    await page.goto(`/runs/${run.id}`);
    const question = page.getByRole('region', { name: 'Question' });
    await question.getByText('ada has control').waitFor();
    await page.getByRole('status').filter({ hasText: 'ada has control' }).waitFor();
    await page.getByRole('button', { name: 'Take control' }).click();
    await page.getByText('ada has control (released at').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    expect((await fetch(scroll, { method: 'DELETE', headers })).status).toBe(200);
    await page.getByText('Completed', { exact: true }).waitFor();
  });

  test('shows the last five of many actions on the step, and all of them in its detail', async () => {
    site.reset();
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    const run = await client.submit({ definition: site.definition });
    await page.goto(`/runs/${run.id}`);
    await client.waitForEvent(run.id, ({ type, data }) => type === 'step.started' && data['step'] === 1, 60_000);
    await page.getByRole('button', { name: 'Take control' }).press('Enter');
    await client.waitForEvent(run.id, ({ type }) => type === 'run.awaiting_user', 60_000);
    site.ready();
    const remoteBrowser = page.getByRole('textbox', { name: 'Remote browser' });
    await remoteBrowser.waitFor();
    const steps = page.getByRole('list', { name: 'Steps' });
    const actions = steps.getByText(/Press (Tab|End)/);
    for (let count = 1; count <= 5; count += 1) await remoteBrowser.press('Tab');
    await until('five are shown', async () => (await actions.count()) === 5 || undefined, 60_000);
    expect(await steps.getByText(/^\+ \d+ more$/).count()).toBe(0);
    for (let count = 1; count <= 3; count += 1) await remoteBrowser.press('End');
    await steps.getByText('+ 3 more', { exact: true }).waitFor();
    // The last five.
    expect((await actions.allInnerTexts()).map((line) => line.replace(/^.*Press /, ''))).toEqual([
      ...Array(2).fill('Tab'),
      ...Array(3).fill('End'),
    ]);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await steps.getByRole('listitem').filter({ hasText: '+ 3 more' }).getByRole('button').click();
    await page.getByText('Manual actions (8)').waitFor();
    await page.getByRole('tab', { name: 'Live' }).click();
    await page.getByRole('button', { name: 'Release control' }).click();
    await page.getByText('Completed', { exact: true }).waitFor();
    await steps.getByText('+ 3 more', { exact: true }).waitFor();
  });

  test('answers the dialogs of the page', async () => {
    const dialogSite = await ControlTestSite.start(`<!doctype html><title>Ask</title><h1>Welcome</h1>
      <button autofocus style="position:fixed;left:0;top:40vh;width:40vw;height:10vh">Go</button>
      <script>
        fetch('/ready').then(() => { document.title = 'Ready'; });
        document.querySelector('button').onclick = () => {
          document.querySelector('h1').textContent = 'Go to ' + prompt('Which port?', 'Bergen');
        };
      </script>`);
    try {
      const { page } = fixture.viewer;
      const { client } = fixture.stack;
      const run = await client.submit({ definition: dialogSite.definition });
      await page.goto(`/runs/${run.id}`);
      await client.waitForEvent(run.id, ({ type, data }) => type === 'step.started' && data['step'] === 1, 60_000);
      await page.getByRole('button', { name: 'Take control' }).press('Enter');
      await client.waitForEvent(run.id, ({ type }) => type === 'run.awaiting_user', 60_000);
      dialogSite.ready();
      const remoteBrowser = page.getByRole('textbox', { name: 'Remote browser' });
      await remoteBrowser.waitFor();
      const { width, height } = (await remoteBrowser.boundingBox()) ?? { width: 0, height: 0 };
      await remoteBrowser.click({
        position: { x: (positions.resume.x / 1000) * width, y: (positions.resume.y / 1000) * height },
      });
      const dialog = page.getByRole('form', { name: 'Dialog of the page' });
      await dialog.getByText('The page asks: Which port?').waitFor();
      expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
      await dialog.getByRole('textbox', { name: 'Answer' }).fill('Oslo');
      await dialog.getByRole('button', { name: 'OK' }).click();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Release control' }).click();
      expect(await client.waitForEnd(run.id)).toMatchObject({ output: { messages: 'Go to Oslo' } });
    } finally {
      dialogSite.stop();
    }
  });

  test('uploads a file for a file chooser of the page, or cancels it', async () => {
    const uploadSite = await ControlTestSite.start(`<!doctype html><title>Papers</title><h1>Welcome</h1>
      <input type="file" aria-label="Paper" style="position:fixed;left:0;top:40vh;width:40vw;height:10vh">
      <script>
        fetch('/ready').then(() => { document.title = 'Ready'; });
        document.querySelector('input').onchange = async ({ target: { files: [file] } }) => {
          document.querySelector('h1').textContent = file.name + ': ' + (await file.text());
          fetch('/message?text=' + file.name);
        };
      </script>`);
    try {
      const { page } = fixture.viewer;
      const { client } = fixture.stack;
      const run = await client.submit({ definition: uploadSite.definition });
      await page.goto(`/runs/${run.id}`);
      await client.waitForEvent(run.id, ({ type, data }) => type === 'step.started' && data['step'] === 1, 60_000);
      await page.getByRole('button', { name: 'Take control' }).press('Enter');
      await client.waitForEvent(run.id, ({ type }) => type === 'run.awaiting_user', 60_000);
      uploadSite.ready();
      const remoteBrowser = page.getByRole('textbox', { name: 'Remote browser' });
      const chooser = page.getByRole('form', { name: 'File chooser of the page' });
      const openChooser = async () => {
        await remoteBrowser.waitFor();
        const { width, height } = (await remoteBrowser.boundingBox()) ?? { width: 0, height: 0 };
        await remoteBrowser.click({
          position: { x: (positions.resume.x / 1000) * width, y: (positions.resume.y / 1000) * height },
        });
        await chooser.getByText('The page asks for a file').waitFor();
      };
      await openChooser();
      expect(await chooser.getByRole('button', { name: 'Upload' }).isDisabled()).toBe(true);
      expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
      await chooser.getByRole('button', { name: 'Cancel' }).click();
      await chooser.waitFor({ state: 'detached' });
      await openChooser();
      const file = { name: 'bill.txt', mimeType: 'text/plain', buffer: Buffer.from('17 EUR') };
      await chooser.getByLabel('File', { exact: true }).setInputFiles(file);
      await chooser.getByRole('button', { name: 'Upload' }).click();
      await chooser.waitFor({ state: 'detached' });
      await until('the page has it', () => uploadSite.messages.length === 1 || undefined, 60_000);
      await page.getByRole('button', { name: 'Release control' }).click();
      expect(await client.waitForEnd(run.id)).toMatchObject({ output: { messages: 'bill.txt: 17 EUR' } });
    } finally {
      uploadSite.stop();
    }
  });
});
