import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useConsole } from '../harness/console.fixture.ts';
import { until } from '../harness/poll-until.ts';

/** Milliseconds for a desktop and its applications on a busy machine. */
const TIMEOUT_MS = 90_000;

const token = `pf_${randomBytes(24).toString('hex')}`;

describe('the run page of a desktop run', () => {
  const fixture = useConsole({
    workers: 0,
    signIn: 'key',
    api: () => ({
      PILOTHOUSE_FLEETS: JSON.stringify([
        { name: 'desktops', surface: 'desktop', token, slots: 1, maxWorkers: 2, idleSlots: 0 },
      ]),
    }),
  });
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'desktop-page-'));
    // Programs of a session may have a separate user.
    await chmod(folder, 0o777);
    await fixture.stack.addWorker({
      PILOTHOUSE_SURFACE: 'desktop',
      PILOTHOUSE_FLEET_TOKEN: token,
      PILOTHOUSE_SLOTS: '1',
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('shows application and window, and passes keys, composed text and the pointer to the desktop', async () => {
    const { page } = fixture.viewer;
    const { client } = fixture.stack;
    // Saving an existing file opens no dialog.
    const path = join(folder, 'note.txt');
    await writeFile(path, '');
    await chmod(path, 0o666);
    const run = await client.submit({
      definition: {
        name: 'note',
        surface: 'desktop',
        steps: [
          { action: 'openApp', app: 'org.xfce.mousepad', args: [path] },
          // Mousepad marks a changed document.
          { action: 'waitFor', condition: { title: '*' }, timeout: 300 },
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
    await facts.getByText(`mousepad · ${path} - Mousepad`).waitFor();
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
    await until(
      'the file has the text',
      async () => (await readFile(path, 'utf8').catch(() => '')) === 'aé日 pasted' || undefined,
      TIMEOUT_MS,
    );
    await page.keyboard.type('b');
    await page.getByRole('button', { name: 'Release control' }).click();
    await page.getByText('Completed', { exact: true }).waitFor();
    expect(await client.waitForEnd(run.id, TIMEOUT_MS)).toMatchObject({ status: 'completed' });
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
