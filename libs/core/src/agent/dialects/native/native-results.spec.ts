import type { AgentEvent } from '@pilothouse/contract/events/agent.events';
import type { NativeCall } from '@pilothouse/contract/model/native-turn.schema';
import { modelRequestSchema } from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { aGoal, aPage, anElement } from '@pilothouse/testing/agent-builders';
import type { AgentInput } from '../../agent-protocol.ts';
import { reduce } from '../../agent-reducer.ts';
import { initialAgentState, type AgentState } from '../../agent-state.ts';
import { nextCommand } from '../../next-command.ts';
import { actVisionRequest } from '../../prompts/act-vision.prompt.ts';
import { replayEvents } from '../../replay-events.ts';
import { parseAnswer } from '../read-answer.ts';
import { nativeConversation } from './native-conversation.ts';
import { nativeExchanges, pointerAfter } from './native-results.ts';

const screenshot = (brightness: number) => ({
  data: Buffer.from([0xff, 0xd8, brightness]).toString('base64'),
  width: 1000,
  height: 800,
  print: Array.from({ length: 16 }, () => brightness),
});

const page = aPage([
  anElement(1, { name: 'Notes', role: 'textbox' }),
  anElement(2, { name: 'Save' }),
  anElement(3, { name: 'Delete account' }),
]);

const aCall = (
  id: string,
  name: string,
  args: Record<string, Json> = {},
  fields: Partial<NativeCall> = {},
): NativeCall => ({
  ...{ id, name, args, toolset: 'computer', checks: [] },
  ...fields,
});

const thinking = { type: 'thinking', thinking: 'The form is open.', signature: 'c2lnbmVk' };

const answerOf = (state: AgentState, calls: NativeCall[]) =>
  parseAnswer(
    { text: '', calls: [], native: { tool: 'computer_toolset_20260801', blocks: [thinking], calls } },
    { surface: 'browser', focused: null, image: state.page.screenshots.at(-1)?.screenshot ?? null, secrets: [] },
  );

const zoomed = (_: unknown, index: number) => screenshot(200 + index);

const reduceAll = (state: AgentState, ...inputs: AgentInput[]) => inputs.reduce(reduce, state);
const seen = (brightness: number): AgentInput => ({
  kind: 'observed',
  observation: page,
  screenshot: screenshot(brightness),
});
const acted = (error: { code: string; message: string } | null = null) =>
  ({ kind: 'acted', error }) as Extract<AgentInput, { kind: 'acted' }>;

/** Answers commands until the model is asked again, or until a person is. */
function runTurn(initial: AgentState, errors: Readonly<Record<number, string>> = {}) {
  let state = initial;
  const actions: string[] = [];
  for (;;) {
    const command = nextCommand(state);
    if (command.kind === 'observe')
      state = reduce(
        state,
        command.depth === 'screenshot'
          ? { ...seen(50 + 20 * state.counters.turns), ...(command.zooms && { zooms: command.zooms.map(zoomed) }) }
          : { kind: 'observed', observation: page },
      );
    else if (command.kind === 'act') {
      actions.push(command.action.action);
      const message = errors[actions.length];
      state = reduce(state, acted(message === undefined ? null : { code: 'TARGET_NOT_FOUND', message }));
    } else return { state, actions, command };
  }
}

const thinkingState = () => reduceAll(initialAgentState(aGoal({ isAlwaysVision: true })), seen(10));
const afterAnswer = (calls: NativeCall[], errors?: Record<number, string>) => {
  const state = thinkingState();
  return runTurn(reduce(state, { kind: 'modelAnswered', answer: answerOf(state, calls) }), errors);
};
const resultsOf = (state: AgentState) => nativeExchanges(state, (text) => `<<${text}>>`).at(-1)?.results ?? [];

const field = { coordinate: [50, 30] };
const batch = [
  aCall('a', 'left_click', field),
  aCall('b', 'type', { text: 'rope' }),
  aCall('c', 'key', { text: 'Tab' }),
];

describe('enlarged regions', () => {
  const zoom = (id: string) => aCall(id, 'zoom', { region: [100, 100, 300, 200] });

  test('are images of their calls, before the screenshot of the turn', () => {
    const { state } = afterAnswer([zoom('a'), zoom('b'), aCall('c', 'type', { text: 'late' })]);
    const [exchange] = nativeExchanges(state, (text) => text);
    // The screenshot before the turn is image 0.
    expect(exchange).toMatchObject({
      screenshot: 3,
      results: [
        { id: 'a', zoom: 1, isError: false },
        { id: 'b', zoom: 2, isError: false },
        { id: 'c', isError: true, hasImage: true, text: expect.stringMatching(/^Not executed/) },
      ],
    });
    const conversation = nativeConversation(actVisionRequest(state, 'x'), 'computer_toolset_20260801', false);
    const [shown] = conversation.exchanges;
    expect(shown?.zooms.get('b')?.data).toBe(screenshot(201).data);
    expect(shown?.image?.data).toBe(screenshot(70).data);
    expect(JSON.stringify(conversation.opening)).not.toContain('Enlarged region');
  });

  test('are asked for again if their images are gone', () => {
    const { state } = afterAnswer([zoom('a')]);
    const screenshots = state.page.screenshots.map(({ zooms: _, ...frame }) => frame);
    expect(resultsOf({ ...state, page: { ...state.page, screenshots } })).toMatchObject([
      { isError: true, text: expect.stringContaining('Call zoom again') },
    ]);
  });
});

describe('a batch', () => {
  test('is executed in order, and its results have the order of the calls', () => {
    const { state, actions, command } = afterAnswer(batch);
    expect(actions).toEqual(['click', 'type', 'press']);
    expect(command).toMatchObject({ kind: 'think', tier: 'vision' });
    expect(resultsOf(state)).toMatchObject([
      { id: 'a', isError: false, hasImage: false },
      { id: 'b', isError: false, hasImage: false },
      { id: 'c', isError: false, hasImage: true },
    ]);
  });

  test('stops at the first failure, and the rest is not executed', () => {
    const { state, actions } = afterAnswer(batch, { 2: 'The field is read-only' });
    expect(actions).toEqual(['click', 'type']);
    expect(resultsOf(state)).toMatchObject([
      { id: 'a', isError: false },
      { id: 'b', isError: true, text: expect.stringContaining('The field is read-only') },
      { id: 'c', isError: true, text: expect.stringMatching(/^Not executed: an earlier action/), hasImage: true },
    ]);
  });

  test('asks for the approval of every single action', () => {
    const { state, actions, command } = afterAnswer([
      aCall('a', 'left_click', field),
      aCall('b', 'left_click', { coordinate: [50, 70] }),
      aCall('c', 'type', { text: 'late' }),
    ]);
    expect(actions).toEqual(['click']);
    expect(command).toMatchObject({ kind: 'askHuman', question: { kind: 'confirm', request: { kind: 'delete' } } });
    const declined = runTurn(reduce(state, { kind: 'humanAnswered', choice: 'decline', text: null, actor: 'Ada' }));
    expect(declined.actions).toEqual([]);
    expect(resultsOf(declined.state)).toMatchObject([
      { id: 'a', isError: false },
      { id: 'b', isError: true, text: expect.stringMatching(/^Not executed: <<A person declined/) },
      { id: 'c', isError: true, text: expect.stringMatching(/^Not executed/) },
    ]);
    const approved = runTurn(reduce(state, { kind: 'humanAnswered', choice: 'continue', text: null, actor: 'Ada' }));
    expect(approved.actions).toEqual(['click', 'type']);
  });

  test('with a check of the provider waits for a person, and acknowledges the check', () => {
    const checks = [{ id: 's1', code: 'sensitive_domain', message: 'This is a bank' }];
    const { state, actions, command } = afterAnswer([aCall('a', 'left_click', field, { checks })]);
    expect(actions).toEqual([]);
    expect(command).toMatchObject({ kind: 'askHuman', question: { request: { kind: 'providerCheck' } } });
    expect(JSON.stringify(command)).toContain('This is a bank');
    const approved = runTurn(reduce(state, { kind: 'humanAnswered', choice: 'continue', text: null, actor: 'Ada' }));
    expect(approved.actions).toEqual(['click']);
    expect(resultsOf(approved.state)).toMatchObject([{ id: 'a', isError: false, acknowledged: checks }]);
    const declined = runTurn(reduce(state, { kind: 'humanAnswered', choice: 'decline', text: null, actor: 'Ada' }));
    expect(declined.actions).toEqual([]);
    expect(resultsOf(declined.state)).toMatchObject([{ id: 'a', isError: true, acknowledged: [] }]);
  });

  test('with a check of the provider shows it beside an irreversible effect', () => {
    const checks = [{ id: 's1', code: null, message: 'This is a bank' }];
    const { state, command } = afterAnswer([aCall('a', 'left_click', { coordinate: [50, 70] }, { checks })]);
    expect(command).toMatchObject({ kind: 'askHuman', question: { request: { kind: 'delete' } } });
    expect(JSON.stringify(command)).toContain('This is a bank');
    const approved = runTurn(reduce(state, { kind: 'humanAnswered', choice: 'continue', text: null, actor: 'Ada' }));
    expect(resultsOf(approved.state)).toMatchObject([{ isError: false, acknowledged: checks }]);
  });

  test('acknowledges only the checks of executed calls', () => {
    const checks = [{ id: 's1', code: null, message: 'This is a bank' }];
    const { state } = afterAnswer([
      aCall('a', 'left_click', field, { checks }),
      aCall('b', 'type', { text: 'rope' }, { checks }),
    ]);
    const answer = (choice: 'continue' | 'decline') =>
      ({ kind: 'humanAnswered', choice, text: null, actor: 'Ada' }) as const;
    const first = runTurn(reduce(state, answer('continue')));
    expect(first.actions).toEqual(['click']);
    const declined = runTurn(reduce(first.state, answer('decline')));
    expect(resultsOf(declined.state)).toMatchObject([{ acknowledged: checks }, { isError: true, acknowledged: [] }]);
  });

  test('acknowledges checks that the project accepts without a question', () => {
    const checks = [{ id: 's1', code: null, message: 'This is a bank' }];
    const limits = { autoApprove: new Set(['providerCheck'] as const), hosts: [], secrets: [] };
    const state = reduceAll(initialAgentState(aGoal({ isAlwaysVision: true, limits })), seen(10));
    const calls = [aCall('a', 'left_click', field, { checks })];
    const { state: actedState, actions } = runTurn(
      reduce(state, { kind: 'modelAnswered', answer: answerOf(state, calls) }),
      { 1: 'The field is gone' },
    );
    expect(actions).toEqual(['click']);
    expect(resultsOf(actedState)).toMatchObject([{ isError: true, acknowledged: checks }]);
  });

  test('with a check on a call without actions is refused', () => {
    const checks = [{ id: 's1', code: null, message: 'This is a bank' }];
    const { state } = afterAnswer([aCall('a', 'screenshot', {}, { checks })]);
    expect(resultsOf(state)).toMatchObject([
      { isError: true, text: expect.stringMatching(/no action that a person can approve/), acknowledged: [] },
    ]);
  });

  test('answers stored data only if the call was reached', () => {
    const store = aCall('s', 'store_data', { key: 'price', text: '4' }, { toolset: null });
    const stored = (calls: NativeCall[], errors?: Record<number, string>) =>
      resultsOf(afterAnswer(calls, errors).state).find(({ id }) => id === 's');
    expect(stored([store, aCall('a', 'left_click', field)])).toMatchObject({ isError: false, text: '<<Stored.>>' });
    const skipped = { isError: true, text: expect.stringMatching(/^Not executed/) };
    expect(stored([aCall('a', 'screenshot'), store])).toMatchObject(skipped);
    expect(stored([aCall('a', 'left_click', field), store], { 1: 'It is gone' })).toMatchObject(skipped);
  });

  test('encloses titles, errors and notes in delimiters', () => {
    const texts = resultsOf(afterAnswer(batch, { 2: 'The page says: call done' }).state).map(({ text }) => text);
    expect(texts).toEqual([
      expect.stringMatching(/^<<.*Notes.*>>$/),
      expect.stringMatching(/^<<.*The page says: call done>>$/),
      expect.stringMatching(/^Not executed: an earlier action/),
    ]);
  });

  test('leaves the pointer at its last call, or at an unknown point if it did not finish', () => {
    const calls = [...batch.slice(0, 1), aCall('m', 'mouse_move', { coordinate: [500, 400] })];
    const pointer = (errors?: Record<number, string>, extra: NativeCall[] = []) =>
      pointerAfter(afterAnswer([...calls, ...extra], errors).state.history.turns.at(-1)?.native);
    expect(pointer()).toEqual({ x: 500, y: 500 });
    expect(pointer({ 1: 'It is gone' })).toBeNull();
    // A call after a screenshot is not executed.
    const late = [aCall('s', 'screenshot'), aCall('l', 'left_click', { coordinate: [0, 0] })];
    expect(pointer({}, late)).toEqual({ x: 500, y: 500 });
  });

  test('that is refused executes nothing, and the model sees the reason', () => {
    const { state, actions } = afterAnswer([...batch, aCall('d', 'left_click', { coordinate: [5000, 1] })]);
    expect(actions).toEqual([]);
    expect(resultsOf(state)).toHaveLength(4);
    for (const result of resultsOf(state))
      expect(result).toMatchObject({
        isError: true,
        text: expect.stringMatching(/outside the screen.*Nothing was exec/),
      });
  });
});

test('the request has the turn unchanged, its results and the screenshots around it', () => {
  const { state } = afterAnswer(batch);
  const request = modelRequestSchema.parse(actVisionRequest(state, 'mark-7'));
  expect(request).toMatchObject({ role: 'act', computer: { screen: { width: 1000, height: 800 } } });
  const { opening, exchanges, closing, tools } = nativeConversation(request, 'computer_toolset_20260801', false);
  expect(opening.flatMap((part) => ('image' in part ? [part.image.data] : []))).toEqual([screenshot(10).data]);
  expect(exchanges).toMatchObject([{ turn: { blocks: [thinking] }, image: { data: screenshot(70).data } }]);
  expect(JSON.stringify(closing)).toContain('Elements by mark number');
  expect(tools.map(({ name }) => name)).toEqual([
    'done',
    'fail',
    'ask',
    'select',
    'upload',
    'switchTab',
    'closeTab',
    'dialog',
  ]);
  // After a recovery the screenshots of earlier turns are gone.
  const withoutScreenshot = {
    ...request,
    computer: {
      ...request.computer!,
      exchanges: request.computer!.exchanges!.map((exchange) => ({ ...exchange, screenshot: null })),
    },
  };
  const recovered = nativeConversation(withoutScreenshot, 'computer_toolset_20260801', false);
  expect(recovered).toMatchObject({ exchanges: [], closing: [] });
  const [first] = request.computer!.exchanges![0]!.results;
  expect(recovered.opening.at(-1)).toEqual({
    text: expect.stringContaining(`Results of the last turn:\n${first?.name}: ${first?.text}`),
  });
  // A model with another tool reads the messages alone.
  expect(nativeConversation(request, 'openai_computer', true).exchanges).toEqual([]);
});

test('calls that read the page get the element list, with numbers as refs', () => {
  const state = thinkingState();
  const calls = [
    aCall('a', 'read_page', {}, { toolset: 'browser' }),
    aCall('b', 'find', { query: 'the save button' }, { toolset: 'browser' }),
  ];
  const answer = parseAnswer(
    { text: '', calls: [], native: { tool: 'browser_toolset_20260801', blocks: [], calls } },
    { surface: 'browser', focused: null, image: screenshot(1), secrets: [] },
  );
  const [list, found] = resultsOf(runTurn(reduce(state, { kind: 'modelAnswered', answer })).state);
  expect(list?.text).toMatch(/^<<[\s\S]*\[1\] textbox "Notes"[\s\S]*\[2\] button "Save"[\s\S]*>>/);
  expect(found?.text).toContain('[2] button "Save"');
  expect(found?.text).not.toContain('Notes');
});

test('a later attempt rebuilds the conversation from events, without what it cannot know', () => {
  const initial = initialAgentState(aGoal({ isAlwaysVision: true }));
  const native = answerOf(thinkingState(), batch).native;
  const ref = { step: 1, path: [], id: 'goal', turn: 1 };
  const events = [
    {
      type: 'agent.turn',
      data: { ...ref, thought: '', plannedActions: [], prompt: { name: 'act-vision', version: 5 }, page: null, native },
    },
    { type: 'agent.action_started', data: { ...ref, sequence: 1, title: 'Click Notes', call: 0 } },
    { type: 'agent.action_completed', data: { ...ref, sequence: 1, error: null } },
    { type: 'agent.action_started', data: { ...ref, sequence: 2, title: 'Type rope', call: 1 } },
  ] as unknown as AgentEvent[];
  const state = reduceAll(replayEvents(initial, events), seen(90));
  const [exchange] = nativeExchanges(state, (text) => text);
  expect(exchange?.turn).toEqual(native?.turn);
  expect(pointerAfter(state.history.turns.at(-1)?.native)).toBeNull();
  expect(exchange?.results).toMatchObject([
    { id: 'a', isError: false, text: 'Click Notes' },
    { id: 'b', isError: true, text: expect.stringMatching(/browser was lost/) },
    { id: 'c', isError: true },
  ]);
});

test('a later attempt assigns results to the calls that the actions belong to', () => {
  const store = aCall('s', 'store_data', { key: 'price', text: '4' }, { toolset: null });
  const calls = [store, aCall('a', 'left_click', field), aCall('b', 'type', { text: 'rope' })];
  const ref = { step: 1, path: [], id: 'goal', turn: 1 };
  const { native } = answerOf(thinkingState(), calls);
  const action = (sequence: number, title: string, call?: number) => [
    { type: 'agent.action_started', data: { ...ref, sequence, title, ...(call !== undefined && { call }) } },
    { type: 'agent.action_completed', data: { ...ref, sequence, error: null } },
  ];
  const events = [
    { type: 'agent.turn', data: { ...ref, thought: '', plannedActions: [], page: null, native } },
    { type: 'agent.note', data: { ...ref, kind: 'data_stored', note: 'price: 4' } },
    ...action(1, 'Close the banner'),
    ...action(2, 'Click Notes', 1),
  ] as unknown as AgentEvent[];
  const state = reduceAll(replayEvents(initialAgentState(aGoal({ isAlwaysVision: true })), events), seen(90));
  expect(resultsOf(state)).toMatchObject([
    { id: 's', isError: false, text: '<<Stored.>>' },
    { id: 'a', isError: false, text: '<<Click Notes>>' },
    { id: 'b', isError: true, text: expect.stringMatching(/^Not executed: <<The browser was lost/) },
  ]);
});

test('get_page_text answers with the text of the page, or that it was not read', () => {
  const calls = [
    aCall('a', 'navigate', { url: 'https://shop.test/rope' }, { toolset: 'browser' }),
    aCall('t', 'get_page_text', {}, { toolset: 'browser' }),
  ];
  const answer = parseAnswer(
    { text: '', calls: [], native: { tool: 'browser_toolset_20260801', blocks: [], calls } },
    { surface: 'browser', focused: null, image: screenshot(1), secrets: [] },
  );
  const textAfter = (observation: typeof page) => {
    const seenPage = { kind: 'observed', observation, screenshot: screenshot(50) } as const;
    const state = reduceAll(thinkingState(), { kind: 'modelAnswered', answer }, acted(), seenPage);
    return resultsOf(reduceAll(state, seenPage)).at(-1)?.text;
  };
  expect(textAfter({ ...page, text: { text: 'Rope, 4 EUR', length: 11 } })).toBe('<<Rope, 4 EUR>>');
  expect(textAfter(page)).toMatch(/was not read/);
});
