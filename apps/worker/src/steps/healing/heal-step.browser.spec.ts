import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { Step } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import type { ScriptedGateway } from '@pilothouse/infra-link/testing';
import { BrowserHost } from '@pilothouse/surface-browser';
import { call, type ScriptedPolicy, type ParsedPrompt } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { TestServer } from '@pilothouse/testing/test-server';
import { WorkerHarness } from '../../testing/worker-harness.fixture.ts';

/*
 * Steps on a changed page in a real Chromium. The model is a policy that sees only the prompt.
 */

/** A page that reports clicks. */
let body = '';
const server = new TestServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
  response.end(`<!doctype html><title>Shop</title><link rel="icon" href="data:,"><output id="out">nothing</output>${body}
    <script>addEventListener('click', (event) => { event.preventDefault(); document.getElementById('out').textContent = event.target.id || event.target.textContent; })</script>`);
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

let attempts: WorkerHarness;
let gateway: ScriptedGateway;
beforeEach(async () => {
  attempts = await WorkerHarness.start(host);
  gateway = attempts.gateway;
});
afterEach(() => attempts.stop());

const logIn: Locator = { role: 'button', name: 'Log in' };
/** Clicked element at the end of the step. */
const readOutput: Step = { id: 'out', action: 'extract', target: { css: '#out' }, value: {} };

const start = (steps: WorkflowDefinitionInput['steps'], fields: Partial<WorkflowDefinitionInput> = {}) => {
  const source = { heal: 'auto' as const, output: '{{steps.out.value}}', ...fields };
  return attempts.assign({ ...source, steps: [{ action: 'navigate', url: url() }, ...steps, readOutput] });
};
/** Seconds for a browser on a busy machine to observe the page, and to report a missing element. */
const timeout = 3;
const click = (target: Locator | Locator[], fields: object = {}) => ({
  action: 'click' as const,
  target,
  timeout,
  ...fields,
});
const waitForEnd = (run: Assignment) => attempts.waitForOutcome(run);
const events = (run: Assignment, type: string) => attempts.events(run, type);
const follow = (policy: ScriptedPolicy) => attempts.follow(policy);
const modelCallCount = () => gateway.all('model.request').length;

test('finds a renamed element by a locator of an earlier run', async () => {
  body = '<button data-testid="enter" id="new">Sign in</button><button id="wrong">Log off</button>';
  gateway.locators = [{ css: '#gone' }, { testId: 'enter' }];
  const run = start([click(logIn, { id: 'enter' })]);
  expect(await waitForEnd(run)).toEqual({ status: 'completed', output: 'new' });
  expect(gateway.all('locators.request')).toMatchObject([{ path: 'enter' }]);
  expect(events(run, 'step.healed')).toMatchObject([
    {
      level: 'warn',
      data: {
        step: 1,
        id: 'enter',
        tier: 'replay',
        method: 'earlier-run',
        element: 'button "Sign in"',
        previousLocators: [logIn],
        locators: expect.arrayContaining([{ testId: 'enter' }, { role: 'button', name: 'Sign in', exact: true }]),
      },
    },
  ]);
  expect(events(run, 'step.completed')[1]?.data).toMatchObject({ step: 1, tier: 'replay' });
  expect(modelCallCount()).toBe(0);
});

test('does not press an element that changes its name on hover', async () => {
  body = `<button data-testid="enter" onmouseenter="this.textContent = 'Delete'" id="wrong">Sign in</button>`;
  gateway.locators = [{ testId: 'enter' }];
  const run = start([click(logIn)]);
  expect(await waitForEnd(run)).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining('its name changed before it was pressed') },
  });
});

test.each([
  ['the opposite', 'Reject'],
  ['another name', 'Help'],
  ['a wider name', 'Approve all'],
])('does not use an element of an earlier run whose name is %s', async (_, name) => {
  body = `<button id="new">Accept</button><button data-testid="act-1" id="wrong">${name}</button>`;
  gateway.locators = [{ testId: 'act-1' }, { text: 'Approve', exact: true }];
  const run = start([click({ role: 'button', name: 'Approve', exact: true })]);
  expect(await waitForEnd(run)).toMatchObject({
    status: 'failed',
    error: {
      code: 'TARGET_NOT_FOUND',
      message: expect.stringContaining(`finds button "${name}", whose name contradicts "Approve"`),
    },
  });
  expect(events(run, 'step.healed')).toEqual([]);
});

test('does not choose between locators that find different elements', async () => {
  body = '<button id="wrong">Approve</button><button data-testid="act-1">Reject</button>';
  const run = start([click([{ role: 'button', name: 'Approve', exact: true }, { testId: 'act-1' }])]);
  expect(await waitForEnd(run)).toMatchObject({
    status: 'failed',
    error: { code: 'TARGET_AMBIGUOUS', message: expect.stringContaining('find different elements') },
  });
  expect(events(run, 'step.healed')).toEqual([]);
});

test('does not use the opposite that a model chooses', async () => {
  body = '<button id="new">Accept</button><button id="wrong">Reject</button>';
  follow((prompt) => [call('click', { element: prompt.element(/button "Reject"/) })]);
  const run = start([click({ role: 'button', name: 'Approve' })]);
  expect(await waitForEnd(run)).toMatchObject({
    status: 'failed',
    error: { message: expect.stringContaining('the model chose "Reject", the opposite of "Approve"') },
  });
});

test('does not use a recorded positional locator if it finds another element', async () => {
  body = '<div><p><button id="wrong">Help</button></p></div>';
  gateway.locators = [{ css: 'div > p > button' }];
  const run = start([click(logIn)]);
  expect(await waitForEnd(run)).toMatchObject({ status: 'failed' });
});

test.each<[string, string, Locator, object]>([
  [
    'a link in the place of a button',
    '<a href="#" id="new">Log in</a><a href="#">Log in as a guest of the harbour</a>',
    logIn,
    { role: 'link', name: 'Log in', exact: true },
  ],
  ['below what is in view', `<p style="height:3000px">Much</p><a href="#" id="new">Log in</a>`, logIn, { css: '#new' }],
  [
    'with more in its name',
    '<button id="new">Log in now</button><button>Do not log in</button>',
    logIn,
    { role: 'button', name: 'Log in now', exact: true },
  ],
])('a similar element is found: %s', async (_, page, target, expectedLocators) => {
  body = page;
  const run = start([click(target)]);
  expect(await waitForEnd(run)).toEqual({ status: 'completed', output: 'new' });
  const [healedEvent] = events(run, 'step.healed');
  expect(healedEvent?.data).toMatchObject({
    method: 'similarity',
    tier: 'replay',
    locators: expect.arrayContaining([expectedLocators]),
  });
  expect(JSON.stringify(healedEvent?.data)).not.toContain('"elementIndex":1');
  expect(modelCallCount()).toBe(0);
});

test.each([
  ['', '<button id="wrong">Cancel renewal</button><button>Request refund</button>'],
  [' below what is in view', '<p style="height:3000px">Much</p><button id="wrong">Cancel renewal</button>'],
])('finds the only button whose name has a synonym%s', async (_, others) => {
  body = `<form>${others}<button id="new">Submit renewal</button></form>`;
  const run = start([click({ role: 'button', name: 'Request renewal' })]);
  expect(await waitForEnd(run)).toEqual({ status: 'completed', output: 'new' });
  expect(events(run, 'step.healed')).toMatchObject([
    { data: { method: 'similarity', element: 'button "Submit renewal"' } },
  ]);
});

test.each([
  ['two of them', '<button>Submit renewal</button><button>Apply renewal</button>', 'several elements are similar'],
  ['the opposite', '<button>Cancel renewal</button>', 'no similar element'],
  ['a link', '<a href="#">Submit renewal</a>', 'no similar element'],
])('does not choose %s by a synonym', async (_, html, reason) => {
  body = html;
  const run = start([click({ role: 'button', name: 'Request renewal' })]);
  expect(await waitForEnd(run)).toMatchObject({
    status: 'failed',
    error: { code: 'TARGET_NOT_FOUND', message: expect.stringContaining(reason) },
  });
});

test('finds a field without a name by its adjacent text', async () => {
  body = '<p><span>E-mail</span> <input id="new" type="text"></p><p><span>Town</span> <input type="text"></p>';
  const target = { label: 'E-mail' };
  const run = start(
    [
      { action: 'fill', target, text: 'robin@harbour.example', timeout },
      { id: 'typed', action: 'extract', target: { css: '#new' }, value: {} },
    ],
    { output: '{{steps.typed.value}}' },
  );
  expect(await waitForEnd(run)).toEqual({ status: 'completed', output: 'robin@harbour.example' });
  expect(events(run, 'step.healed')).toMatchObject([{ data: { method: 'similarity', locators: [{ css: '#new' }] } }]);
});

test('lets a model choose the element and do nothing else', async () => {
  body = `<p style="height:3000px">Much</p><button id="new">Sign in</button><button id="wrong">Register</button>`;
  const prompts: ParsedPrompt[] = [];
  follow((prompt) => {
    prompts.push(prompt);
    const button = prompt.maybe(/button "Sign in"/);
    return [button === undefined ? call('scroll', { to: 'bottom' }) : call('click', { element: button })];
  });
  const run = start([click(logIn, { title: 'Enter the shop' })]);
  expect(await waitForEnd(run)).toEqual({ status: 'completed', output: 'new' });
  expect(prompts[0]?.text).toContain('Step: Enter the shop\nAction: Click button “Log in”');
  expect(events(run, 'step.healed')).toMatchObject([
    { data: { method: 'text-model', tier: 'text', element: 'button "Sign in"' } },
  ]);
  expect(events(run, 'step.completed')[1]?.data).toMatchObject({ tier: 'text' });
  expect(events(run, 'agent.turn')).toMatchObject([
    { data: { step: 1, turn: 1, prompt: { name: 'heal-text' } } },
    { data: { turn: 2 } },
  ]);
  const offeredTools = gateway.all('model.request')[0]?.request.tools?.map(({ name }) => name);
  // The step sets a timeout, so that the model has the minimum and not the ten minutes of a slow server.
  expect(gateway.all('model.request')[0]?.timeoutMs).toBeLessThanOrEqual(60_000);
  expect(offeredTools).toEqual(['click', 'scroll', 'fail']);
});

test('needs an approval for an irreversible action on the choice of a model', async () => {
  body = '<button id="pay">Pay now</button>';
  follow((prompt) => [call('click', { element: prompt.element(/button "Pay now"/) })]);
  for (const [n, choice, outcome] of [
    [1, 'decline', { status: 'failed', error: { code: 'TARGET_NOT_FOUND' } }],
    [2, 'continue', { status: 'completed', output: 'pay' }],
  ] as const) {
    const run = start([click({ role: 'button', name: 'Go on' })]);
    expect(await attempts.question(n)).toMatchObject({
      step: 1,
      questionNumber: 1,
      reason: expect.stringContaining('button "Pay now"'),
    });
    await attempts.reply(run, n, { choice });
    expect(await waitForEnd(run)).toMatchObject(outcome);
  }
});

test('needs no approval for an effect that the author named, but for one that only an earlier run had', async () => {
  body = '<a role="button" id="pay" tabindex="0">Place order</a>';
  const run = start([click({ role: 'link', name: 'Place order' })]);
  expect(await waitForEnd(run)).toEqual({ status: 'completed', output: 'pay' });
  gateway.locators = [{ css: '#pay' }];
  const otherRun = start([click({ role: 'button', name: 'Go on' })]);
  await attempts.reply(otherRun, 1, { choice: 'fail' });
  expect(await waitForEnd(otherRun)).toMatchObject({ status: 'failed', error: { code: 'TARGET_NOT_FOUND' } });
});

test('fails with the reasons if no element is similar and no model is configured', async () => {
  body = '<button>Sign in</button>';
  const run = start([click(logIn)]);
  expect(await waitForEnd(run)).toMatchObject({
    status: 'failed',
    error: {
      code: 'TARGET_NOT_FOUND',
      message: expect.stringMatching(
        /role=button\[name="Log in"\].*; not healed: no earlier run recorded the element; no similar element on the page; no model is configured; no vision model is configured$/,
      ),
      details: { heal: expect.stringContaining('no model is configured') },
    },
    step: 1,
  });
});

test('heals only if enabled, and neither caught errors nor steps that disable healing', async () => {
  body = '<a href="#" id="new">Log in</a>';
  const fails = { status: 'failed', error: { code: 'TARGET_NOT_FOUND' } };
  expect(await waitForEnd(start([click(logIn)], { heal: undefined }))).toMatchObject(fails);
  expect(await waitForEnd(start([click(logIn, { heal: 'never' })]))).toMatchObject(fails);
  const tryStep = { action: 'try' as const, steps: [click(logIn)], catch: [] };
  expect(await waitForEnd(start([tryStep]))).toEqual({ status: 'completed', output: 'nothing' });
  expect(gateway.all('locators.request')).toEqual([]);
  const tryHealingStep = { action: 'try' as const, steps: [click(logIn, { heal: 'auto' })], catch: [] };
  expect(await waitForEnd(start([tryHealingStep], { heal: undefined }))).toEqual({
    status: 'completed',
    output: 'new',
  });
});

test('checks the expectation of a healed step, and records its locators with templates', async () => {
  body = '<a href="#" id="new">Open mooring rope</a><a href="#">Open fender</a>';
  const open = click({ role: 'button', name: 'Open {{inputs.product}}' });
  const inputs = { product: { type: 'string' as const } };
  const source = { heal: 'auto' as const, inputs, output: '{{steps.out.value}}' };
  const assign = (step: Step) => {
    const steps = [{ action: 'navigate' as const, url: url() }, step, readOutput];
    return attempts.assign({ ...source, steps }, { inputs: { product: 'mooring rope' } });
  };
  const failing = assign({ ...open, expect: { text: 'nowhere' } });
  expect(await waitForEnd(failing)).toMatchObject({ status: 'failed', error: { code: 'CONDITION_NOT_MET' } });
  expect(events(failing, 'step.healed')).toEqual([]);
  const run = assign(open);
  expect(await waitForEnd(run)).toEqual({ status: 'completed', output: 'new' });
  const [healedEvent] = events(run, 'step.healed');
  expect(healedEvent?.data).toMatchObject({
    previousLocators: [{ role: 'button', name: 'Open {{inputs.product}}' }],
    locators: expect.arrayContaining([{ role: 'link', name: 'Open {{inputs.product}}', exact: true }]),
  });
  expect(JSON.stringify(healedEvent?.data['locators'])).not.toContain('rope');
  expect(JSON.stringify(healedEvent?.data['locators'])).not.toContain('#new');
});
