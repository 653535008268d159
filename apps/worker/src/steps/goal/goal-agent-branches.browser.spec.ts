import type { ServerResponse } from 'node:http';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { BrowserHost } from '@pilothouse/surface-browser';
import { call, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { until } from '@pilothouse/testing/test-helpers';
import { TestServer } from '@pilothouse/testing/test-server';
import { WorkerHarness } from '../../testing/worker-harness.fixture.ts';

/*
 * Agents and called workflows in branches, each on its own page in a real Chromium. The model is a policy that sees only the prompt.
 */

type Branches = Extract<WorkflowDefinitionInput['steps'][number], { action: 'parallel' }>['branches'];

let site: TestServer;
let origin: string;
let host: BrowserHost;
let attempts: WorkerHarness;
/** Requested pages in order. */
let requestedPaths: string[];
/** Requests for `/meet` that wait for a second one. */
let meeting: ServerResponse[];
/** Requests for `/late` that the spec releases. */
let heldResponses: ServerResponse[] | null;

const answer = (response: ServerResponse, title: string, body = '') =>
  void response
    .writeHead(200, { 'content-type': 'text/html' })
    .end(`<!doctype html><title>${title}</title><link rel="icon" href="data:,"><h1>${title}</h1>${body}`);

beforeAll(async () => {
  site = new TestServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://site');
    requestedPaths.push(`${request.method} ${pathname}${search}`);
    const name = search.slice(1);
    switch (pathname) {
      case '/door':
        return answer(response, `Door ${name}`, `<a href="/meet?${name}">Enter</a>`);
      // Answers two requests together.
      case '/meet':
        meeting.push(response);
        if (meeting.length === 2) for (const response of meeting.splice(0)) answer(response, 'Both are here');
        return;
      case '/late':
        if (heldResponses) return void heldResponses.push(response);
        return answer(response, 'Late');
      case '/shop':
        return answer(response, 'Shop', '<form action="/buy" method="post"><button>Place order</button></form>');
      default:
        return answer(response, `Page ${name}`);
    }
  });
  await site.start();
  origin = site.origin;
  host = new BrowserHost(headlessShellOptions());
}, 30_000);
afterAll(async () => {
  await host.close();
  await site.stop();
});

beforeEach(async () => {
  [requestedPaths, meeting, heldResponses] = [[], [], null];
  attempts = await WorkerHarness.start(host);
});
afterEach(() => attempts.stop());

const navigateTo = (path: string) => ({ action: 'navigate' as const, url: `${origin}${path}` });
const goal = (text: string, fields: object = {}) => ({ id: 'goal', action: 'goal' as const, goal: text, ...fields });
const title = { id: 'title', action: 'extract' as const, target: { css: 'h1' }, value: {} };
const parallel = (branches: Branches, fields: object = {}) => ({
  id: 'all',
  action: 'parallel' as const,
  branches,
  ...fields,
});
/** Workflows that read the heading of a page. */
const workflows = {
  read: {
    inputs: { path: { type: 'string' as const } },
    steps: [
      { action: 'navigate' as const, url: '{{inputs.path}}' },
      { action: 'call' as const, id: 'text', workflow: 'text' },
    ],
    output: { heading: '{{steps.text.value}}' },
  },
  text: { steps: [title], output: '{{steps.title.value}}' },
};
const readPage = (path: string) => ({
  id: 'read',
  action: 'call' as const,
  workflow: 'read',
  inputs: { path: `${origin}${path}` },
});

const answerHeading: ScriptedPolicy = (prompt) => {
  const heading = /heading (.+)/.exec(prompt.page)?.[1] ?? 'nothing';
  return [call('done', { answer: heading, title_or_url: heading, indicators: [heading] })];
};

const visitor: ScriptedPolicy = (prompt) => {
  const enter = prompt.maybe(/link "Enter"/);
  if (enter !== undefined) return [call('click', { element: enter })];
  return answerHeading(prompt);
};

const eventsOf = (run: Assignment, type: string, branch: string) =>
  attempts.events(run, type).filter(({ data }) => data['branch'] === branch);

test('runs agents and called workflows concurrently on their own pages, with the branch in their events', async () => {
  attempts.follow(visitor);
  const run = attempts.assign({
    workflows,
    steps: [
      navigateTo('/before'),
      parallel({
        one: [navigateTo('/door?1'), goal('What is the heading behind the door?')],
        two: [
          navigateTo('/door?2'),
          {
            action: 'forEach',
            in: ['again'],
            steps: [goal('Say it')],
            id: 'rounds',
            collect: '{{steps.goal.value}}',
          },
        ],
        called: [{ action: 'set', vars: { n: 7 } }, readPage('/page?{{vars.n}}')],
      }),
      title,
    ],
    output: { all: '{{steps.all.value}}', after: '{{steps.title.value}}' },
  });
  expect(await attempts.waitForOutcome(run)).toMatchObject({
    status: 'completed',
    output: {
      all: {
        one: { goal: 'Both are here' },
        two: { rounds: ['Both are here'] },
        called: { read: { heading: 'Page 7' } },
      },
      after: 'Page',
    },
  });
  expect(
    eventsOf(run, 'agent.action_started', 'one').map(({ data, message }) => [
      data['step'],
      data['id'],
      data['branchPath'],
      message,
    ]),
  ).toEqual([[1, 'all', 'goal', expect.stringMatching(/^one: .*link "Enter"/)]]);
  expect(eventsOf(run, 'agent.action_completed', 'two').map(({ data }) => [data['branchPath'], data['error']])).toEqual(
    [['rounds[1]/goal', null]],
  );
  expect(eventsOf(run, 'branch.step_completed', 'called').map(({ data }) => data['branchPath'])).toEqual([
    'read/1',
    'read/text/title',
  ]);
  expect(attempts.events(run, 'step.completed')).toMatchObject([{}, { data: { id: 'all', tier: 'text' } }, {}]);
}, 90_000);

test('fails an action that needs an approval in a branch, without a question and without the effect', async () => {
  attempts.follow((prompt) => [call('click', { element: prompt.element(/button "Place order"/) })]);
  const run = attempts.assign({
    steps: [parallel({ buys: [navigateTo('/shop'), goal('Buy it')], reads: [navigateTo('/page?1')] })],
  });
  expect(await attempts.waitForOutcome(run)).toMatchObject({
    status: 'failed',
    error: {
      code: 'GOAL_FAILED',
      message: expect.stringMatching(
        /^buys: A branch cannot ask a person: The agent wants to use button "Place order"/,
      ),
      details: { branch: 'buys' },
    },
  });
  expect(attempts.questions()).toEqual([]);
  expect(requestedPaths).not.toContain('POST /buy');
}, 90_000);

test('after a takeover, resumes a called workflow and restarts an agent', async () => {
  heldResponses = [];
  const source = {
    workflows,
    steps: [
      navigateTo('/before'),
      parallel({
        called: [readPage('/page?9')],
        agent: [navigateTo('/door?3'), goal('Say it', { actionCache: 'never' }), navigateTo('/late')],
      }),
    ],
    output: '{{steps.all.value}}',
  };
  attempts.follow(answerHeading);
  const run = attempts.assign(source);
  const savedState = () =>
    attempts.gateway.all('append').find(({ safePoint }) => safePoint?.state?.includes('"called"') === true)?.safePoint;
  await until(
    'the branch is kept, and the last page asked for',
    () => savedState() !== undefined && requestedPaths.includes('GET /late'),
    30_000,
  );
  attempts.gateway.cancelledAttempts.add(`${run.run}/${run.epoch}`);
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'cancelled' });
  const { step = -1, state = '' } = savedState() ?? {};
  [requestedPaths, heldResponses] = [[], null];
  const thoughts = attempts.requests.length;
  const next = attempts.assign(source, {
    epoch: 2,
    checkpoints: [
      { step: 0, status: 'completed', epoch: 1, value: null, verifiable: false },
      { step: 1, status: 'running', epoch: 1, value: null, verifiable: false },
    ],
    safePoint: { step, state },
  });
  expect(await attempts.waitForOutcome(next)).toMatchObject({
    status: 'completed',
    output: { called: { read: { heading: 'Page 9' } }, agent: { goal: 'Door 3' } },
  });
  expect(requestedPaths.filter((path) => !path.includes('/before'))).toEqual(['GET /door?3', 'GET /late']);
  expect(attempts.requests.length).toBeGreaterThan(thoughts);
}, 90_000);
