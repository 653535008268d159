import type { ProposalView } from '@pilothouse/contract/api/proposals.routes';
import type { Page } from '@pilothouse/contract/api/query-params';
import type { WorkflowDetail } from '@pilothouse/contract/api/workflows.routes';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import type { WorkflowView } from '@pilothouse/contract/workflow/workflow.schema';
import { call, ParsedPrompt } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { startModels, type ModelServer } from '@pilothouse/testing/model-server/model-server';
import { until } from '@pilothouse/testing/test-helpers';
import { TestServer } from '@pilothouse/testing/test-server';
import { Stack } from './harness/stack.ts';

/* After a redesign of a page, a worker in Chromium heals its steps. The repair becomes a version of the workflow. */
describe('a healed run proposes a version', () => {
  let stack: Stack;
  let models: ModelServer;
  /** Content of the page; clicks are counted. */
  let body = '';
  const clicks: string[] = [];
  /** Delays the response. */
  let beforeResponse: () => Promise<unknown> = () => Promise.resolve();
  const page = new TestServer(async (request, response) => {
    if (request.url?.startsWith('/did/')) clicks.push(request.url.slice('/did/'.length));
    else await beforeResponse();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><title>Shop</title><link rel="icon" href="data:,">${request.url === '/' ? body : '<h1>Done</h1>'}`,
    );
  });
  const url = () => `${page.origin}/`;

  beforeAll(async () => {
    await page.start();
    models = await startModels();
    models.policy = ({ system, text }) => {
      const prompt = new ParsedPrompt(`${system}\n${text.trimEnd()}`);
      return { text: '', calls: [call('click', { element: prompt.element(/link "Sign in"/) })] };
    };
    stack = await Stack.start({
      api: { PILOTHOUSE_MODEL: 'gemini/policy', GEMINI_API_KEY: 'key-of-gemini', GEMINI_BASE_URL: models.url },
    });
  });
  afterAll(async () => {
    await stack?.stop();
    await models?.close();
    await page.stop();
  });
  beforeEach(() => void models.requests.splice(0));

  const json = <Answer>(path: string, request: Parameters<Stack['client']['json']>[1] = {}) =>
    stack.client.json(path, request) as Promise<Answer>;
  const publish = (name: string, fields: object = {}) =>
    json<WorkflowDetail>('/v1/workflows?publish=true', {
      method: 'POST',
      body: {
        name,
        heal: 'auto',
        inputs: { text: { type: 'string', secret: true } },
        steps: [
          { action: 'navigate', url: url() },
          {
            id: 'enter',
            action: 'click',
            target: { role: 'link', name: 'Log in' },
            timeout: 5,
            expect: { text: 'Done' },
            ...fields,
          },
        ],
      },
    });
  const submit = (name: string) =>
    json<RunView>(`/v1/workflows/${name}/runs`, { method: 'POST', body: { inputs: { text: 'a-secret' } } });
  const run = async (name: string) => stack.client.waitForEnd((await submit(name)).id);
  const events = async (id: string, type: string) => {
    const { items } = await json<{ items: RunEvent[] }>(`/v1/runs/${id}/events?format=json&limit=1000`);
    return items.filter((event) => event.type === type);
  };
  const proposals = async (workflow: string) =>
    (await json<Page<ProposalView>>(`/v1/proposals?workflow=${workflow}`)).items;
  const proposed = async (workflow: string, isSo: (proposal: ProposalView) => boolean) => {
    let proposal: ProposalView | undefined;
    await until('a proposal', async () => (proposal = (await proposals(workflow)).find(isSo)) !== undefined, 60_000);
    return proposal as ProposalView;
  };

  test('that is verified, accepted, and needs no model', async () => {
    body = '<a href="/did/old" data-testid="enter">Log in</a>';
    await publish('enter-shop');
    expect(await run('enter-shop')).toMatchObject({ status: 'completed' });

    // Name and attributes differ: only a model can find it.
    body = '<a href="/did/new" id="enter">Sign in</a><a href="/did/wrong">Help</a>';
    const healedRun = await run('enter-shop');
    expect(healedRun).toMatchObject({ status: 'completed', usage: { calls: 1 }, steps: { total: 2, modelFree: 1 } });
    expect(await events(healedRun.id, 'step.healed')).toMatchObject([
      { data: { id: 'enter', method: 'text-model', tier: 'text' } },
    ]);
    const { id, verification } = await proposed('enter-shop', (proposal) => proposal.verification.state === 'passed');
    expect(await stack.client.run(verification.run as string)).toMatchObject({
      status: 'completed',
      usage: { calls: 0 },
    });
    expect(await json<ProposalView>(`/v1/proposals/${id}`)).toMatchObject({
      kind: 'heal',
      baseVersion: 1,
      version: 2,
      status: 'open',
      policy: 'propose',
      runs: [healedRun.id],
      changes: [
        {
          path: 'enter',
          previousLocators: [{ role: 'link', name: 'Log in' }],
          locators: expect.arrayContaining([{ role: 'link', name: 'Sign in', exact: true }]),
        },
      ],
    });

    // The next run reuses the repair and makes no second proposal.
    const secondRun = await run('enter-shop');
    expect(await events(secondRun.id, 'step.healed')).toMatchObject([
      { data: { method: 'earlier-run', tier: 'replay' } },
    ]);
    expect(secondRun.usage.calls).toBe(0);
    const proposal = await proposed('enter-shop', ({ runs }) => runs.length === 2);
    expect(proposal).toMatchObject({ id, runs: [healedRun.id, secondRun.id] });
    expect(await proposals('enter-shop')).toHaveLength(1);

    expect(await json(`/v1/proposals/${id}/publish`, { method: 'POST', body: {} })).toMatchObject({
      status: 'published',
    });
    expect(await json<WorkflowView>('/v1/workflows/enter-shop')).toMatchObject({ publishedVersion: 2 });
    const laterRun = await run('enter-shop');
    expect(laterRun).toMatchObject({
      status: 'completed',
      workflow: { version: 2 },
      usage: { calls: 0 },
      steps: { total: 2, modelFree: 2 },
    });
    expect(await events(laterRun.id, 'step.healed')).toEqual([]);
    expect(new Set(clicks)).toEqual(new Set(['old', 'new']));
    expect(models.requests).toHaveLength(1);
  });

  test('also after workers are lost during healing and during verification, through another replica', async () => {
    body = '<a href="/did/old" data-testid="enter">Log in</a>';
    await publish('lost-shop');
    expect(await run('lost-shop')).toMatchObject({ status: 'completed' });

    body = '<a href="/did/lost" id="enter">Sign in</a>';
    const submitted = Promise.withResolvers<string>();
    const usual = models.policy;
    models.policy = async () => {
      models.policy = usual;
      await stack.addReplicaWithWorker();
      await stack.killWorkerOf(await submitted.promise);
      return { hangs: true };
    };
    // The click is verified by the page that it opens.
    const proving = Promise.withResolvers<null>();
    const resumed = Promise.withResolvers<null>();
    beforeResponse = () => {
      if (!clicks.includes('lost')) return Promise.resolve();
      proving.resolve(null);
      return resumed.promise;
    };
    const { id } = await submit('lost-shop');
    submitted.resolve(id);
    expect(await stack.client.waitForEnd(id, 80_000)).toMatchObject({ status: 'completed', attempts: 2 });
    expect(await events(id, 'step.healed')).toMatchObject([{ data: { method: 'text-model' } }]);
    expect(clicks.filter((click) => click === 'lost')).toHaveLength(1);

    await proving.promise;
    const { verification } = await proposed('lost-shop', () => true);
    await stack.addWorker();
    await stack.killWorkerOf(verification.run as string);
    beforeResponse = () => Promise.resolve();
    resumed.resolve(null);
    await proposed('lost-shop', (proposal) => proposal.verification.state === 'passed');
    expect(await stack.client.run(verification.run as string)).toMatchObject({ attempts: 2, usage: { calls: 0 } });
    expect(await proposals('lost-shop')).toMatchObject([{ status: 'open', runs: [id] }]);
    expect(clicks.filter((click) => click === 'lost')).toHaveLength(2);
  });

  test('that the policy publishes after verification', async () => {
    expect(
      await json('/v1/projects/current', { method: 'PATCH', body: { agents: { repairPolicy: 'publish' } } }),
    ).toMatchObject({
      agents: { repairPolicy: 'publish' },
    });
    body = '<button onclick="location.href = \'/did/auto\'">Log in</button>';
    await publish('auto-shop');
    await run('auto-shop');
    expect(await proposed('auto-shop', ({ status }) => status !== 'open')).toMatchObject({
      status: 'published',
      decidedBy: 'heal',
      verification: { state: 'passed' },
      changes: [{ method: 'similarity' }],
    });
    expect(await json<WorkflowView>('/v1/workflows/auto-shop')).toMatchObject({ publishedVersion: 2 });
    expect(models.requests).toEqual([]);
  });

  test('that is not verified with a step that is not idempotent, and not proposed again after rejection', async () => {
    body = '<button onclick="location.href = \'/did/once\'">Log in</button>';
    await publish('once-shop', { idempotent: false });
    const first = await run('once-shop');
    const { id, ...made } = await proposed('once-shop', () => true);
    expect(made).toMatchObject({
      status: 'open',
      verification: { state: 'none', run: null, reason: expect.stringContaining('/steps/1') },
    });
    expect(clicks.filter((click) => click === 'once')).toHaveLength(1);
    expect(await json(`/v1/proposals/${id}/reject`, { method: 'POST' })).toMatchObject({ status: 'rejected' });
    const second = await run('once-shop');
    expect(await events(second.id, 'step.healed')).toHaveLength(1);
    // A run with an inline definition has no proposal.
    const { definition } = await json<WorkflowDetail>('/v1/workflows/once-shop?version=1');
    const submitted = await stack.client.submit({
      definition: { ...definition, name: 'ad-hoc' },
      inputs: { text: 'a-secret' },
    });
    const { status } = await stack.client.waitForEnd(submitted.id);
    expect({ status, healed: (await events(submitted.id, 'step.healed')).length }).toEqual({
      status: 'completed',
      healed: 1,
    });
    // Proposals are made in order of the runs, so these were processed.
    await publish('later-shop', { idempotent: false });
    await run('later-shop');
    await proposed('later-shop', () => true);
    expect(await proposals('once-shop')).toMatchObject([{ id, runs: [first.id] }]);
    const { items } = await json<Page<ProposalView>>('/v1/proposals');
    expect(items.map(({ workflow }) => workflow.name)).not.toContain('ad-hoc');
  });
});
