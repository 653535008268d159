import type { ModelAnswer, ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { NativeCall } from '@pilothouse/contract/model/native-turn.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { BrowserHost } from '@pilothouse/surface-browser';
import { modelAnswer } from '@pilothouse/testing/agent-tasks/parsed-prompt';
import { headlessShellOptions } from '@pilothouse/testing/headless-shell';
import { TestShop } from '../../testing/test-shop.fixture.ts';
import { WorkerHarness } from '../../testing/worker-harness.fixture.ts';

/* A model with the computer tool of a provider, in a real Chromium. It sees screenshots and answers with pixels. */

let shop: TestShop;
let host: BrowserHost;
beforeAll(async () => {
  shop = await TestShop.open();
  host = new BrowserHost(headlessShellOptions());
}, 30_000);
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

const thinking = { type: 'thinking', thinking: 'A field above a button.', signature: 'c2lnbmVk' };

type Turn = (screen: { width: number; height: number }, request: ModelRequest) => NativeCall[];

/** Calls get the ids `<turn>-<position>`. */
function nativeAnswer(calls: NativeCall[], turn: number): ModelAnswer {
  const withIds = calls.map((call, index) => ({ ...call, id: `${turn}-${index + 1}` }));
  return { ...modelAnswer([]), native: { tool: 'computer_toolset_20260801', blocks: [thinking], calls: withIds } };
}

const member = (name: string, args: Record<string, Json> = {}): NativeCall => ({
  ...{ id: null, name, args, toolset: 'computer', checks: [] },
});
const done = (text: string): NativeCall => ({
  ...member('done', { answer: text, title_or_url: 'Shop', indicators: [text] }),
  toolset: null,
});

/** Answers each turn of the goal in order. @returns the requests */
function follow(...turns: Turn[]): ModelRequest[] {
  const requests: ModelRequest[] = [];
  attempts.gateway.model = ({ request }) => {
    const screen = request.computer?.screen;
    const turn = turns[requests.length];
    requests.push(request);
    if (!screen || !turn) throw new Error(`No turn is scripted for request ${requests.length}`);
    return nativeAnswer(turn(screen, request), requests.length);
  };
  return requests;
}

const assign = () =>
  attempts.assign(
    {
      output: '{{steps.goal.value}}',
      steps: [
        { action: 'navigate', url: `${shop.url}/` },
        { id: 'goal', action: 'goal', goal: 'Store rope' },
      ],
    },
    { isAlwaysVision: true },
  );

/** A field in the upper half of the window, and a button in the lower half. */
const form = (
  button = 'Store',
) => `<style>body{margin:0} input,button{position:fixed;left:0;width:100vw;height:50vh}</style>
  <input aria-label="Article" style="top:0"><button style="top:50vh" onclick="
    document.body.innerHTML = '<h1>Stored ' + document.querySelector('input').value + '</h1>'">${button}</button>`;

const upper: Turn = ({ width, height }) => [member('left_click', { coordinate: [width / 2, height / 4] })];
const lower: Turn = ({ width, height }) => [member('left_click', { coordinate: [width / 2, (height * 3) / 4] })];

test('executes a batch by pixels, and returns the turn with its results and a screenshot', async () => {
  shop.body = form();
  const requests = follow(
    (screen, request) => [
      ...upper(screen, request),
      member('type', { text: 'rope' }),
      ...lower(screen, request),
      member('screenshot'),
    ],
    () => [done('Stored rope')],
  );
  const run = assign();
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'completed', output: 'Stored rope' });
  expect(attempts.events(run, 'agent.action_started').map(({ data }) => data['action'])).toMatchObject([
    { action: 'click' },
    { action: 'type', text: 'rope' },
    { action: 'click' },
  ]);
  expect(attempts.events(run, 'agent.action_started').map(({ data }) => data['call'])).toEqual([0, 1, 2]);
  expect(requests[0]).toMatchObject({ role: 'act' });
  const [exchange] = requests[1]?.computer?.exchanges ?? [];
  expect(exchange?.turn.blocks).toEqual([thinking]);
  expect(exchange?.results).toMatchObject([
    { id: '1-1', isError: false },
    { id: '1-2', isError: false },
    { id: '1-3', isError: false },
    { id: '1-4', isError: false, hasImage: true },
  ]);
  expect(exchange?.screenshot).toBe(1);
  // A later attempt rebuilds the conversation from the event.
  const [turn] = attempts.events(run, 'agent.turn');
  expect(turn?.data['native']).toMatchObject({ turn: { blocks: [thinking] }, refusal: null });
}, 90_000);

test('asks a person in the middle of a batch, and does not execute the rest after a refusal', async () => {
  shop.body = form('Delete account');
  const requests = follow(
    (screen, request) => [...upper(screen, request), ...lower(screen, request), member('type', { text: 'late' })],
    () => [{ ...member('fail', { text: 'Declined' }), toolset: null }],
  );
  const run = assign();
  expect((await attempts.question()).reason).toContain('Delete account');
  await attempts.reply(run, 1, { choice: 'decline' });
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'failed', error: { message: 'Declined' } });
  expect(attempts.events(run, 'agent.action_started').map(({ data }) => data['action'])).toMatchObject([
    { action: 'click' },
  ]);
  expect(requests[1]?.computer?.exchanges?.[0]?.results).toMatchObject([
    { id: '1-1', isError: false },
    { id: '1-2', isError: true, text: expect.stringMatching(/^Not executed: <<<page \S+\nA person declined/) },
    { id: '1-3', isError: true },
  ]);
}, 90_000);

test('executes nothing of a turn with a point outside the screen, and names the reason', async () => {
  shop.body = form();
  const requests = follow(
    (screen, request) => [...lower(screen, request), member('left_click', { coordinate: [screen.width + 1, 5] })],
    () => [{ ...member('fail', { text: 'Refused' }), toolset: null }],
  );
  const run = assign();
  expect(await attempts.waitForOutcome(run)).toMatchObject({ status: 'failed', error: { message: 'Refused' } });
  expect(attempts.events(run, 'agent.action_started')).toEqual([]);
  for (const result of requests[1]?.computer?.exchanges?.[0]?.results ?? [])
    expect(result).toMatchObject({ isError: true, text: expect.stringMatching(/outside the screen/) });
  expect(requests[1]?.computer?.exchanges?.[0]?.results).toHaveLength(2);
}, 90_000);
