import { call, ParsedPrompt } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { until } from '../harness/poll-until.ts';
import { useConsole } from '../harness/console.fixture.ts';

describe('a question', () => {
  let models: ModelServer;
  beforeAll(async () => {
    models = await startModels();
    // Asks for a color, and completes with the answer.
    models.policy = ({ system, text }) => {
      const prompt = new ParsedPrompt(`${system}\n${text.trimEnd()}`);
      if (system.includes('You verify the work')) return { text: '{"verdict":"success","why":"It was told"}' };
      const answer = /A person answered: (\w+)/.exec(prompt.text)?.[1];
      return {
        text: 'As it was told',
        calls:
          answer === undefined
            ? [call('ask', { text: 'Which color?' })]
            : [call('done', { answer, title_or_url: prompt.page.split(' ')[0] ?? '', indicators: [] })],
      };
    };
  });
  const fixture = useConsole({
    workers: 1,
    api: () => ({ PILOTHOUSE_MODEL: 'gemini/policy', GEMINI_API_KEY: 'key-of-gemini', GEMINI_BASE_URL: models.url }),
  });
  afterAll(() => models?.close());

  test('of an agent is answered by text next to the live page, and the agent continues', async () => {
    const { viewer, stack } = fixture;
    const { page } = viewer;
    const { id } = await stack.client.submit({
      goal: 'Say which color the paint shall have',
      url: `${stack.site.url}/public/widgets`,
    });
    await page.goto(`/runs/${id}`);
    const question = page.getByRole('region', { name: 'Question' });
    await question.getByText('The agent asks: Which color?').waitFor();
    const live = page.getByRole('img', { name: 'Live browser view' });
    await until(
      'its page is seen beside the question',
      () => live.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 300),
      60_000,
    );
    expect(await question.isVisible()).toBe(true);
    expect(await viewer.accessibilityViolations()).toEqual([]);
    const { choices } = (await stack.client.run(id)).question ?? { choices: [] };
    await question.getByLabel('Your answer').fill('vermilion');
    await question
      .getByRole('button', { name: choices.find(({ choice }) => choice === 'continue')?.title ?? '', exact: true })
      .click();
    await page.getByText('Completed', { exact: true }).first().waitFor();
    await question.waitFor({ state: 'detached' });
    expect(await stack.client.waitForEnd(id)).toMatchObject({ status: 'completed', output: 'vermilion' });
    const resumed = (await stack.client.events(id)).filter(({ type }) => type === 'run.answered');
    expect(resumed).toMatchObject([{ data: { questionNumber: 1, choice: 'continue', text: 'vermilion' } }]);
  });

  test('about the approval of a step has no text field, because only approve or refuse is asked', async () => {
    const { viewer, stack } = fixture;
    const { page } = viewer;
    const { id } = await stack.client.submit({
      steps: [
        { action: 'navigate', url: `${stack.site.url}/public/widgets` },
        { action: 'reload', approval: 'Reload the page?' },
      ],
    });
    await page.goto(`/runs/${id}`);
    const question = page.getByRole('region', { name: 'Question' });
    const approve = question.getByRole('button', { name: 'Approve: run the step once', exact: true });
    await approve.waitFor();
    await question.getByRole('button', { name: 'Refuse: fail the step', exact: true }).waitFor();
    expect(await question.getByRole('textbox').count()).toBe(0);
    expect(await viewer.accessibilityViolations()).toEqual([]);
    await approve.click();
    expect(await stack.client.waitForEnd(id)).toMatchObject({ status: 'completed' });
  });
});
