import type { ControlInput } from '@pilothouse/contract/control/control.schema';
import { BrowserHost } from '@pilothouse/surface-browser';
import { call } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { WorkerHarness } from '../../testing/worker-harness.fixture.ts';
import { TestShop } from '../../testing/test-shop.fixture.ts';

/*
 * A person takes control of an agent in a real Chromium. The model is a policy that sees only the prompt.
 */

let shop: TestShop;
let host: BrowserHost;
beforeAll(async () => {
  shop = await TestShop.open();
  host = new BrowserHost(headlessShellOptions());
});
afterAll(async () => {
  await host.close();
  await shop.close();
});

let attempts: WorkerHarness;
beforeEach(async () => {
  shop.requests.length = 0;
  attempts = await WorkerHarness.start(host);
});
afterEach(() => attempts.stop());

/** A button that covers the page and shows its click count. */
const page = `<button style="position:fixed;inset:0;width:100vw;height:100vh" onclick="this.textContent = 'Clicked ' + ++clicks">Click me</button>
  <script>let clicks = 0;</script>`;

const click: ControlInput[] = [
  { kind: 'down', x: 500, y: 500, button: 'left', count: 1 },
  { kind: 'up', x: 500, y: 500, button: 'left', count: 1 },
];

test('gives a person control before the next action, then observes again and lists the manual actions', async () => {
  const { gateway } = attempts;
  shop.body = page;
  const sendControl = (n: number, validMs: number, inputs: ControlInput[] = []) => {
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
  };
  attempts.follow((prompt) => {
    if (/Clicked 1/.test(prompt.page)) {
      const history = /Ada had control and did: Click [^.]*\. The page may have changed/.test(prompt.text);
      if (!history) return [call('fail', { text: 'The prompt does not tell it' })];
      return [call('done', { answer: 'Clicked 1', title_or_url: 'Shop', indicators: ['Clicked 1'] })];
    }
    // The request arrives during a model call, whose answer is dropped.
    sendControl(0, 60_000);
    return [call('click', { element: prompt.element(/button "Click me"/) })];
  });
  const run = attempts.assign({
    output: '{{steps.goal.value}}',
    steps: [
      { action: 'navigate', url: `${shop.url}/` },
      { id: 'goal', action: 'goal', goal: 'Have it clicked once' },
    ],
  });
  expect(await attempts.question()).toMatchObject({ step: 1, controlToken: 1 });
  sendControl(1, 60_000, click);
  await gateway.until(() => attempts.events(run, 'control.action').length === 1, 'what she did is told');
  sendControl(0, 0);
  const answer = { step: 1, controlToken: 1, choice: 'continue' as const, answeredBy: 'Ada' };
  gateway.broadcast({ type: 'question.answered', run: run.run, epoch: 1, answer });
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed', output: 'Clicked 1' });
  expect(attempts.events(run, 'agent.action_started')).toEqual([]);
  expect(attempts.events(run, 'agent.note')[0]).toMatchObject({ data: { kind: 'page_changed' } });
  expect(gateway.actionCache.size).toBe(0);
});
