import type { ModelCall, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { WorkflowDefinitionInput } from '@pilothouse/contract/workflow/workflow.schema';
import { BrowserHost } from '@pilothouse/surface-browser';
import { modelAnswer, call } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { findRed, startCanvasSite, type CanvasSite } from '@pilothouse/testing/canvas-site/canvas-site';
import { pixelsOf } from '@pilothouse/testing/decode-pixels';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { WorkerHarness } from '../../testing/worker-harness.fixture.ts';
import { TestShop } from '../../testing/test-shop.fixture.ts';

/*
 * Targets outside the element list, in a real Chromium. The vision model sees only the pixels of the transferred screenshot.
 */

let shop: TestShop;
let site: CanvasSite;
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
  [site, attempts] = await Promise.all([startCanvasSite(), WorkerHarness.start(host)]);
});
afterEach(async () => {
  await attempts.stop();
  await site.close();
});

/** Requests by prompt name. The text model never finds the element; the vision model clicks on red areas. */
const requestedPrompts = () => attempts.requests.map(({ prompt }) => prompt.name);
/** @param drawn answer about a canvas target */
function follow(identification = '{"what":"a sail","kind":"none"}'): void {
  attempts.gateway.model = ({ request }) => {
    attempts.requests.push(request);
    switch (request.prompt.name) {
      case 'heal-text':
        return modelAnswer([call('fail', { text: 'It is not in the list' })]);
      case 'heal-vision':
        return modelAnswer(clickOnRed(request));
      default:
        return modelAnswer([], identification);
    }
  };
}

function clickOnRed({ messages }: ModelRequest): ModelCall[] {
  const image = messages.flatMap(({ parts }) => parts).find((part) => 'image' in part);
  const red = image && findRed(pixelsOf(Buffer.from(image.image.data, 'base64')));
  return red ? [call('click', { ...red, what: 'What is red' })] : [call('scroll', { to: 'bottom' })];
}

const start = (url: string, fields: Partial<WorkflowDefinitionInput> = {}) =>
  attempts.assign({
    heal: 'auto',
    steps: [
      { action: 'navigate', url },
      { id: 'enter', action: 'click', target: { role: 'button', name: 'Log in' }, timeout: 3 },
    ],
    ...fields,
  });
const messagesOf = (run: Assignment, type: string) =>
  attempts.events(run, type).map(({ data, message }) => ({ ...data, message }));

test('heals an element at a chosen point, also further down the page', async () => {
  shop.body = `<p style="height:3000px">Much</p>
    <button id="new" aria-label="Portal" style="width:300px;height:100px;border:0;background:#e00000" onclick="fetch('/in')"></button>`;
  follow();
  const run = start(`${shop.url}/`);
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  expect(messagesOf(run, 'step.healed')).toMatchObject([
    {
      method: 'vision-model',
      tier: 'vision',
      element: 'button "Portal"',
      locators: expect.arrayContaining([{ css: '#new' }]),
    },
  ]);
  expect(messagesOf(run, 'step.completed')[1]).toMatchObject({ tier: 'vision' });
  expect(messagesOf(run, 'agent.turn')).toMatchObject([
    { tier: 'text', turn: 1 },
    { tier: 'vision', turn: 2 },
    { tier: 'vision', turn: 3 },
  ]);
  expect(requestedPrompts()).toEqual(['heal-text', 'heal-vision', 'heal-vision']);
  expect(shop.submissions).toEqual(['GET /in']);
});

test('uses a point of a canvas once after its identification, and does not record it', async () => {
  follow();
  const run = start(site.url);
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed' });
  expect(messagesOf(run, 'step.healed')).toMatchObject([
    {
      method: 'vision-model',
      element: 'place "What is red"',
      locators: [],
      message: expect.stringContaining('without a stable locator'),
    },
  ]);
  expect(requestedPrompts()).toEqual(['heal-text', 'heal-vision', 'identify-canvas']);
  expect(site.requests).toEqual([expect.stringMatching(/^POST \/hit/)]);
});

test('needs an approval for a possible payment on a canvas, and does nothing if declined', async () => {
  follow('{"what":"Pay now","kind":"pay"}');
  const run = start(site.url);
  expect((await attempts.question()).reason).toContain('use what looks like “Pay now”');
  await attempts.reply(run, 1, { choice: 'decline' });
  expect(await attempts.waitForOutcome(run)).toMatchObject({
    status: 'failed',
    error: { code: 'TARGET_NOT_FOUND', message: expect.stringContaining('Ada declined place "What is red"') },
  });
  expect(site.requests).toEqual([]);
});
