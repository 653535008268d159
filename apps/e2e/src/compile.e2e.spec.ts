import type { CompileRunResult } from '@pilothouse/contract/api/compilation.routes';
import type { ProposalView } from '@pilothouse/contract/api/proposals.routes';
import type { ModelCall } from '@pilothouse/contract/model/model.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { call, ParsedPrompt, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { until } from '@pilothouse/testing/test-helpers';
import { Stack } from './harness/stack.ts';
import { startListSite, type ListSite } from './testing/list-site.fixture.ts';

/* Compiles agent runs. A worker in Chromium replays them with the same effect. */
let stack: Stack;
let models: ModelServer;
let policy: ScriptedPolicy;

beforeAll(async () => {
  models = await startModels();
  models.policy = ({ system, text }) => ({
    text: '',
    calls: policy(new ParsedPrompt(`${system}\n${text.trimEnd()}`)),
  });
  stack = await Stack.start({
    api: { PILOTHOUSE_MODEL: 'gemini/policy', GEMINI_API_KEY: 'key-of-gemini', GEMINI_BASE_URL: models.url },
  });
});
afterAll(async () => {
  await stack?.stop();
  await models?.close();
});
beforeEach(() => void models.requests.splice(0));

const compile = (run: string, body: object) =>
  stack.client.json(`/v1/runs/${run}/compile`, { method: 'POST', body }) as Promise<CompileRunResult>;

describe('an agent run compiled into a workflow', () => {
  const replay = async (name: string, body: object) => {
    const { id } = (await stack.client.json(`/v1/workflows/${name}/runs`, { method: 'POST', body })) as RunView;
    return stack.client.waitForEnd(id);
  };
  /** Last ledger entries of the site, without time and session. */
  const last = async (kind: string) => {
    const entry = (await stack.site.ledger(kind)).at(-1);
    return { count: (await stack.site.ledger(kind)).length, detail: entry?.detail };
  };

  const searchField = /combobox "Search products"/;
  /** Actions without effect: a failure, a scroll, a wait. */
  const detours: ((prompt: ParsedPrompt) => ModelCall[])[] = [
    (prompt) => [call('select', { element: prompt.element(/button "Search"/), option: 'None' })],
    () => [call('scroll', { to: 'bottom' })],
    () => [call('scroll', { to: 'top' })],
  ];
  /** Logs in and finds the first product with the name in the goal, with detours. */
  const finder: ScriptedPolicy = (prompt) => {
    const password = prompt.maybe(/textbox "Password"/);
    if (password !== undefined)
      return [
        call('type', { element: prompt.element(/textbox "E-mail"/), text: DEMO_ACCOUNT.email }),
        call('type', { element: password, text: '{{inputs.password}}' }),
        call('click', { element: prompt.element(/button "Log in"/) }),
      ];
    const [, product = ''] = /product named (\w[\w ]*)\./.exec(prompt.text) ?? [];
    const [, sku] = new RegExp(`row (\\S+) \\| (?:\\[\\d+\\] link ")?${product}`, 'i').exec(prompt.page) ?? [];
    if (prompt.page.includes(`for “${product}”`) && sku)
      return [call('done', { answer: { sku }, title_or_url: 'Catalogue', indicators: [`for “${product}”`] })];
    if (/"Search products" = /.test(prompt.page))
      return [call('press', { key: 'Enter', element: prompt.element(searchField) })];
    return detours.shift()?.(prompt) ?? [call('type', { element: prompt.element(searchField), text: product })];
  };
  const find = (product: string) => ({
    definition: {
      name: 'find-product',
      inputs: { product: { type: 'string' }, password: { type: 'string', secret: true } },
      steps: [
        { action: 'navigate', url: `${stack.site.url}/login` },
        {
          id: 'found',
          action: 'goal',
          goal: `Log in as ${DEMO_ACCOUNT.email} with {{inputs.password}} and find the product named {{inputs.product}}.`,
          outputSchema: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] },
        },
      ],
      output: '{{steps.found.value}}',
    },
    inputs: { product, password: DEMO_ACCOUNT.password },
    capture: { screenshots: 'none' },
  });

  test('has the same effect without a model, and another one with other inputs', async () => {
    policy = finder;
    const { id } = await stack.client.submit(find('mooring rope'));
    const run = await stack.client.waitForEnd(id);
    expect(detours).toEqual([]);
    expect(run).toMatchObject({ status: 'completed', output: { sku: expect.stringMatching(/^RL-\d+$/) } });
    expect(models.requests.length).toBeGreaterThan(3);
    const previous = { login: await last('login'), search: await last('search') };
    models.requests.splice(0);

    const body = { verify: true, inputs: { password: DEMO_ACCOUNT.password } };
    const { workflow, notes, verification } = await compile(id, body);
    expect({ notes, verification }).toEqual({
      notes: [expect.stringContaining('/sku is read from its element in this run')],
      verification: { run: expect.any(String), reason: null, proposal: expect.any(String) },
    });
    expect(workflow).toMatchObject({ name: 'find-product', version: 1, published: false });
    const { steps } = workflow.definition;
    expect(steps.map(({ action }) => action)).toEqual(['navigate', 'fill', 'fill', 'click', 'fill', 'press', 'call']);
    expect(steps).toMatchObject([
      {},
      { text: DEMO_ACCOUNT.email },
      { text: '{{inputs.password}}' },
      { expect: { url: `${stack.site.url}/catalogue*` } },
      { text: '{{inputs.product}}' },
      { key: 'Enter', expect: { url: `${stack.site.url}/catalogue?q=*` } },
      { id: 'found' },
    ]);
    expect(JSON.stringify(workflow.definition)).not.toContain('"element"');
    expect(JSON.stringify(workflow)).not.toContain(DEMO_ACCOUNT.password);

    const verificationRun = await stack.client.waitForEnd(String(verification?.run));
    expect(verificationRun).toMatchObject({ status: 'completed', output: run.output });
    let verdict: ProposalView | undefined;
    await until('the verification is judged', async () => {
      verdict = (await stack.client.json(`/v1/proposals/${verification?.proposal}`)) as ProposalView;
      return verdict.verification.state !== 'running';
    });
    expect(verdict).toMatchObject({
      kind: 'compile',
      version: 1,
      status: 'open',
      verification: { state: 'passed', run: verificationRun.id },
    });
    expect(await last('login')).toEqual({ ...previous.login, count: previous.login.count + 1 });
    expect((await last('search')).detail).toEqual(previous.search.detail);
    const otherInputs = { product: 'fender', password: DEMO_ACCOUNT.password };
    const second = await replay('find-product', { version: 1, inputs: otherInputs });
    expect(second).toMatchObject({ status: 'completed', output: { sku: expect.not.stringMatching(/^RL-/) } });
    expect((await last('search')).detail).toMatchObject({ source: 'page', q: 'fender' });
    expect(models.requests).toEqual([]);

    // An identical compilation creates no version.
    expect(await compile(id, {})).toMatchObject({ workflow: { version: 1 }, verification: null });
    expect(await compile(id, { verify: true })).toMatchObject({
      verification: { run: null, reason: expect.stringContaining('password') },
    });
  });
});

describe('a compiled goal on a list with a slow filter', () => {
  let site: ListSite;
  beforeAll(async () => {
    site = await startListSite();
  });
  afterAll(() => site?.close());

  /** Element number of the unchecked box in the row of a name. */
  const boxOf = (prompt: ParsedPrompt, name: string): number | undefined => {
    const lines = prompt.page.split('\n');
    const row = lines.findIndex((line) => line.includes('row') && line.includes(name));
    // An unnamed box precedes the texts of its row.
    const [, number] = /\[(\d+)\] checkbox\b.*\bunchecked$/.exec(lines[row - 1] ?? '') ?? [];
    return number === undefined ? undefined : Number(number);
  };
  /** Filters, waits until the list is that of Ada, ticks two rows and removes them. */
  const remover: ScriptedPolicy = (prompt) => {
    if (prompt.page.includes('They are removed'))
      return [call('done', { title_or_url: 'Removed', indicators: ['They are removed'] })];
    if (!/"Filter" = /.test(prompt.page))
      return [call('type', { element: prompt.element(/textbox "Filter"/), text: 'Ada' })];
    if (prompt.page.includes('mail-1')) return [call('wait', { seconds: 1 })];
    const box = boxOf(prompt, 'web-1') ?? boxOf(prompt, 'web-2');
    if (box !== undefined) return [call('click', { element: box })];
    return [call('click', { element: prompt.element(/button "Remove selected"/) })];
  };

  const waiting = (id: string) =>
    until('it asks', async () => {
      const run = await stack.client.run(id);
      if (run.status === 'failed') throw new Error(JSON.stringify(run.error));
      return run.status === 'awaiting_user' ? run : null;
    });
  const allow = (id: string) =>
    stack.client.json(`/v1/runs/${id}/answer`, { method: 'POST', body: { choice: 'continue' } });

  const hosts = ['mail-1', 'web-1', 'web-2', 'backup-1'].map((name, index) => ({
    id: index + 1,
    name,
    owner: name.startsWith('web') ? 'Ada Lovelace' : 'Grace Hopper',
  }));

  test('removes the same rows at other positions, and asks a person again', async () => {
    policy = remover;
    site.rows = hosts;
    const { id } = await stack.client.submit({
      definition: {
        name: 'remove-hosts',
        steps: [
          { action: 'navigate', url: site.url },
          { id: 'gone', action: 'goal', goal: 'Remove the hosts web-1 and web-2 of Ada.' },
        ],
      },
      capture: { screenshots: 'none' },
    });
    expect((await waiting(id)).question).toMatchObject({ reason: expect.stringContaining('Remove selected') });
    await allow(id);
    expect(await stack.client.waitForEnd(id)).toMatchObject({ status: 'completed' });
    expect(site.removedIds).toEqual(['web-1', 'web-2']);

    const compiled = await compile(id, {});
    const { steps } = compiled.workflow.definition;
    expect(steps).toMatchObject([
      { action: 'navigate' },
      { action: 'fill', text: 'Ada', expect: { hidden: { text: expect.any(String), exact: true } } },
      ...['web-1', 'web-2'].map((name) => ({
        action: 'click',
        target: expect.arrayContaining([{ role: 'checkbox', within: { css: 'tr', has: { text: name, exact: true } } }]),
      })),
      { action: 'click', approval: expect.stringContaining('Remove selected'), idempotent: false },
    ]);
    expect(JSON.stringify(steps)).not.toMatch(/nth/);

    // Other rows are at these positions, and the filter is slower.
    site.removedIds.splice(0);
    site.filterMs = 3000;
    const row = (name: string, index: number) => ({ id: 10 + index, name, owner: 'Ada Byron' });
    site.rows = [row('web-10', 0), row('db-1', 1), ...hosts, row('web-21', 2)];
    const replay = (await stack.client.json('/v1/workflows/remove-hosts/runs', {
      method: 'POST',
      body: { version: compiled.workflow.version },
    })) as RunView;
    const question = await waiting(replay.id);
    expect(site.removedIds).toEqual([]);
    expect(question.question?.reason).toContain('Remove selected');
    await allow(replay.id);
    expect(await stack.client.waitForEnd(replay.id)).toMatchObject({ status: 'completed' });
    expect(site.removedIds).toEqual(['web-1', 'web-2']);
  });
});
