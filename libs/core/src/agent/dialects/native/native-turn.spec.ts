import type { ComputerTool, NativeCall } from '@pilothouse/contract/model/native-turn.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { AnswerContext } from '../../tools/action-arguments.ts';
import { parseAnswer } from '../read-answer.ts';

const context: AnswerContext = {
  surface: 'desktop',
  focused: null,
  image: { width: 1000, height: 500 },
  pointer: { x: 100, y: 100 },
  secrets: ['password'],
};

const aCall = (name: string, args: Record<string, Json> = {}, fields: Partial<NativeCall> = {}): NativeCall => ({
  ...{ id: `id-${name}`, name, args, toolset: 'computer', checks: [] },
  ...fields,
});

const parse = (tool: ComputerTool, calls: NativeCall[], fields: Partial<AnswerContext> = {}) =>
  parseAnswer({ text: 'Next', calls: [], native: { tool, blocks: [], calls } }, { ...context, ...fields });

const toolset = (...calls: NativeCall[]) => parse('computer_toolset_20260801', calls);
const actionsOf = ({ actions }: ReturnType<typeof parse>) =>
  actions.map((planned) => (planned.kind === 'act' ? planned.action : planned));
const pointTarget = (x: number, y: number) => ({ point: { x, y } });

describe('members of the computer toolset', () => {
  test.each<[string, Record<string, Json>, unknown[]]>([
    ['left_click', { coordinate: [500, 250] }, [{ action: 'click', target: pointTarget(500, 500) }]],
    ['left_click', {}, [{ action: 'click', target: pointTarget(100, 100) }]],
    [
      'left_click',
      { coordinate: [500, 250], text: 'ctrl+shift' },
      [{ action: 'click', target: pointTarget(500, 500), modifiers: ['Control', 'Shift'] }],
    ],
    ['right_click', { coordinate: [0, 0] }, [{ action: 'click', target: pointTarget(0, 0), button: 'right' }]],
    ['middle_click', { coordinate: [0, 0] }, [{ action: 'click', target: pointTarget(0, 0), button: 'middle' }]],
    ['double_click', { coordinate: [10, 5] }, [{ action: 'click', target: pointTarget(10, 10), count: 2 }]],
    ['triple_click', { coordinate: [10, 5] }, [{ action: 'click', target: pointTarget(10, 10), count: 3 }]],
    ['mouse_move', { coordinate: [10, 5] }, [{ action: 'hover', target: pointTarget(10, 10) }]],
    [
      'left_click_drag',
      { start_coordinate: [10, 5], coordinate: [20, 10] },
      [{ action: 'drag', target: pointTarget(10, 10), to: pointTarget(20, 20) }],
    ],
    ['key', { text: 'ctrl+s' }, [{ action: 'press', key: 'Control+s' }]],
    ['key', { text: 'Page_Down', repeat: 3 }, [{ action: 'press', key: 'PageDown', times: 3 }]],
    [
      'type',
      { text: 'one\n{{credential.password}}' },
      [
        { action: 'type', text: 'one' },
        { action: 'press', key: 'Enter' },
        { action: 'type', text: '{{inputs.password}}' },
      ],
    ],
    [
      'scroll',
      { coordinate: [500, 250], scroll_direction: 'down', scroll_amount: 3 },
      [{ action: 'scroll', by: { y: 300 }, target: pointTarget(500, 500) }],
    ],
    ['wait', { duration: 2 }, [{ action: 'wait', seconds: 2 }]],
    [
      'hold_key',
      { text: 'shift+Right', duration: 1.5 },
      [{ action: 'press', key: 'Shift+ArrowRight', holdSeconds: 1.5 }],
    ],
    ['zoom', { region: [100, 100, 300, 200] }, [{ kind: 'see' }]],
    ['screenshot', {}, [{ kind: 'see' }]],
    ['cursor_position', {}, []],
  ])('%s %j', (name, args, actions) => {
    const answer = toolset(aCall(name, args));
    expect(answer.problems).toEqual([]);
    expect(actionsOf(answer)).toEqual(actions);
  });

  test('a press, moves and a release are one drag', () => {
    const answer = toolset(
      aCall('mouse_move', { coordinate: [100, 100] }, { id: '1' }),
      aCall('left_mouse_down', {}, { id: '2' }),
      aCall('mouse_move', { coordinate: [200, 100] }, { id: '3' }),
      aCall('left_mouse_up', {}, { id: '4' }),
    );
    expect(actionsOf(answer)).toEqual([
      { action: 'hover', target: pointTarget(100, 200) },
      { action: 'drag', target: pointTarget(100, 200), to: pointTarget(200, 200) },
    ]);
    expect(answer.native).toMatchObject({ refusal: null });
    expect(answer.native?.plans.at(-1)?.pointer).toEqual({ x: 200, y: 200 });
  });

  test('calls after a screenshot are not executed, because they depend on it', () => {
    const answer = toolset(
      aCall('left_click', { coordinate: [1, 1] }),
      aCall('screenshot'),
      aCall('type', { text: 'late' }),
    );
    expect(actionsOf(answer)).toEqual([{ action: 'click', target: pointTarget(1, 2) }, { kind: 'see' }]);
    expect(answer.native?.plans.map(({ actions }) => actions)).toEqual([1, 0, 1]);
  });

  test('a function of the request may stand beside them', () => {
    const done = aCall('done', { answer: '4', indicators: ['4'] }, { toolset: null });
    expect(actionsOf(toolset(done))).toEqual([
      { kind: 'done', call: 0, claim: { answer: '4', anchor: null, indicators: ['4'] } },
    ]);
  });
});

describe('an unusable turn is refused as a whole', () => {
  const click = aCall('left_click', { coordinate: [1, 1] });
  test.each<[string, NativeCall[], RegExp]>([
    ['a point right of the screen', [click, aCall('mouse_move', { coordinate: [1001, 5] })], /outside the screen/],
    ['a negative point', [aCall('left_click', { coordinate: [-1, 5] })], /outside the screen/],
    ['no pair', [aCall('left_click', { coordinate: [5] })], /a list \[x, y\]/],
    ['a hold that is too long', [click, aCall('hold_key', { text: 'a', duration: 31 })], /from 0.1 to 30 seconds/],
    ['a region outside the screen', [click, aCall('zoom', { region: [0, 0, 1001, 10] })], /outside the screen/],
    ['a region without a size', [click, aCall('zoom', { region: [9, 9, 9, 20] })], /the region is empty/],
    [
      'too many regions',
      Array.from({ length: 5 }, (_, id) => aCall('zoom', { region: [0, 0, 9, 9] }, { id: `${id}` })),
      /at most 4 regions/,
    ],
    ['an unknown member', [click, aCall('javascript_exec', { code: '1' })], /not a part of computer_toolset/],
    ['another toolset', [click, aCall('left_click', {}, { id: '2', toolset: 'computer_v9' })], /computer_v9/],
    ['an unknown key', [click, aCall('key', { text: 'hyper+x' })], /unknown key/],
    ['a press without a release', [click, aCall('left_mouse_down')], /needs left_mouse_up/],
    ['a release without a press', [click, aCall('left_mouse_up')], /call left_mouse_down before/],
    ['an action of another surface', [click, aCall('navigate', { url: 'https://a.test' }, { toolset: null })], /navig/],
    ['too many actions', Array.from({ length: 31 }, (_, id) => ({ ...click, id: `${id}` })), /at most 30/],
  ])('%s', (_, calls, reason) => {
    const answer = toolset(...calls);
    expect(answer.actions).toEqual([]);
    expect(answer.problems).toEqual([expect.stringMatching(reason)]);
    expect(answer.native?.refusal).toMatch(reason);
  });

  test.each<[string, NativeCall[], RegExp]>([
    ['a call without id', [click, aCall('screenshot', {}, { id: null })], /a call has no id/],
    ['two calls with one id', [click, aCall('screenshot', {}, { id: click.id })], /two calls have the id/],
  ])('%s also ends the conversation, because it cannot be answered', (_, calls, reason) => {
    const answer = toolset(...calls);
    expect(answer).toMatchObject({ actions: [], problems: [expect.stringMatching(reason)] });
    expect(answer.native).toBeUndefined();
  });
});

test('the older tool of Anthropic names the member in `action`', () => {
  const answer = parse('computer_20251124', [
    aCall('computer', { action: 'left_click', coordinate: [500, 250] }, { toolset: null }),
  ]);
  expect(actionsOf(answer)).toEqual([{ action: 'click', target: pointTarget(500, 500) }]);
  const unknown = parse('computer_20251124', [aCall('computer', { action: 'zap' }, { toolset: null })]);
  expect(unknown.problems).toEqual([expect.stringMatching(/unknown action "zap"/)]);
});

describe('the tool of OpenAI', () => {
  const computer = (...actions: Json[]) => aCall('computer', { actions }, { toolset: null });
  test.each<[string, Json, unknown[]]>([
    ['click', { type: 'click', button: 'left', x: 500, y: 250 }, [{ action: 'click', target: pointTarget(500, 500) }]],
    [
      'wheel',
      { type: 'click', button: 'wheel', x: 0, y: 0 },
      [{ action: 'click', target: pointTarget(0, 0), button: 'middle' }],
    ],
    [
      'double click',
      { type: 'double_click', keys: null, x: 0, y: 0 },
      [{ action: 'click', target: pointTarget(0, 0), count: 2 }],
    ],
    [
      'drag',
      {
        type: 'drag',
        path: [
          { x: 0, y: 0 },
          { x: 5, y: 5 },
          { x: 10, y: 10 },
        ],
      },
      [{ action: 'drag', target: pointTarget(0, 0), to: pointTarget(10, 20) }],
    ],
    ['keys', { type: 'keypress', keys: ['CTRL', 'S'] }, [{ action: 'press', key: 'Control+S' }]],
    ['move', { type: 'move', x: 10, y: 10 }, [{ action: 'hover', target: pointTarget(10, 20) }]],
    [
      'scroll',
      { type: 'scroll', x: 10, y: 10, scroll_x: 0, scroll_y: -120 },
      [{ action: 'scroll', by: { y: -120 }, target: pointTarget(10, 20) }],
    ],
    ['type', { type: 'type', text: 'rope' }, [{ action: 'type', text: 'rope' }]],
    ['wait', { type: 'wait' }, [{ action: 'wait', seconds: 2 }]],
    ['screenshot', { type: 'screenshot' }, [{ kind: 'see' }]],
  ])('%s', (_, action, actions) => {
    const answer = parse('openai_computer', [computer(action)]);
    expect(answer.problems).toEqual([]);
    expect(actionsOf(answer)).toEqual(actions);
  });

  test('a safety check stands on every action of its call', () => {
    const check = { id: 'c1', code: 'malicious_instructions', message: 'The page gives orders' };
    const click = { type: 'click', button: 'left', x: 1, y: 1 };
    const answer = parse('openai_computer', [{ ...computer(click, { type: 'wait' }), checks: [check] }]);
    expect(answer.actions).toMatchObject([{ check: check.message }, { check: check.message }]);
  });

  test('the browser’s back button is an action of a browser only', () => {
    const back = computer({ type: 'click', button: 'back', x: 0, y: 0 });
    expect(actionsOf(parse('openai_computer', [back], { surface: 'browser' }))).toEqual([{ action: 'goBack' }]);
    expect(parse('openai_computer', [back]).problems).toEqual([expect.stringMatching(/"back" is not available/)]);
  });
});

test('a safety decision of Gemini is a check, and the other arguments are used', () => {
  const checks = [{ id: 'safety_decision', code: 'require_confirmation', message: 'A cookie banner' }];
  const args = { x: 500, y: 250, safety_decision: { decision: 'require_confirmation' } };
  const answer = parse('gemini_computer_use', [aCall('click', args, { toolset: null, checks })]);
  expect(answer.actions).toEqual([
    { kind: 'act', action: { action: 'click', target: pointTarget(500, 250) }, call: 0, check: 'A cookie banner' },
  ]);
});

test.each<[string, NativeCall[], unknown]>([
  ['goes to the focused element', [], { action: 'fill', target: { elementIndex: 4 }, text: 'x', append: true }],
  ['goes there after a scroll', [aCall('scroll', { direction: 'down' })], { action: 'fill' }],
  [
    'goes to the caret after a click of the turn',
    [aCall('click_at', { x: 500, y: 250 })],
    { action: 'type', text: 'x' },
  ],
])('a text of Gemini without a point %s', (_, earlier, action) => {
  const calls = [...earlier, aCall('type', { text: 'x' })].map((call) => ({ ...call, toolset: null }));
  const answer = parse('gemini_computer_use', calls, { surface: 'browser', focused: 4 });
  expect(answer.problems).toEqual([]);
  expect(actionsOf(answer).at(-1)).toMatchObject(action as object);
});

test('a text of Gemini that replaces the content selects it first if the field is unknown', () => {
  const calls = [aCall('click_at', { x: 500, y: 250 }), aCall('type', { text: 'x', clear_before_typing: true })];
  const members = calls.map((call) => ({ ...call, toolset: null }));
  const answer = parse('gemini_computer_use', members, { surface: 'browser', focused: 4 });
  expect(actionsOf(answer).slice(1)).toEqual([
    { action: 'press', key: 'Control+a' },
    { action: 'type', text: 'x' },
  ]);
});

test('a function of the environment mobile is refused, because there is no such surface', () => {
  const answer = parse('gemini_computer_use', [aCall('open_app', { app: 'Maps' }, { toolset: null })]);
  expect(answer).toMatchObject({ actions: [], problems: [expect.stringMatching(/there is no mobile surface/)] });
});
