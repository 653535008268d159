import type { TraceDetail } from '@pilothouse/contract/learning/trace.schema';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { useConsole } from '../harness/console.fixture.ts';
import { keyboardViolations } from '../harness/keyboard-audit.ts';
import { until } from '../harness/poll-until.ts';
import { LearningClient } from '../learning/learning-client.ts';
import { answerAtLogin, recordAllTurns, recordedRunsApi, recordRun } from '../testing/recorded-runs.ts';

/* Traces of real runs, scored by the job runner. Only the models are scripted. */

describe('the review of traces', () => {
  let models: ModelServer;
  beforeAll(async () => {
    models = await startModels();
    models.policy = answerAtLogin;
  });
  afterAll(() => models?.close());
  const fixture = useConsole({ workers: 1, api: () => recordedRunsApi(models.url) });
  beforeAll(() => fixture.stack.addJobRunner());

  const readTrace = (run: string) => fixture.stack.client.json(`/v1/traces/${run}`) as Promise<TraceDetail>;

  test('explains how to record turns, then shows the quality of traces', async () => {
    const { page } = fixture.viewer;
    for (const path of ['/learning', '/learning/traces']) {
      await page.goto(path);
      await page.getByText('No traces yet').waitFor();
      expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    }
    await page.getByRole('link', { name: 'Record turns' }).click();
    await page.getByLabel('Recorded turns').waitFor();
    await recordAllTurns(fixture.stack);
    await recordRun(fixture.stack);
    await page.goto('/learning');
    await page.getByRole('img', { name: /^Scored steps per day: 1 good, 0 bad, 1 unknown/ }).waitFor();
    await page.getByRole('region', { name: 'Quality by workflow' }).getByText('enter-address').waitFor();
    await page.getByText('No registered model is in use.').waitFor();
    await page.getByText('No datasets, exports or tuning jobs yet.').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
  });

  test('labels and corrects steps by keyboard and on the screenshot', async () => {
    const { page } = fixture.viewer;
    const { run, steps } = await recordRun(fixture.stack, 'by-keyboard');
    expect(steps.map(({ quality }) => quality)).toEqual(['unknown', 'good']);
    await page.goto(`/runs/${run}`);
    await page.getByRole('link', { name: 'Trace', exact: true }).click();
    // The doubtful step is shown first, with its target on the screenshot.
    await page.getByRole('heading', { name: 'Step 1 of 2' }).waitFor();
    const screenshot = page.getByRole('img', { name: 'Page before step 1' });
    await until('the screenshot is loaded', () =>
      screenshot.evaluate((image) => (image as HTMLImageElement).naturalWidth > 0),
    );
    await page.locator('[data-target="1"]').waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);

    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Step 2 of 2' }).waitFor();
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'Step 1 of 2' }).waitFor();
    await page.keyboard.press('g');
    // A label moves to the next step.
    await page.getByRole('heading', { name: 'Step 2 of 2' }).waitFor();
    expect((await readTrace(run)).steps[0]).toMatchObject({ quality: 'good', source: 'person' });
    await page.keyboard.press('b');
    await page.getByLabel('Why is step 2 bad?').fill('It ended too early');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Quality history' }).getByText('It ended too early').waitFor();

    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'Step 1 of 2' }).waitFor();
    await page.keyboard.press('c');
    const dialog = page.getByRole('dialog', { name: 'Correct step 1' });
    await dialog.getByLabel('Reason').fill('Log in first');
    await dialog.getByLabel('Thought').fill('The form is complete.');
    await dialog.getByLabel('Kind of action 1').selectOption('done');
    await dialog.getByRole('button', { name: 'Save correction' }).click();
    const indicators = dialog.getByLabel('Indicators');
    // The page does not show the answer, which is the text of the recorded action.
    await dialog.getByRole('alert').getByText('The page shows no value of the answer').waitFor();
    expect(await indicators.getAttribute('aria-invalid')).toBe('true');
    await dialog.getByLabel('Answer').fill('');
    await dialog.getByRole('button', { name: 'Save correction' }).click();
    await dialog.getByRole('alert').getByText('Done: enter a text of the page').waitFor();
    expect(await indicators.getAttribute('aria-invalid')).toBe('true');
    // The API refuses a text that the page of the turn does not show.
    await indicators.fill('Log in\nNowhere on this page');
    await dialog.getByRole('button', { name: 'Save correction' }).click();
    await dialog.getByRole('alert').getByText('Text 2: The page does not show this text').waitFor();
    expect(await indicators.getAttribute('aria-invalid')).toBe('true');
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await dialog.getByLabel('Kind of action 1').selectOption('click');
    await dialog.getByRole('button', { name: /button Log in/ }).click();
    await dialog.getByText(/\[\d+\] button “Log in”/).waitFor();
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Save correction' }).click();
    await dialog.waitFor({ state: 'detached' });
    const corrected = (await readTrace(run)).steps[0];
    expect(corrected).toMatchObject({
      quality: 'bad',
      correctedThought: 'The form is complete.',
      correctedActions: [{ kind: 'act', action: { action: 'click', target: { elementIndex: expect.any(Number) } } }],
    });
    expect(corrected?.labels.map(({ source }) => source)).toEqual(['model', 'person', 'person']);

    await page.goto('/learning');
    await page.getByText('No good traces in this period.').waitFor();
    await page
      .getByRole('list', { name: 'Latest bad traces' })
      .getByRole('link', { name: /^by-keyboard/ })
      .click();
    await page.getByRole('heading', { name: 'by-keyboard', level: 1 }).waitFor();
    expect(await keyboardViolations(page)).toEqual([]);

    // Without a screenshot, there is a sentence and no boxes.
    await page.route('**/files/**', (route) => route.fulfill({ contentType: 'image/jpeg', body: '' }));
    await page.reload();
    await page.getByText('The screenshot of this turn cannot be loaded.').waitFor();
    expect(await page.locator('[data-target]').count()).toBe(0);
    expect(await page.locator('[data-screenshot] span').count()).toBe(0);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
  });

  test('accepts the labels of selected traces after a preview', async () => {
    const { page } = fixture.viewer;
    const { run } = await recordRun(fixture.stack, 'accepted');
    await page.goto('/learning/traces');
    const row = page.getByRole('row').filter({ hasText: 'accepted' });
    await row.waitFor();
    expect(await keyboardViolations(page)).toEqual([]);
    await row.getByRole('checkbox').check();
    await row.getByRole('button', { name: /^Pin accepted/ }).click();
    await row.getByRole('button', { name: /^Unpin accepted/ }).waitFor();
    await page.getByRole('button', { name: 'Accept scores…' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Accept the current scores of 1 trace?' });
    await dialog.getByLabel('Reason').fill('Checked');
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await dialog.getByRole('button', { name: 'Accept 1 step' }).click();
    await page.getByText('1 step of 1 trace accepted.').waitFor();
    const trace = await readTrace(run);
    expect(trace.isPinned).toBe(true);
    expect(trace.steps.map(({ source }) => source)).toEqual(['model', 'person']);
    expect(trace.steps[1]?.labels.at(-1)).toMatchObject({ source: 'person', reason: 'Checked' });
    await page.goto('/learning/traces?review=done');
    await page
      .getByText('No traces match')
      .or(page.getByRole('table', { name: 'Traces' }))
      .waitFor();
    expect(await page.getByRole('row').filter({ hasText: 'accepted' }).count()).toBe(0);
  });

  test('shows jobs, exports and models in use on the overview', async () => {
    const { page } = fixture.viewer;
    const learning = new LearningClient(() => fixture.stack.client);
    const dataset = await learning.buildDataset({ name: 'addresses' });
    const { id, job } = await learning.startExport(dataset.id, { format: 'raw', dialect: 'aura', splits: ['train'] });
    await learning.endedJob(job ?? '');
    await learning.send('POST', '/v1/registry/models', {
      name: 'address-v2',
      model: 'forge/tuned',
      base: 'forge/pilot',
    });
    await learning.send('POST', '/v1/registry/models/address-v2/canary', { percent: 10 });
    await page.goto('/learning');
    const rowsOf = (name: string) => page.getByRole('list', { name }).getByRole('listitem');
    await rowsOf('Background jobs').first().waitFor();
    expect(await rowsOf('Background jobs').allInnerTexts()).toEqual([
      expect.stringMatching(/^Completed\s+Export dataset/),
      expect.stringMatching(/^Completed\s+Build dataset/),
    ]);
    expect(await rowsOf('Models in use').allInnerTexts()).toEqual([expect.stringMatching(/^Canary 10%\s+address-v2/)]);
    expect(await fixture.viewer.accessibilityViolations()).toEqual([]);
    await rowsOf('Recent exports').getByRole('link').click();
    await page.waitForURL(`**/learning/datasets/${dataset.id}#export-${id}`);
    await page.getByRole('heading', { name: 'addresses', level: 1 }).waitFor();
  });
});
