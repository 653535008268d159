import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { until } from '@pilothouse/testing/test-helpers';
import type { AgentThinking } from '@pilothouse/contract/events/agent.events';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { useConsole } from '../harness/console.fixture.ts';

/*
 * Streams a model response in two halves; the second waits until the page shows the first.
 */
describe('the thinking of an agent', () => {
  let models: ModelServer;
  beforeAll(async () => {
    models = await startModels();
  });
  const fixture = useConsole({
    workers: 1,
    api: () => ({
      PILOTHOUSE_MODEL: 'gemini/policy',
      PILOTHOUSE_MODEL_STREAMING: 'true',
      GEMINI_API_KEY: 'key-of-gemini',
      GEMINI_BASE_URL: models.url,
    }),
  });
  afterAll(() => models?.close());

  test('is streamed to the run page and its subscribers, masked, and stored once', async () => {
    const { viewer, stack } = fixture;
    const { page } = viewer;
    const password = 'correct-horse-battery';
    // The first half ends inside a secret.
    const FIRST_HALF = 'The page wants correct-horse';
    const thought = `${FIRST_HALF}${'-battery, I think; more of it I cannot see.'.slice(0, FIRST_HALF.length)}`;
    const firstHalfShown = Promise.withResolvers<undefined>();
    models.next({
      text: thought,
      calls: [{ name: 'fail', args: { text: 'Not needed' } }],
      before: (sentCount) => (sentCount === 1 ? firstHalfShown.promise : undefined),
    });
    const { id } = await stack.client.submit({
      definition: {
        name: 'slow-thought',
        inputs: { password: { type: 'string', secret: true } },
        steps: [
          { action: 'navigate', url: `${stack.site.url}/public/widgets` },
          { action: 'goal', goal: 'Say {{inputs.password}}' },
        ],
      },
      inputs: { password },
    });
    await page.goto(`/runs/${id}`);
    // In the step list and in the turn.
    await page.getByRole('list', { name: 'Steps' }).getByText('The page wants', { exact: true }).waitFor();
    await page.getByRole('tab', { name: 'Step', exact: true }).click();
    const growing = page.locator('li[aria-busy]');
    await growing.waitFor();
    expect(await growing.textContent()).toBe('1The page wants▍');
    expect(await viewer.accessibilityViolations()).toEqual([]);

    // A second subscriber follows the stream.
    const messages: { event: string; id: string | null; data: string }[] = [];
    const follow = (async () => {
      for await (const message of stack.client.stream(id)) messages.push(message);
    })();
    const thinking = () => messages.filter(({ event }) => event === 'agent-thinking');
    await until('the stream says how far it is', () => thinking().length > 0);
    expect(thinking()[0]).toMatchObject({ id: null });
    expect(JSON.parse(thinking()[0]?.data ?? '') as AgentThinking).toEqual({
      step: 1,
      turn: 1,
      text: 'The page wants',
    });

    firstHalfShown.resolve(undefined);
    const maskedThought = thought.replace(password, '••••');
    await page.getByText(maskedThought).first().waitFor();
    await growing.waitFor({ state: 'detached' });
    expect(await stack.client.waitForEnd(id)).toMatchObject({ status: 'failed', error: { code: 'GOAL_FAILED' } });
    await follow;
    expect(messages.map(({ data }) => data).join()).not.toContain('correct');
    // A later subscriber receives the complete thought once.
    const events: RunEvent[] = [];
    for await (const { event, data } of stack.client.stream(id))
      if (event !== 'end') events.push(JSON.parse(data) as RunEvent);
    const thoughts = events.filter(({ type }) => type === 'agent.turn');
    expect(thoughts).toMatchObject([{ data: { turn: 1, thought: maskedThought } }]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    for (const [location, text] of Object.entries(await stack.dumpStoredData()))
      expect([location, text.includes('correct-horse')]).toEqual([location, false]);
  });
});
