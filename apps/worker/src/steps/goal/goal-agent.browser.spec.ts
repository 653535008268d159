import { actionSchema } from '@pilothouse/contract/actions/action-sets';
import type { Assignment } from '@pilothouse/contract/worker/to-worker.messages';
import type { GoalStep } from '@pilothouse/contract/workflow/step.schema';
import type { ScriptedGateway } from '@pilothouse/infra-link/testing';
import { BrowserHost } from '@pilothouse/surface-browser';
import { call, type ScriptedPolicy } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { DEMO_ACCOUNT } from '@pilothouse/testing/demo-site/data/accounts.data';
import { startSite, type Site } from '@pilothouse/testing/demo-site/site-server';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { until } from '@pilothouse/testing/test-helpers';
import { WorkerHarness } from '../../testing/worker-harness.fixture.ts';
import { TestShop } from '../../testing/test-shop.fixture.ts';

/*
 * An agent in a real Chromium. The model is a policy that sees only the prompt.
 */

let site: Site;
let shop: TestShop;
let host: BrowserHost;
beforeAll(async () => {
  [site, shop] = await Promise.all([startSite(), TestShop.open()]);
  host = new BrowserHost(headlessShellOptions());
}, 30_000);
afterAll(async () => {
  await host.close();
  await Promise.all([site.close(), shop.close()]);
});

let attempts: WorkerHarness;
let gateway: ScriptedGateway;
beforeEach(async () => {
  shop.requests.length = 0;
  attempts = await WorkerHarness.start(host);
  gateway = attempts.gateway;
});
afterEach(() => attempts.stop());

const follow = (...args: Parameters<WorkerHarness['follow']>) => attempts.follow(...args);
const goal = (text: string, fields: Partial<GoalStep> = {}): GoalStep => ({
  id: 'goal',
  action: 'goal',
  goal: text,
  ...fields,
});
const open = (url: string) => ({ action: 'navigate' as const, url });
const password = { password: { type: 'string' as const, secret: true } };

const assign = (source: Parameters<WorkerHarness['assign']>[0], fields: Partial<Assignment> = {}) =>
  attempts.assign({ output: '{{steps.goal.value}}', ...source }, fields);
const waitForEnd = (run: Assignment) => attempts.waitForOutcome(run);
const questions = () => attempts.questions();
const reply = (...args: Parameters<WorkerHarness['reply']>) => attempts.reply(...args);
const events = (run: Assignment, type: string) => attempts.events(run, type);

/** Logs in to the portal, searches, and reads a price. */
const buyer: ScriptedPolicy = (prompt) => {
  if (prompt.maybe(/button "Log in"/) !== undefined && prompt.maybe(/textbox "Password"/) !== undefined)
    return [
      call('type', { element: prompt.element(/textbox "E-mail"/), text: DEMO_ACCOUNT.email }),
      call('type', { element: prompt.element(/textbox "Password"/), text: '{{credential.password}}' }),
      call('click', { element: prompt.element(/button "Log in"/) }),
    ];
  const price = /Mooring rope[^|"\n]*/.exec(prompt.page)?.[0].trim();
  if (/for “mooring rope”/.test(prompt.page) && price)
    return [call('done', { answer: price, title_or_url: 'Catalogue', indicators: ['for “mooring rope”'] })];
  const search = prompt.element(/combobox "Search products"/);
  // Actions after the text depend on a list that does not exist yet.
  if (!/"Search products" = /.test(prompt.page))
    return [
      call('type', { element: search, text: 'mooring rope' }),
      call('click', { element: prompt.element(/button "Search"/) }),
    ];
  return [call('press', { key: 'Enter', element: search })];
};

test('stores locators of both elements of a drag', async () => {
  shop.body = `<div draggable="true" role="button">Report</div>
    <div role="button" ondragover="event.preventDefault()" ondrop="this.textContent = 'Filed'">Folder</div>`;
  follow(
    (prompt) =>
      prompt.page.includes('Filed')
        ? [call('done', { answer: '', title_or_url: shop.url, indicators: ['Filed'] })]
        : [call('drag', { element: prompt.element(/button "Report"/), to_element: prompt.element(/button "Folder"/) })],
    'success',
  );
  const run = assign({ steps: [open(`${shop.url}/`), goal('File the report')] });
  expect(await waitForEnd(run)).toMatchObject({ status: 'completed' });
  const [drag] = events(run, 'agent.action_completed');
  expect(drag?.data['locators']).toContainEqual(expect.objectContaining({ role: 'button', name: 'Report' }));
  expect(drag?.data['endLocators']).toContainEqual(expect.objectContaining({ role: 'button', name: 'Folder' }));
});

test('records a late change of the address with the action that caused it', async () => {
  shop.body = `<button onclick="setTimeout(() => { history.pushState({}, '', '/?page=2'); fetch('/moved'); }, 800)">Next</button>`;
  follow((prompt) => {
    const press = call('click', { element: prompt.element(/button "Next"/) });
    return events(run, 'agent.action_completed').length === 0 ? [press, call('wait', { seconds: 2 }), press] : [press];
  });
  const run = assign({ steps: [open(`${shop.url}/`), goal('Press Next twice')] });
  await until('three actions ended', () => events(run, 'agent.action_completed').length > 2, 20_000);
  const completed = events(run, 'agent.action_completed').slice(0, 3);
  expect(completed.map(({ data }) => data['pageBefore'])).toMatchObject([
    { url: `${shop.url}/` },
    { url: `${shop.url}/` },
    { url: `${shop.url}/?page=2` },
  ]);
});

test('a run with a goal keeps its last page, whether it completes or fails', async () => {
  shop.body = '<h1>Harbour</h1>';
  const images = (run: Assignment) =>
    gateway.all('upload.request').flatMap(({ kind, ...file }) => (file.run === run.run ? [{ kind, ...file }] : []));
  const start = (screenshots: 'only-on-failure' | 'none', fields: Partial<Assignment['definition']> = {}) =>
    assign({ steps: [open(`${shop.url}/`), goal('What is the heading?')], ...fields }, { capture: { screenshots } });
  follow(() => [call('done', { answer: 'Harbour', title_or_url: '', indicators: ['Harbour'] })], 'success');
  const completed = start('only-on-failure');
  expect(await waitForEnd(completed)).toMatchObject({ status: 'completed' });
  expect(images(completed)).toMatchObject([{ step: 1, kind: 'screenshot', moment: 'after', name: '02-goal.jpg' }]);
  const withoutImages = start('none');
  expect(await waitForEnd(withoutImages)).toMatchObject({ status: 'completed' });
  expect(images(withoutImages)).toEqual([]);
  const invalid = start('only-on-failure', { outputSchema: { type: 'number' } });
  expect(await waitForEnd(invalid)).toMatchObject({ status: 'failed', error: { code: 'OUTPUT_INVALID' } });
  expect(images(invalid)).toMatchObject([{ step: 1, moment: 'after', name: '02-goal.jpg' }]);
  follow(() => [call('fail', { text: 'It is closed' })]);
  const failed = start('only-on-failure', { steps: [open(`${shop.url}/`), goal('Open the gate')] });
  expect(await waitForEnd(failed)).toMatchObject({ status: 'failed' });
  expect(images(failed)).toMatchObject([{ step: 1, moment: 'failed', name: '02-goal-failed.jpg' }]);
}, 60_000);

test('logs in, searches and reads; persists each action first, and hides the secret from models', async () => {
  gateway.secrets.set('password', DEMO_ACCOUNT.password);
  follow(buyer);
  const run = assign(
    {
      inputs: password,
      steps: [
        open(`${site.url}/login`),
        goal(`Log in as ${DEMO_ACCOUNT.email} with {{inputs.password}} and say which mooring rope there is.`),
      ],
    },
    { secrets: ['password'] },
  );
  expect(await waitForEnd(run)).toMatchObject({ status: 'completed', output: expect.stringContaining('Mooring rope') });
  const ledger = site.ledger.entries();
  expect(ledger.filter(({ kind }) => kind === 'login')).toMatchObject([{ detail: { ok: true } }]);
  expect(events(run, 'agent.action_started').map(({ data }) => data['title'])).toEqual([
    expect.stringContaining('textbox "E-mail"'),
    expect.stringMatching(/\{\{inputs\.password\}\}.*textbox "Password"/),
    expect.stringContaining('button "Log in"'),
    expect.stringContaining('combobox "Search products"'),
    expect.stringContaining('Press Enter'),
  ]);
  expect(events(run, 'agent.action_completed').every(({ data }) => data['error'] === null)).toBe(true);
  // The click after typing into the combobox was dropped.
  expect(events(run, 'agent.note')).toMatchObject([{ data: { kind: 'page_changed' } }, { data: { kind: 'verified' } }]);
  for (const { data } of events(run, 'agent.action_started'))
    expect(actionSchema.safeParse(data['action']).success).toBe(true);
  expect(attempts.requests).toHaveLength(4);
  expect(attempts.requests[0]).toMatchObject({ role: 'act', prompt: { name: 'act-text', version: 10 } });
  const output = JSON.stringify(attempts.requests);
  expect(output).toContain(`Log in as ${DEMO_ACCOUNT.email} with {{credential.password}} and say`);
  expect(output).not.toContain('{{inputs.password}}');
  for (const output of [attempts.requests, gateway.log.of(run), gateway.all('append')])
    expect(JSON.stringify(output)).not.toContain(DEMO_ACCOUNT.password);
  const [acted] = events(run, 'step.completed').slice(-1);
  expect(acted).toMatchObject({ data: { tier: 'text', value: expect.stringContaining('Mooring rope') } });
}, 60_000);

describe('a person, or the workflow, has to allow it', () => {
  const buttons =
    '<h1>Shop</h1><form action="/buy" method="post"><button>Place order</button></form><a href="/help">Help</a>';
  /** Buys. Fails if the purchase is declined. */
  const eager: ScriptedPolicy = (prompt) => {
    if (/declined it/.test(prompt.text)) return [call('fail', { text: 'It is not allowed' })];
    const order = prompt.maybe(/button "Place order"/);
    return order === undefined
      ? [call('done', { title_or_url: '/buy', indicators: ['Done'] })]
      : [call('click', { element: order })];
  };
  const steps = (fields: Partial<GoalStep> = {}) => [open(`${shop.url}/`), goal('Buy it', fields)];
  beforeEach(() => {
    shop.body = buttons;
    follow(eager);
  });

  test('runs an approved action once, and keeps the browser open meanwhile', async () => {
    const run = assign({ steps: steps() });
    await until('it asks', () => questions().length === 1, 20_000);
    expect(questions()[0]).toMatchObject({
      step: 1,
      id: 'goal',
      questionNumber: 1,
      reason: expect.stringMatching(/^The agent wants to use button "Place order".*on http:/),
      choices: [{ choice: 'continue' }, { choice: 'decline' }, { choice: 'fail' }],
    });
    expect(shop.submissions).toEqual([]);
    await reply(run, 1, { choice: 'continue' });
    expect(await waitForEnd(run)).toMatchObject({ status: 'completed' });
    expect(shop.requests).toEqual(['GET /', 'POST /buy']);
  }, 60_000);

  test('does not run a declined action, and gives the agent the reason', async () => {
    const run = assign({ steps: steps() });
    await reply(run, 1, { choice: 'decline', text: 'Too dear' });
    expect(await waitForEnd(run)).toMatchObject({
      status: 'failed',
      error: { code: 'GOAL_FAILED', message: 'It is not allowed' },
    });
    expect(shop.submissions).toEqual([]);
    expect(attempts.requests.at(-1)?.messages[0]?.parts[0]).toMatchObject({
      text: expect.stringContaining('Too dear'),
    });
  }, 60_000);

  test('asks no question if the workflow allows the effect; then the step is not retried', async () => {
    const run = assign({ steps: steps({ autoApprove: ['pay'] }) });
    expect(await waitForEnd(run)).toMatchObject({ status: 'completed' });
    expect(questions()).toEqual([]);
    const checkpoint = { epoch: 1, value: null, verifiable: false };
    const secondRun = assign(
      { steps: steps({ autoApprove: ['pay'] }) },
      {
        epoch: 2,
        checkpoints: [
          { ...checkpoint, step: 0, status: 'completed' },
          { ...checkpoint, step: 1, status: 'running' },
        ],
      },
    );
    await until('it asks', () => questions().length === 1, 20_000);
    expect(questions()[0]).toMatchObject({ step: 1, reason: expect.stringContaining('may have run before') });
    await reply(secondRun, 1, { choice: 'fail' });
    expect(await waitForEnd(secondRun)).toMatchObject({ status: 'failed', error: { code: 'STEP_STATUS_UNKNOWN' } });
  }, 60_000);

  test('does not apply an approval of an earlier attempt', async () => {
    const checkpoint = { epoch: 1, value: null, verifiable: false };
    const answer = { step: 1, questionNumber: 1, choice: 'continue' as const, answeredBy: 'Ada' };
    const run = assign(
      { steps: steps() },
      {
        epoch: 2,
        answer,
        checkpoints: [
          { ...checkpoint, step: 0, status: 'completed' },
          { ...checkpoint, step: 1, status: 'running' },
        ],
      },
    );
    // The gateway repeats the answer with each renewal until a step begins.
    gateway.answers.set(run.run, answer);
    await until('it asks', () => questions().length === 1, 20_000);
    const renewed = gateway.all('renew').length;
    await until('the lease is renewed', () => gateway.all('renew').length > renewed + 1);
    expect(shop.submissions).toEqual([]);
    expect(questions()).toMatchObject([{ step: 1, questionNumber: 2, reason: expect.stringContaining('Place order') }]);
    await reply(run, 1, { choice: 'decline' });
    expect(await waitForEnd(run)).toMatchObject({ status: 'failed', error: { code: 'GOAL_FAILED' } });
    expect(shop.submissions).toEqual([]);
  }, 60_000);

  test('receives a text answer for each question', async () => {
    follow((prompt) => {
      const answers = [...prompt.text.matchAll(/A person answered: (\w+)/g)].map(([, word]) => word ?? '');
      if (answers.length < 2) return [call('ask', { text: answers.length === 0 ? 'Which color?' : 'Which size?' })];
      return [call('done', { answer: answers.join(' '), title_or_url: 'Shop', indicators: ['Help'] })];
    }, 'success');
    const run = assign({ steps: steps() });
    await reply(run, 1, { choice: 'continue', text: 'grey' });
    await reply(run, 2, { choice: 'continue', text: 'large' });
    expect(await waitForEnd(run)).toMatchObject({ status: 'completed', output: 'grey large' });
    expect(questions().map(({ questionNumber: number, reason }) => [number, reason])).toEqual([
      [1, 'The agent asks: Which color?'],
      [2, 'The agent asks: Which size?'],
    ]);
  }, 60_000);
});

describe('a claim that no page proves', () => {
  const claim = (answer: string, indicators: string[]) =>
    follow(() => [call('done', { answer, title_or_url: 'Shop', indicators })], 'success');
  const roles = () => attempts.requests.map(({ role }) => role);
  const sources = (run: Assignment) => events(run, 'agent.answer_sources').map(({ data }) => data);

  test.each([
    ['a text that was visible from the start', 'zebra', ['Ropes of all sizes']],
    ['the index of an element', '1', ['1']],
  ])('is decided by the verifying model: %s', async (_, answer, indicators) => {
    shop.body = '<h1>Ropes of all sizes</h1><button>Help</button>';
    claim(answer, indicators);
    const run = assign({ steps: [open(`${shop.url}/`), goal('Which animal is it?')] });
    expect(await waitForEnd(run)).toMatchObject({ status: 'completed', output: answer });
    expect(roles()).toEqual(['act', 'verify']);
    expect(sources(run)).toMatchObject([{ sources: [], computed: [], missing: [''] }]);
  });

  test('needs no model if the answer is on the page below the view', async () => {
    shop.body = '<h1>Ropes</h1><p style="margin-top:3000px">Mooring rope, 1,234.50 EUR</p>';
    claim('1,234.50', ['Ropes']);
    const run = assign({ steps: [open(`${shop.url}/`), goal('What is the price?')] });
    expect(await waitForEnd(run)).toMatchObject({ status: 'completed', output: '1,234.50' });
    expect(roles()).toEqual(['act']);
    expect(sources(run)).toMatchObject([
      { sources: [{ pointer: '', isOnPage: true }], computed: [], missing: [], page: { url: `${shop.url}/` } },
    ]);
  });

  test('is rejected with `requireSources`', async () => {
    shop.body = '<h1>Ropes of all sizes</h1>';
    claim('zebra', ['Ropes of all sizes']);
    const fields = { requireSources: true, maxTurns: 1 };
    const run = assign({ steps: [open(`${shop.url}/`), goal('Which animal is it?', fields)] });
    expect(await waitForEnd(run)).toMatchObject({
      status: 'failed',
      error: { code: 'GOAL_FAILED', message: expect.stringContaining('no page shows the answer "zebra"') },
    });
    expect(roles()).toEqual(['act']);
  });

  test('is rejected while the page marks a filled field as invalid', async () => {
    shop.body = `<input aria-label="E-mail" oninput="this.setAttribute('aria-invalid', !this.value.includes('@')); note.hidden = false">
      <p id="note" hidden>Checked</p>`;
    follow((prompt) =>
      /Checked/.test(prompt.page)
        ? [call('done', { title_or_url: 'Shop', indicators: ['Checked'] })]
        : [call('type', { element: prompt.element(/textbox "E-mail"/), text: 'ada' })],
    );
    const run = assign({ steps: [open(`${shop.url}/`), goal('Enter the address ada', { maxTurns: 2 })] });
    expect(await waitForEnd(run)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('the page marks textbox "E-mail"') },
    });
  });
});

test('does not accept done until the page shows it, and asks a person after unusable answers', async () => {
  shop.body = '<h1>Shop</h1>';
  follow((prompt) =>
    /The goal is not met yet/.test(prompt.text)
      ? []
      : [call('done', { title_or_url: 'Thank you', indicators: ['Order 17'] })],
  );
  const run = assign({ steps: [open(`${shop.url}/`), goal('Order')] });
  await until('it asks', () => questions().length === 1, 20_000);
  expect(questions()[0]?.reason).toContain('The agent is stuck');
  await reply(run, 1, { choice: 'fail' });
  expect(await waitForEnd(run)).toMatchObject({ status: 'failed', step: 1, error: { code: 'GOAL_FAILED' } });
  expect(events(run, 'agent.note')[0]).toMatchObject({
    data: { kind: 'unverified', note: expect.stringContaining('Order 17') },
  });
}, 60_000);

test('needs no model call for a met goal, and reports tier 0', async () => {
  shop.body = '<h1>Welcome back</h1>';
  const run = assign({ steps: [open(`${shop.url}/`), goal('Log in', { expect: { text: ['Welcome back'] } })] });
  expect(await waitForEnd(run)).toMatchObject({ status: 'completed', output: null });
  expect(gateway.all('model.request')).toEqual([]);
  expect(events(run, 'step.completed').at(-1)).toMatchObject({ data: { tier: 'replay' } });
}, 60_000);

test('names the missing setting if no model is configured', async () => {
  shop.body = '<h1>Shop</h1>';
  const run = assign({ steps: [open(`${shop.url}/`), goal('Look')] });
  expect(await waitForEnd(run)).toMatchObject({ status: 'failed', step: 1, error: { code: 'MODEL_NOT_CONFIGURED' } });
}, 60_000);

test('retries a model call that exceeds the concurrency limit of the run', async () => {
  shop.body = '<h1>Shop</h1>';
  follow(() => [call('done', { answer: 'Shop', title_or_url: '', indicators: ['Shop'] })]);
  const full = {
    code: 'RATE_LIMITED' as const,
    message: 'A run can have 4 model calls at a time',
    retry: 'same-request' as const,
  };
  let remainingRefusals = 1;
  gateway.intercept = (message, socket) => {
    if (message.type !== 'model.request' || remainingRefusals === 0) return false;
    remainingRefusals -= 1;
    socket.send(JSON.stringify({ type: 'rejected', id: message.id, error: full }));
    return true;
  };
  const run = assign({ steps: [open(`${shop.url}/`), goal('Read the heading')] });
  expect(await waitForEnd(run)).toMatchObject({ status: 'completed', output: 'Shop' });
  expect(gateway.all('model.request')).toHaveLength(2);
});

test('does not wait for a model beyond the timeout of the step', async () => {
  shop.body = '<h1>Shop</h1>';
  gateway.unanswered.add('model.request');
  const run = assign({ steps: [open(`${shop.url}/`), goal('Look', { timeout: 2 })] });
  expect(await waitForEnd(run)).toMatchObject({ status: 'failed', step: 1, error: { code: 'STEP_TIMED_OUT' } });
}, 60_000);

test('requires the answer to match the schema of the step', async () => {
  shop.body = '<h1>Shop</h1><p>Rope: 4.50 EUR</p>';
  const outputSchema = {
    type: 'object' as const,
    properties: { price: { type: 'number' as const } },
    required: ['price'],
  };
  follow((prompt) => [
    call('done', {
      answer: /does not match the schema/.test(prompt.text) ? { price: 4.5 } : '4.50 EUR',
      title_or_url: 'Shop',
      indicators: ['Rope: 4.50'],
    }),
  ]);
  const run = assign({ steps: [open(`${shop.url}/`), goal('What does the rope cost?', { outputSchema })] });
  expect(await waitForEnd(run)).toMatchObject({ status: 'completed', output: { price: 4.5 } });
}, 60_000);

test('restarts the goal after a takeover at the last safe point', async () => {
  shop.body = '<h1>Shop</h1><a href="/help">Help</a>';
  follow((prompt) => {
    const help = prompt.maybe(/link "Help"/);
    return help === undefined
      ? [call('done', { title_or_url: '/help', indicators: ['Done'] })]
      : [call('click', { element: help })];
  });
  const checkpoint = { epoch: 1, value: null, verifiable: false };
  const run = assign(
    { steps: [open(`${shop.url}/`), goal('Find help')] },
    {
      epoch: 2,
      checkpoints: [
        { ...checkpoint, step: 0, status: 'completed' },
        { ...checkpoint, step: 1, status: 'running' },
      ],
    },
  );
  expect(await waitForEnd(run)).toMatchObject({ status: 'completed' });
  expect(shop.requests).toEqual(['GET /', 'GET /help']);
}, 60_000);
