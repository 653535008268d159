import type { Locator } from '@pilothouse/contract/actions/locator.schema';
import type { ControlInput } from '@pilothouse/contract/control/control.schema';
import type { RunAnswer } from '@pilothouse/contract/run/run-question.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { SurfaceStep } from '@pilothouse/contract/workflow/step.schema';
import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { BrowserHost } from '@pilothouse/surface-browser';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { WorkerHarness } from '../../testing/worker-harness.fixture.ts';
import { TestShop } from '../../testing/test-shop.fixture.ts';

/*
 * Healing by people in a real Chromium: no locator finds the element, and no model is configured.
 */

let shop: TestShop;
let host: BrowserHost;
let attempts: WorkerHarness;
beforeAll(async () => {
  shop = await TestShop.open();
  host = new BrowserHost(headlessShellOptions());
}, 30_000);
afterAll(async () => {
  await host.close();
  await shop.close();
});
beforeEach(async () => {
  shop.requests.length = 0;
  shop.body = page;
  attempts = await WorkerHarness.start(host);
});
afterEach(() => attempts.stop());

const page = `<button id="new" onclick="fetch('/in')">Enter</button>
  <button id="other" onclick="fetch('/other')">Help</button>`;
const logIn: Locator = { role: 'button', name: 'Log in' };

/** Seconds for a busy browser to observe the page; path that the page requests when the step is done. */
const step = (fields: Partial<SurfaceStep> = {}) =>
  ({ id: 'enter', action: 'click', target: logIn, timeout: 3, ...fields }) as WorkflowDefinitionInput['steps'][number];
const start = (workflowFields: Partial<WorkflowDefinitionInput> = {}, assignmentFields: Partial<Assignment> = {}) =>
  attempts.assign(
    { heal: 'ask', steps: [{ action: 'navigate', url: `${shop.url}/` }, step()], ...workflowFields },
    assignmentFields,
  );
const healedData = (run: Assignment) => attempts.events(run, 'step.healed').map(({ data }) => data);
const tiers = (run: Assignment) => attempts.events(run, 'step.completed').map(({ data }) => data['tier']);
const failedOutcome = { status: 'failed', error: { code: 'TARGET_NOT_FOUND' } };
const completed = { status: 'completed', epoch: 1, value: null, verifiable: false } as const;

test('acts on the element that the person points at, and records its locators', async () => {
  const run = start();
  expect(await attempts.question()).toEqual({
    step: 1,
    path: 'enter',
    id: 'enter',
    questionNumber: 1,
    acceptsTarget: true,
    reason: expect.stringMatching(
      /^Step 2 \(Click button “Log in”\) does not find its element \(role=button\[name="Log in"\]\): no earlier run .*; no vision model is configured\. Pick/,
    ),
    choices: [{ choice: 'retry' }, { choice: 'continue' }, { choice: 'fail' }].map((option) =>
      expect.objectContaining(option),
    ),
  });
  // A choice that fails leads to another question with the reason.
  await attempts.reply(run, 1, { choice: 'retry', target: { css: '#gone' } });
  expect((await attempts.question(2)).reason).toContain('#gone');
  await attempts.reply(run, 2, { choice: 'retry', target: [{ css: '#new' }, { text: 'Enter' }] });
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  expect(healedData(run)).toMatchObject([
    {
      method: 'human',
      tier: 'human',
      element: 'button "Enter"',
      previousLocators: [logIn],
      locators: expect.arrayContaining([{ css: '#new' }, { role: 'button', name: 'Enter', exact: true }]),
    },
  ]);
  expect(tiers(run)).toEqual(['replay', 'human']);
  expect(shop.submissions).toEqual(['GET /in']);
});

test('uses a point once and does not record it as a locator', async () => {
  shop.body = `<div style="position:fixed;inset:0" onclick="fetch('/in?x=' + event.clientX)"></div>`;
  const run = start();
  await attempts.reply(run, 1, { choice: 'retry', target: { point: { x: 500, y: 500 } } });
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  const [eventData] = healedData(run);
  expect(JSON.stringify(eventData?.['locators'])).not.toContain('"point"');
  expect(shop.submissions).toEqual([expect.stringMatching(/^GET \/in\?x=[1-9]/)]);
});

test('runs the unchanged step after the person fixed the page, and repairs nothing', async () => {
  const { gateway } = attempts;
  shop.body = `<button style="position:fixed;inset:0;width:100vw;height:100vh"
    onclick="this.outerHTML = '<button onclick=&quot;fetch(\\'/in\\')&quot;>Log in</button>'">Open</button>`;
  const run = start();
  await attempts.question();
  const sendControl = (n: number, validMs: number, inputs: ControlInput[] = []) =>
    gateway.broadcast({
      type: 'control.input',
      run: run.run,
      epoch: 1,
      token: 1,
      operator: 'Ada',
      validMs,
      sequence: n,
      inputs,
    });
  sendControl(0, 60_000);
  const press = { x: 500, y: 500, button: 'left', count: 1 } as const;
  sendControl(1, 60_000, [
    { kind: 'down', ...press },
    { kind: 'up', ...press },
  ]);
  await gateway.until(() => attempts.events(run, 'control.action').length === 1, 'what she did is told');
  sendControl(0, 0);
  await attempts.reply(run, 1, { choice: 'retry' });
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  expect([healedData(run), tiers(run), shop.submissions]).toEqual([[], ['replay', 'human'], ['GET /in']]);
});

test('skips the step or ends the run as decided; asks no question if the workflow does not want it', async () => {
  const without = start();
  await attempts.reply(without, 1, { choice: 'continue' });
  expect(await attempts.waitForOutcome(without)).toMatchObject({ status: 'completed' });
  expect(tiers(without)).toEqual(['replay', 'human']);
  const endedRun = start();
  await attempts.reply(endedRun, 2, { choice: 'fail' });
  expect(await attempts.waitForOutcome(endedRun)).toMatchObject({
    ...failedOutcome,
    error: {
      ...failedOutcome.error,
      message: expect.stringMatching(/no vision model is configured; Ada failed the step$/),
    },
  });
  expect(await attempts.waitForOutcome(start({ heal: 'auto' }))).toMatchObject(failedOutcome);
  expect(attempts.questions()).toHaveLength(2);
  expect(shop.submissions).toEqual([]);
});

test('applies an answer after the slot was released, without another question', async () => {
  const withAnswer = (answer: Pick<RunAnswer, 'choice' | 'target' | 'acceptsTarget'>): Partial<Assignment> => ({
    epoch: 2,
    checkpoints: [
      { step: 0, status: 'completed', epoch: 1, value: null, verifiable: false },
      { step: 1, status: 'running', epoch: 1, value: null, verifiable: false },
    ],
    answer: { step: 1, questionNumber: 1, answeredBy: 'Ada', ...answer },
  });
  const run = start({}, withAnswer({ choice: 'retry', target: { css: '#new' } }));
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  expect(healedData(run)).toMatchObject([{ method: 'human' }]);
  expect(shop.submissions).toEqual(['GET /in']);
  expect(await attempts.waitForOutcome(start({}, withAnswer({ choice: 'fail', acceptsTarget: true })))).toMatchObject(
    failedOutcome,
  );
  expect(attempts.questions()).toEqual([]);
});

test('skips the step after the slot was released, even if its element exists now', async () => {
  shop.body = `<button onclick="fetch('/in')">Log in</button>`;
  const interrupted: Partial<Assignment> = {
    epoch: 2,
    checkpoints: [
      { step: 0, status: 'completed', epoch: 1, value: null, verifiable: false },
      { step: 1, status: 'running', epoch: 1, value: null, verifiable: false },
    ],
    answer: { step: 1, questionNumber: 1, acceptsTarget: true, choice: 'continue', answeredBy: 'Ada' },
  };
  const without = (fields: Partial<SurfaceStep> = {}, assignmentFields = interrupted) =>
    start({ steps: [{ action: 'navigate', url: `${shop.url}/` }, step(fields)] }, assignmentFields);
  const run = without({ idempotent: false });
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  expect(tiers(run)).toEqual(['replay', 'human']);
  // The expectation of the step is still checked.
  const expecting = without({ expect: { text: 'Welcome' } });
  expect(await attempts.waitForOutcome(expecting)).toMatchObject({
    status: 'failed',
    error: { code: 'CONDITION_NOT_MET' },
  });
  const endedRun = without(
    {},
    { ...interrupted, answer: { step: 1, questionNumber: 1, acceptsTarget: true, choice: 'fail', answeredBy: 'Ada' } },
  );
  expect(await attempts.waitForOutcome(endedRun)).toMatchObject({
    ...failedOutcome,
    error: { ...failedOutcome.error, message: expect.stringContaining('Ada failed the step') },
  });
  expect(shop.submissions).toEqual([]);
  expect(attempts.questions()).toEqual([]);
  // An approval does not settle the step.
  const { acceptsTarget: _, ...plainAnswer } = {
    step: 1,
    questionNumber: 1,
    acceptsTarget: true,
    choice: 'continue',
    answeredBy: 'Ada',
  } as const;
  expect(await attempts.waitForOutcome(without({}, { ...interrupted, answer: plainAnswer }))).toMatchObject({
    status: 'completed',
  });
  expect(shop.submissions).toEqual(['GET /in']);
});

test.each([
  ['with an element', { choice: 'retry', target: { css: '#other' } }],
  ['that a person did the step', { choice: 'continue' }],
] as const)('asks again after an answer %s about a step with this number on another path', async (_, reply) => {
  const answer: RunAnswer = {
    step: 1,
    path: '1/2',
    questionNumber: 1,
    acceptsTarget: true,
    answeredBy: 'Ada',
    ...reply,
  };
  const run = start({}, { epoch: 2, answer, checkpoints: [{ ...completed, step: 0 }] });
  // The gateway repeats the answer with each renewal until a later step begins.
  attempts.gateway.answers.set(run.run, answer);
  expect(await attempts.question()).toMatchObject({ step: 1, questionNumber: 1 });
  const renewed = attempts.gateway.all('renew').length;
  await attempts.gateway.until(() => attempts.gateway.all('renew').length > renewed + 1, 'the lease is renewed');
  expect([tiers(run), shop.submissions]).toEqual([['replay'], []]);
  attempts.gateway.answers.delete(run.run);
  await attempts.reply(run, 1, { choice: 'retry', target: { css: '#new' } });
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  expect(shop.submissions).toEqual(['GET /in']);
});
