import { randomBytes } from 'node:crypto';
import { useConsole } from '../harness/console.fixture.ts';

/** Milliseconds for a desktop and its applications on a busy machine. */
const TIMEOUT_MS = 90_000;

const token = `pf_${randomBytes(24).toString('hex')}`;

describe('the run page of a desktop run', () => {
  const fixture = useConsole({
    workers: 0,
    signIn: 'key',
    api: () => ({
      PILOTHOUSE_FLEETS: JSON.stringify([
        { name: 'desktops', surface: 'desktop', token, externalWorkers: true, slots: 1, maxWorkers: 2, idleSlots: 0 },
      ]),
    }),
  });
  beforeAll(async () => {
    await fixture.stack.addWorker({
      PILOTHOUSE_SURFACE: 'desktop',
      ...fixture.stack.workerToken(token),
      PILOTHOUSE_SLOTS: '1',
    });
  });

  test('shows application and window, and passes keys, composed text and the pointer to the desktop', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    const run = await client.submit({
      definition: {
        name: 'note',
        surface: 'desktop',
        // Saving an existing file opens no dialog.
        desktop: { profile: { files: [{ path: 'note.txt', text: '' }] } },
        steps: [
          { action: 'openApp', app: 'org.xfce.mousepad', args: ['note.txt'] },
          // Mousepad marks a changed document.
          { action: 'waitFor', condition: { title: '*' }, timeout: 300 },
          { action: 'collectFile', path: 'note.txt' },
        ],
      },
    });
    await client.waitForEvent(run.id, ({ type, data }) => type === 'step.started' && data['step'] === 1, TIMEOUT_MS);
    await page.goto('/live');
    const tile = page.getByRole('listitem').filter({ hasText: 'note' });
    await tile.getByRole('img').waitFor();
    await page.goto(`/runs/${run.id}`);
    const facts = page.locator('dl').first();
    await facts.getByText('Desktop', { exact: true }).waitFor();
    await facts.getByText(/mousepad · .*note\.txt - Mousepad/).waitFor();
    await page.getByAltText('Live desktop view').waitFor();

    await page.getByRole('button', { name: 'Take control' }).press('Enter');
    await page.getByText('Click and type on the screen.').waitFor();
    const desktop = page.getByRole('textbox', { name: 'Remote desktop' });
    await desktop.waitFor();
    await page.getByRole('button', { name: 'Copy selection' }).waitFor();
    await page.getByRole('textbox', { name: 'Application' }).waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    const { width, height } = (await desktop.boundingBox()) ?? { width: 0, height: 0 };
    await desktop.click({ position: { x: width / 2, y: height / 2 } });
    await page.keyboard.type('a');
    // As at the end of an IME composition.
    await page.keyboard.insertText('é日');
    await desktop.evaluate((field) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ' pasted');
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    });
    await page.keyboard.press('Control+s');
    await page.getByRole('list', { name: 'Steps' }).getByText('Control+S').waitFor();
    await page.keyboard.type('b');
    await page.getByRole('button', { name: 'Release control' }).click();
    await page.getByText('Completed', { exact: true }).waitFor();
    expect(await client.waitForEnd(run.id, TIMEOUT_MS)).toMatchObject({ status: 'completed' });
    expect(await client.artifactText(run.id, 'note.txt')).toBe('aé日 pasted');
  }, 400_000);

  test('a new workflow starts from an example of a desktop', async () => {
    const { page } = fixture.viewer;
    await page.goto('/workflows/new');
    await page.getByRole('combobox', { name: 'Example' }).selectOption('Desktop example');
    await page.getByText('org.xfce.mousepad').first().waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await page.getByRole('button', { name: 'Create' }).click();
    await page
      .getByRole('heading', { name: /my-note|What it is for/ })
      .first()
      .waitFor();
  });
});
