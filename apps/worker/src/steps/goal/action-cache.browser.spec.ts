import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunAnswer } from '@pilothouse/contract/run/run-question.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { GoalStep } from '@pilothouse/contract/workflow/step.schema';
import { buildAssignment, ScriptedGateway } from '@pilothouse/infra-link/testing';
import { BrowserHost } from '@pilothouse/surface-browser';
import { modelAnswer, call, ParsedPrompt, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { memoryLog, until } from '@pilothouse/testing/test-helpers';
import { TestServer } from '@pilothouse/testing/test-server';
import { startWorker } from '../../testing/test-worker.fixture.ts';
import type { Worker } from '../../worker.ts';

/*
 * Goals that earlier runs reached, in a real Chromium. On the same pages, no model is called.
 */

/** Pages by path. */
const pages = new Map<string, string>();
const server = new TestServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here');
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  const body = (pages.get(pathname) ?? '').replaceAll('$q', searchParams.get('item') ?? '');
  response.end(`<!doctype html><title>Shop ${pathname}</title><link rel="icon" href="data:,">${body}`);
});
const url = () => `${server.origin}/`;

let host: BrowserHost;
beforeAll(async () => {
  await server.start();
  host = new BrowserHost(headlessShellOptions());
}, 30_000);
afterAll(async () => {
  await host.close();
  await server.stop();
});

let gateway: ScriptedGateway;
let root: string;
let worker: Worker;
beforeEach(async () => {
  gateway = await ScriptedGateway.start();
  root = await mkdtemp(join(tmpdir(), 'pilothouse-memory-spec-'));
  worker = await startWorker(root, { url: gateway.url, surfaceHost: host, log: memoryLog() });
  await gateway.until(() => gateway.all('ready').length > 0);
  pages.clear();
  pages.set('/', '<form action="/found"><input name="item" aria-label="What"><button>Find</button></form>');
  pages.set('/found', '<h1>Found $q</h1><p>Price: 12</p>');
});
afterEach(async () => {
  worker.abort('the spec is over');
  await worker.completion.catch(() => undefined);
  await gateway.close();
  await rm(root, { recursive: true });
});

const start = (
  goal: Partial<GoalStep> = {},
  product = 'mooring rope',
  fields: Partial<Assignment['definition']> = {},
) => {
  const step = { id: 'goal', action: 'goal' as const, goal: 'What does {{inputs.what}} cost?', ...goal };
  const run = buildAssignment(
    {
      inputs: { what: { type: 'string' }, password: { type: 'string', secret: true } },
      steps: [{ action: 'navigate', url: url() }, step],
      output: '{{steps.goal.value}}',
      ...fields,
    },
    { inputs: { what: product }, secrets: ['password'] },
  );
  gateway.secrets.set('password', 'a-secret-of-this-spec');
  gateway.assign(run);
  return run;
};
const waitForEnd = async (run: Assignment) => {
  await until('the run ended', () => gateway.log.outcome(run) !== undefined, 30_000);
  return gateway.log.outcome(run);
};
/** Model calls since the last call of this function. */
let countedCalls = 0;
beforeEach(() => (countedCalls = 0));
const calls = () => {
  const requestCount = gateway.all('model.request').length;
  const now = requestCount - countedCalls;
  countedCalls = requestCount;
  return now;
};
const events = (run: Assignment, type: string) => gateway.log.of(run).filter((event) => event.type === type);
const follow = (policy: ScriptedPolicy) => {
  gateway.model = ({ request }) => {
    try {
      return modelAnswer(policy(ParsedPrompt.of(request)));
    } catch (thrown) {
      return modelAnswer([call('fail', { text: String(thrown) })]);
    }
  };
};
const buyer: ScriptedPolicy = (prompt) => {
  const [, product = ''] = /What does (.+) cost/.exec(prompt.text) ?? [];
  const [, price] = /Price: (\d+)/.exec(prompt.page) ?? [];
  if (price !== undefined)
    return [call('done', { answer: price, title_or_url: '/found', indicators: [`Found ${product}`] })];
  return [
    call('type', { element: prompt.element(/textbox "What"/), text: product }),
    call('click', { element: prompt.element(/button "Find"/) }),
  ];
};

test('calls no model the second time, and stores no input values', async () => {
  follow(buyer);
  const first = start();
  expect(await waitForEnd(first)).toEqual({ status: 'completed', output: '12' });
  expect(calls()).toBe(2);
  expect(events(first, 'agent.turn').map(({ data }) => data['source'])).toEqual([undefined, undefined]);
  const storedTurns = JSON.stringify([...gateway.actionCache.values()]);
  expect(gateway.actionCache.size).toBe(2);
  expect(storedTurns).toContain('{{inputs.what}}');
  expect(storedTurns).not.toMatch(/mooring|rope|a-secret/);

  const second = start();
  expect(await waitForEnd(second)).toEqual({ status: 'completed', output: '12' });
  expect(calls()).toBe(0);
  expect(events(second, 'agent.turn').map(({ data }) => data['source'])).toEqual(['cache', 'cache']);
  expect(events(second, 'step.completed')[1]?.data).toMatchObject({ id: 'goal', tier: 'replay', value: '12' });
  expect(events(second, 'agent.action_completed')).toHaveLength(2);

  // Another input has another cache key.
  expect(await waitForEnd(start({}, 'fender'))).toEqual({ status: 'completed', output: '12' });
  expect(calls()).toBe(2);
});

test('calls a model from the first different page on, and answers with its content', async () => {
  follow(buyer);
  await waitForEnd(start());
  calls();
  pages.set('/found', '<h1>Found $q</h1><p>Price: 15</p>');
  const run = start();
  expect(await waitForEnd(run)).toEqual({ status: 'completed', output: '15' });
  expect(calls()).toBe(1);
  expect(events(run, 'agent.turn').map(({ data }) => data['source'])).toEqual(['cache', undefined]);
  expect(await waitForEnd(start())).toEqual({ status: 'completed', output: '15' });
  expect(calls()).toBe(0);
});

test('drops a cached turn that the page no longer confirms, and calls a model', async () => {
  const resultPage = (below: string) => `<h1>Found $q</h1><p>Price: 12</p><p style="margin-top: 3000px">${below}</p>`;
  pages.set('/found', resultPage('In stock'));
  let indicator = 'In stock';
  gateway.model = ({ request }) => {
    if (request.role === 'verify') return modelAnswer([], 'VERDICT: failed');
    const prompt = ParsedPrompt.of(request);
    const calls = buyer(prompt);
    return modelAnswer(
      calls.map((call) => (call.name === 'done' ? { ...call, args: { ...call.args, indicators: [indicator] } } : call)),
    );
  };
  expect(await waitForEnd(start())).toMatchObject({ status: 'completed' });
  expect(gateway.actionCache.size).toBe(2);
  const key = [...gateway.actionCache.keys()].at(-1);
  calls();
  // The viewport is the same.
  pages.set('/found', resultPage('Sold out'));
  indicator = 'Sold out';
  const run = start();
  expect(await waitForEnd(run)).toEqual({ status: 'completed', output: '12' });
  expect(events(run, 'agent.turn').map(({ data }) => data['source'])).toEqual(['cache', 'cache', undefined]);
  expect(events(run, 'step.completed')[1]?.data).toMatchObject({ tier: 'text' });
  expect(gateway.all('action_cache.put').at(-1)).toMatchObject({ entries: [], evict: [key] });
  expect(gateway.actionCache.size).toBe(1);
});

test('asks a person again for an approval', async () => {
  pages.set('/', '<button onclick="location.href = \'/paid\'">Pay now</button>');
  pages.set('/paid', '<h1>Thank you</h1>');
  follow((prompt) => [call('click', { element: prompt.element(/button "Pay now"/) })]);
  for (const source of [undefined, 'cache']) {
    const questions = () => gateway.all('append').flatMap(({ question }) => question ?? []);
    const previousCount = questions().length;
    const run = start({ goal: 'Pay', expect: { text: ['Thank you'] } });
    await until('a question', () => questions().length > previousCount, 30_000);
    const { step, questionNumber: number } = questions().at(-1) ?? { step: 0, questionNumber: 0 };
    const answer: RunAnswer = {
      step,
      ...(number !== undefined && { questionNumber: number }),
      answeredBy: 'Ada',
      choice: 'continue',
    };
    gateway.broadcast({ type: 'question.answered', run: run.run, epoch: run.epoch, answer });
    expect(await waitForEnd(run)).toMatchObject({ status: 'completed' });
    expect(events(run, 'agent.turn').map(({ data }) => data['source'])).toEqual([source]);
  }
  expect(calls()).toBe(1);
});

test.each<[string, Parameters<typeof start>]>([
  ['a step', [{ actionCache: 'never' }]],
  ['a workflow', [{}, 'mooring rope', { actionCache: 'never' }]],
])('%s that does not want it remembers nothing, and asks for nothing', async (_, args) => {
  follow(buyer);
  expect(await waitForEnd(start(...args))).toMatchObject({ status: 'completed' });
  expect(gateway.all('action_cache.get')).toEqual([]);
  expect(gateway.all('action_cache.put')).toEqual([]);
});

test('does not store a goal with a mistake', async () => {
  let isWrong = true;
  follow((prompt) => {
    if (!isWrong) return buyer(prompt);
    isWrong = false;
    return [call('select', { element: prompt.element(/button "Find"/), option: 'None' })];
  });
  expect(await waitForEnd(start())).toMatchObject({ status: 'completed' });
  expect(gateway.all('action_cache.put')).toEqual([]);
});

test('replays the expected result of a turn: waits for it and emits the met part', async () => {
  follow((prompt) =>
    buyer(prompt).map((call) =>
      call.args['action'] === 'click' ? { ...call, args: { ...call.args, indicators: ['Found mooring rope'] } } : call,
    ),
  );
  for (const count of [2, 0]) {
    const run = start();
    expect(await waitForEnd(run)).toEqual({ status: 'completed', output: '12' });
    expect(calls()).toBe(count);
    expect(events(run, 'agent.note')[0]?.data).toMatchObject({
      kind: 'verified',
      newlyMet: { anchor: null, indicators: ['Found mooring rope'] },
    });
  }
  expect(JSON.stringify([...gateway.actionCache.values()])).toContain('Found {{inputs.what}}');
});
