import type { ServerResponse } from 'node:http';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { call, ParsedPrompt } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { until } from '@pilothouse/testing/test-helpers';
import { TestServer } from '@pilothouse/testing/test-server';
import { Stack } from './harness/stack.ts';

/*
 * Replays the cached actions of a goal with a real worker and without a model call.
 */
describe('the action cache', () => {
  let stack: Stack;
  let models: ModelServer;

  beforeAll(async () => {
    models = await startModels();
    models.policy = ({ system, text }) => {
      const prompt = new ParsedPrompt(`${system}\n${text.trimEnd()}`);
      if (prompt.maybe(/textbox "Password"/) === undefined)
        return { text: '', calls: [call('done', { title_or_url: 'Catalogue', indicators: ['Catalogue'] })] };
      return {
        text: '',
        calls: [
          call('type', { element: prompt.element(/textbox "E-mail"/), text: DEMO_ACCOUNT.email }),
          call('type', { element: prompt.element(/textbox "Password"/), text: '{{inputs.password}}' }),
          call('click', { element: prompt.element(/button "Log in"/) }),
        ],
      };
    };
    stack = await Stack.start({
      api: { PILOTHOUSE_MODEL: 'gemini/policy', GEMINI_API_KEY: 'key-of-gemini', GEMINI_BASE_URL: models.url },
    });
  });
  afterAll(async () => {
    await stack?.stop();
    await models?.close();
  });

  const log = async (path: string, request: object) => stack.client.json(path, request);
  const definition = () => ({
    name: 'log-in',
    inputs: { email: { type: 'string' }, password: { type: 'string', secret: true } },
    steps: [
      { action: 'navigate', url: `${stack.site.url}/login` },
      {
        id: 'in',
        action: 'goal',
        goal: 'Log in as {{inputs.email}} with {{inputs.password}}.',
        expect: { url: '/catalogue' },
      },
    ],
  });
  const inputs = { email: DEMO_ACCOUNT.email, password: DEMO_ACCOUNT.password };
  /** Runs the workflow. @returns the run and its number of model calls */
  const run = async (body: object = { inputs }) => {
    models.requests.splice(0);
    const { id } = (await log('/v1/workflows/log-in/runs', { method: 'POST', body })) as RunView;
    const view = await stack.client.waitForEnd(id);
    return { view, calls: models.requests.length };
  };

  test('is keyed by workflow, step and page, contains no inputs, and can be disabled by the project', async () => {
    await log('/v1/workflows?publish=true', { method: 'POST', body: definition() });
    const first = await run();
    expect(first).toMatchObject({ view: { status: 'completed', steps: { total: 2, modelFree: 1 } }, calls: 2 });
    const [, cacheDump = ''] =
      /^-- public\.action_cache\n([\s\S]*?)(?:^-- |$(?![\s\S]))/m.exec(await stack.database.dump()) ?? [];
    expect(cacheDump).toContain('{{inputs.email}}');
    expect(cacheDump).not.toContain(DEMO_ACCOUNT.email);
    expect(cacheDump).not.toContain(DEMO_ACCOUNT.password);

    const second = await run();
    expect(second).toMatchObject({
      view: { status: 'completed', usage: { calls: 0 }, steps: { total: 2, modelFree: 2 } },
      calls: 0,
    });
    const { items } = (await stack.client.json(`/v1/runs/${second.view.id}/events?format=json&limit=1000`)) as {
      items: RunEvent[];
    };
    const thoughts = items.filter(({ type }) => type === 'agent.turn');
    expect(thoughts.map(({ data }) => data['source'])).toEqual(['cache', 'cache']);

    await log('/v1/projects/current', { method: 'PATCH', body: { agents: { actionCache: 'never' } } });
    expect(await run()).toMatchObject({ view: { status: 'completed' }, calls: 2 });
    // An inline definition is not cached either.
    await log('/v1/projects/current', { method: 'PATCH', body: { agents: null } });
    const adHoc = await stack.client.submit({ definition: { ...definition(), name: 'ad-hoc' }, inputs });
    expect(await stack.client.waitForEnd(adHoc.id)).toMatchObject({ status: 'completed', usage: { calls: 2 } });
  });

  test('after a worker is lost during a replay, the next one calls the model and the cache entry stays', async () => {
    /** Pending requests for the page behind the link. */
    const waiting: ServerResponse[] = [];
    const server = new TestServer((request, response) => {
      if (request.url === '/next') return void waiting.push(response.setHeader('content-type', 'text/html'));
      response.setHeader('content-type', 'text/html').end('<title>First</title><a href="/next">Go on</a>');
    });
    await server.start();
    const releasePage = async () => {
      const response = await until('the link is followed', () => waiting.shift(), 60_000);
      response.end('<title>Second</title><h1>There</h1>');
    };
    const usual = models.policy;
    models.policy = ({ system, text }) => {
      const link = new ParsedPrompt(`${system}\n${text.trimEnd()}`).maybe(/link "Go on"/);
      if (link !== undefined) return { text: '', calls: [call('click', { element: link })] };
      return { text: '', calls: [call('done', { title_or_url: 'Second', indicators: ['There'] })] };
    };
    const url = `${server.origin}/`;
    const steps = [
      { action: 'navigate', url },
      { id: 'on', action: 'goal', goal: 'Go to the second page' },
    ];
    await log('/v1/workflows?publish=true', { method: 'POST', body: { name: 'go-on', steps } });
    const submit = async () => ((await log('/v1/workflows/go-on/runs', { method: 'POST', body: {} })) as RunView).id;
    /** Result of a run, and the source of the action of each turn. */
    const outcomeOf = async (id: string) => {
      const { status, attempts, usage } = await stack.client.waitForEnd(id, 80_000);
      const thoughts = (await stack.client.events(id)).filter(({ type }) => type === 'agent.turn');
      return { status, attempts, calls: usage.calls, by: thoughts.map(({ data }) => data['source'] ?? 'model') };
    };
    try {
      const first = await submit();
      await releasePage();
      expect(await outcomeOf(first)).toEqual({ status: 'completed', attempts: 1, calls: 2, by: ['model', 'model'] });

      const second = await submit();
      const lost = await until('the link is followed', () => waiting.shift(), 60_000);
      await stack.addReplicaWithWorker();
      await stack.killWorkerOf(second);
      lost.destroy();
      await releasePage();
      const deciders = ['cache', 'model', 'model'];
      expect(await outcomeOf(second)).toEqual({ status: 'completed', attempts: 2, calls: 2, by: deciders });

      const third = await submit();
      await releasePage();
      expect(await outcomeOf(third)).toEqual({ status: 'completed', attempts: 1, calls: 0, by: ['cache', 'cache'] });
    } finally {
      models.policy = usual;
      await server.stop();
    }
  });
});
