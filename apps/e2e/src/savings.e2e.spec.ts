import type { CompileRunResult } from '@pilothouse/contract/api/compilation.routes';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { RepeatedGoal, Savings } from '@pilothouse/contract/run/savings.schema';
import { call, ParsedPrompt } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { until } from '@pilothouse/testing/test-helpers';
import { Stack } from './harness/stack.ts';

/* A goal runs three times with a real worker, is compiled, and the next run saves its model calls. */
describe('a repeated goal', () => {
  let stack: Stack;
  let models: ModelServer;

  beforeAll(async () => {
    models = await startModels();
    models.policy = ({ system, text }) => {
      const prompt = new ParsedPrompt(`${system}\n${text.trimEnd()}`);
      const password = prompt.maybe(/textbox "Password"/);
      if (password === undefined)
        return { text: '', calls: [call('done', { title_or_url: 'Catalogue', indicators: ['Catalogue'] })] };
      return {
        text: '',
        calls: [
          call('type', { element: prompt.element(/textbox "E-mail"/), text: DEMO_ACCOUNT.email }),
          call('type', { element: password, text: '{{inputs.password}}' }),
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

  const inputs = { password: DEMO_ACCOUNT.password };
  const readSavings = () => stack.client.json('/v1/savings') as Promise<Savings>;
  const listGoals = async () =>
    ((await stack.client.json('/v1/savings/repeated-goals')) as { items: RepeatedGoal[] }).items;
  const runGoal = async (goal: string) => {
    const steps = [
      { action: 'navigate', url: `${stack.site.url}/login` },
      { id: 'in', action: 'goal', goal, expect: { url: '/catalogue' } },
    ];
    const definition = { name: 'log-in', inputs: { password: { type: 'string', secret: true } }, steps };
    const { id } = await stack.client.submit({ definition, inputs });
    const run = await stack.client.waitForEnd(id);
    expect(run).toMatchObject({ status: 'completed', usage: { calls: 2 } });
    return run;
  };
  const replay = async (body: object) => {
    const { id } = (await stack.client.json('/v1/workflows/log-in/runs', { method: 'POST', body })) as RunView;
    return stack.client.waitForEnd(id);
  };

  test('is offered, compiled, and saves the model calls of the next run', async () => {
    const runs: RunView[] = [];
    for (const goal of [
      'Log in with {{inputs.password}}',
      'log in  WITH {{inputs.password}}',
      'Log in with {{inputs.password}}.',
    ])
      runs.push(await runGoal(goal));
    const tokens = Math.round(runs.reduce((sum, { usage }) => sum + usage.tokens, 0) / runs.length);
    expect(tokens).toBeGreaterThan(0);
    const offer = await until('the goal is offered', async () => (await listGoals())[0]);
    expect(offer).toMatchObject({
      site: new URL(stack.site.url).host,
      count: 3,
      best: { workflow: 'log-in', actions: 3 },
      // The scripted model has no price.
      perRun: { usd: null },
      perMonth: { usd: null },
    });
    expect(Math.round(offer.perRun.tokens)).toBe(tokens);

    const { workflow } = (await stack.client.json(`/v1/runs/${offer.best.run}/compile`, {
      method: 'POST',
      body: {},
    })) as CompileRunResult;
    expect(await listGoals()).toEqual([]);
    models.requests.splice(0);
    const run = await replay({ version: workflow.version, inputs });
    expect(run).toMatchObject({ status: 'completed', usage: { calls: 0 } });
    expect(models.requests).toEqual([]);
    const savings = await until('the run is measured', async () => {
      const read = await readSavings();
      return read.total.runs > 0 && read;
    });
    expect(savings).toMatchObject({
      total: { runs: 1, tokens, usd: null, unpricedRuns: 1 },
      mechanisms: [
        { mechanism: 'action_cache', count: 0, usd: 0 },
        { mechanism: 'compile', count: 1, tokens, usd: null },
        { mechanism: 'heal', count: 0 },
      ],
      workflows: [{ workflow: 'log-in', runs: 1 }],
    });
    expect(await (await stack.client.request('/metrics')).text()).toContain(
      `pilothouse_saved_tokens_total{mechanism="compile"} ${tokens}`,
    );
  });

  test('that the action cache replays saves the calls that chose its actions', async () => {
    const steps = [
      { action: 'navigate', url: `${stack.site.url}/login` },
      { id: 'in', action: 'goal', goal: 'Enter with {{inputs.password}}', expect: { url: '/catalogue' } },
    ];
    const body = { name: 'enter', inputs: { password: { type: 'string', secret: true } }, steps };
    await stack.client.json('/v1/workflows?publish=true', { method: 'POST', body });
    const run = async () => {
      const { id } = (await stack.client.json('/v1/workflows/enter/runs', {
        method: 'POST',
        body: { inputs },
      })) as RunView;
      return stack.client.waitForEnd(id);
    };
    const first = await run();
    expect(await run()).toMatchObject({ status: 'completed', usage: { calls: 0 } });
    const saved = await until('the run is measured', async () => {
      const { mechanisms } = await readSavings();
      return mechanisms.find(({ mechanism, count }) => mechanism === 'action_cache' && count > 0);
    });
    expect(saved).toMatchObject({ count: 2, runs: 1, tokens: first.usage.tokens, usd: null, unpricedRuns: 1 });
  });
});
