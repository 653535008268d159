import type { GoalStep } from '@pilothouse/contract/workflow/step.schema';
import { BrowserHost } from '@pilothouse/surface-browser';
import { call, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { WorkerHarness } from '../../testing/worker-harness.fixture.ts';
import { TestShop } from '../../testing/test-shop.fixture.ts';

/*
 * Overlays in the middle of a turn, in a real Chromium.
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
  attempts = await WorkerHarness.start(host);
});
afterEach(() => attempts.stop());

/** A page that shows an overlay after an item is added to the cart. */
const page = (closer: string) => `<h1>Shop</h1>
  <button onclick="cart.textContent = 'One rope'; box.hidden = false">Add to cart</button>
  <button onclick="note.textContent = 'Wrapped as a gift'">Wrap it</button>
  <p id="cart"></p><p id="note"></p>
  <div id="box" class="newsletter-popup" hidden style="position: fixed; inset: 0; background: white">
    <h2>Our newsletter</h2>${closer}
  </div>`;
const policy: ScriptedPolicy = (prompt) =>
  /Wrapped as a gift/.test(prompt.page)
    ? [call('done', { answer: 'wrapped', title_or_url: '', indicators: ['Wrapped as a gift'] })]
    : prompt.maybe(/button "Add to cart"/) === undefined
      ? [call('fail', { text: `Something lies over it: ${prompt.page}` })]
      : [
          call('click', { element: prompt.element(/button "Add to cart"/) }),
          call('click', { element: prompt.element(/button "Wrap it"/) }),
        ];
const buying = (): Parameters<WorkerHarness['assign']>[0] => ({
  steps: [
    { action: 'navigate', url: `${shop.url}/` },
    { id: 'goal', action: 'goal', goal: 'Buy a rope, wrapped' } satisfies GoalStep,
  ],
  output: '{{steps.goal.value}}',
});

test('closes an overlay by rule without a model and continues the turn', async () => {
  shop.body = page(`<button aria-label="Close" onclick="box.hidden = true">×</button>`);
  attempts.follow(policy);
  const run = attempts.assign(buying());
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed', output: 'wrapped' });
  expect(attempts.events(run, 'agent.action_started').map(({ data }) => data['title'])).toEqual([
    expect.stringContaining('"Add to cart"'),
    expect.stringContaining('"Close"'),
    expect.stringContaining('"Wrap it"'),
  ]);
  expect(attempts.events(run, 'agent.note').map(({ data }) => data['note'])).toContain(
    'An overlay covers the page. Closing it with button "Close"',
  );
  // The turn, and `done`.
  expect(attempts.requests).toHaveLength(2);
});

test('does not accept an overlay, and shows it to the model', async () => {
  shop.body = page(`<button onclick="box.hidden = true">Accept all</button>`);
  attempts.follow(policy);
  const run = attempts.assign(buying());
  expect(await attempts.waitForOutcome(run)).toMatchObject({
    status: 'failed',
    error: { code: 'GOAL_FAILED', message: expect.stringContaining('"Accept all" closer') },
  });
  expect(attempts.events(run, 'agent.action_started')).toHaveLength(1);
});
