import type { RunEvent, RunView } from '@pilothouse/contract';
import { call, DEMO_ACCOUNT, SeenPrompt, startModels, type ModelServer } from '@pilothouse/testing';
import { Stack } from './harness/stack.ts';

/*
 * A goal of a workflow that is reached a second time: what worked is done again by a real worker, and no model is asked.
 */
describe('what an agent did is remembered', () => {
  let stack: Stack;
  let models: ModelServer;

  beforeAll(async () => {
    models = await startModels();
    models.policy = ({ system, text }) => {
      const seen = new SeenPrompt(`${system}\n${text.trimEnd()}`);
      if (seen.maybe(/textbox "Password"/) === undefined)
        return { text: '', calls: [call('done', { title_or_url: 'Catalogue', indicators: ['Catalogue'] })] };
      return {
        text: '',
        calls: [
          call('type', { element: seen.element(/textbox "E-mail"/), text: DEMO_ACCOUNT.email }),
          call('type', { element: seen.element(/textbox "Password"/), text: '{{inputs.password}}' }),
          call('click', { element: seen.element(/button "Log in"/) }),
        ],
      };
    };
    stack = await Stack.start({
      api: { PILOTHOUSE_MODEL: 'gemini/policy', GEMINI_API_KEY: 'key-of-gemini', GEMINI_BASE_URL: models.url },
    });
  }, 120_000);
  afterAll(async () => {
    await stack?.stop();
    await models?.close();
  }, 60_000);

  const log = async (path: string, request: object) => stack.client.json(path, request);
  const definition = () => ({
    name: 'log-in',
    inputs: { who: { type: 'string' }, password: { type: 'string', secret: true } },
    steps: [
      { action: 'navigate', url: `${stack.site.url}/login` },
      {
        id: 'in',
        action: 'goal',
        goal: 'Log in as {{inputs.who}} with {{inputs.password}}.',
        expect: { url: '/catalogue' },
      },
    ],
  });
  const inputs = { who: DEMO_ACCOUNT.email, password: DEMO_ACCOUNT.password };
  /** Runs it, and says how many calls that took. */
  const run = async (body: object = { inputs }) => {
    models.asked.splice(0);
    const { id } = (await log('/v1/workflows/log-in/runs', { method: 'POST', body })) as RunView;
    const view = await stack.client.ended(id);
    return { view, calls: models.asked.length };
  };

  test('by workflow, step and page, without what was given; the project may say no', async () => {
    await log('/v1/workflows?publish=true', { method: 'POST', body: definition() });
    const first = await run();
    expect(first).toMatchObject({ view: { status: 'completed', steps: { all: 2, modelFree: 1 } }, calls: 2 });
    const [, kept = ''] =
      /^-- public\.action_memory\n([\s\S]*?)(?:^-- |$(?![\s\S]))/m.exec(await stack.database.dump()) ?? [];
    expect(kept).toContain('{{inputs.who}}');
    expect(kept).not.toContain(DEMO_ACCOUNT.email);
    expect(kept).not.toContain(DEMO_ACCOUNT.password);

    const second = await run();
    expect(second).toMatchObject({
      view: { status: 'completed', usage: { calls: 0 }, steps: { all: 2, modelFree: 2 } },
      calls: 0,
    });
    const { items } = (await stack.client.json(`/v1/runs/${second.view.id}/events?format=json&limit=1000`)) as {
      items: RunEvent[];
    };
    const thoughts = items.filter(({ type }) => type === 'agent.thought');
    expect(thoughts.map(({ data }) => data['source'])).toEqual(['cache', 'cache']);

    await log('/v1/project', { method: 'PATCH', body: { agents: { memory: 'off' } } });
    expect(await run()).toMatchObject({ view: { status: 'completed' }, calls: 2 });
    // A run that brings its own definition has no memory either.
    await log('/v1/project', { method: 'PATCH', body: { agents: null } });
    const adHoc = await stack.client.submit({ definition: { ...definition(), name: 'ad-hoc' }, inputs });
    expect(await stack.client.ended(adHoc.id)).toMatchObject({ status: 'completed', usage: { calls: 2 } });
  }, 120_000);
});
