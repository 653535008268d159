import { actionSchema } from '@pilothouse/contract/actions/action-sets';
import { dialects, type Dialect, type ModelCall, type ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { anElement, aPage } from '@pilothouse/testing/agent-builders';
import type { PlannedAction } from '../planned-action.ts';
import { visionTools, textTools } from '../tools/tool-schemas.ts';
import { toTextDialectRequest, type TextDialect } from '../prompts/text-dialect-request.ts';
import { parseAnswer } from './read-answer.ts';
import { focusOf, type AnswerContext } from '../tools/action-arguments.ts';
import { parseUiTars } from './ui-tars.dialect.ts';
import { parseEchoPrism } from './echo-prism.dialect.ts';
import { parseDeskPilot } from './deskpilot.dialect.ts';
import { parseAura } from './aura.dialect.ts';
import { parseFunctionCalls } from './answer-parts.ts';

const answerContext: AnswerContext = {
  surface: 'browser',
  focused: 4,
  image: { width: 2800, height: 1400 },
  secrets: ['password', 'pin'],
};
const readText = (text: string, context = answerContext) => parseAnswer({ text, calls: [] }, context);
const call = (name: string, args: ModelCall['args']) =>
  parseAnswer({ text: '', calls: [{ name, args }] }, answerContext);
const pointTarget = (x: number, y: number) => ({ point: { x, y } });
const toActions = (plannedActions: readonly PlannedAction[]) =>
  plannedActions.map((planned) => (planned.kind === 'act' ? planned.action : planned));

describe('parsing of answers', () => {
  test.each<[string, string, unknown[]]>([
    [
      'EchoPrism',
      'Thought: The button.\nAction: Click(500, 300)',
      [{ action: 'click', target: pointTarget(500, 300) }],
    ],
    [
      'EchoPrism',
      'Thought: x\nAction: RightClick(1, 2)',
      [{ action: 'click', target: pointTarget(1, 2), button: 'right' }],
    ],
    [
      'EchoPrism',
      'Action: Type("rope, 8 mm")',
      [{ action: 'fill', target: { elementIndex: 4 }, text: 'rope, 8 mm', append: true }],
    ],
    ['EchoPrism', 'Action: Hotkey(ctrl, shift, t)', [{ action: 'press', key: 'Control+Shift+t' }]],
    [
      'EchoPrism',
      'Action: Scroll(500, 500, down)',
      [{ action: 'scroll', target: pointTarget(500, 500), by: { y: 500 } }],
    ],
    [
      'EchoPrism',
      'Action: SelectOption("#size", "L")',
      [{ action: 'selectOption', target: { css: '#size' }, option: 'L' }],
    ],
    ['EchoPrism', 'Action: Navigate(https://a.test/?q=1)', [{ action: 'navigate', url: 'https://a.test/?q=1' }]],
    [
      'EchoPrism',
      'Thought: It costs 4.\nAction: Finished()',
      [{ kind: 'done', claim: { answer: 'It costs 4.', anchor: null, indicators: [] } }],
    ],
    ['EchoPrism', 'Thought: Which one?\nAction: CallUser()', [{ kind: 'ask', question: 'Which one?' }]],
    [
      'DeskPilot',
      'BROWSER_NAVIGATE("https://a.test");BROWSER_TYPE(3, "a; b");BROWSER_CLICK(element_index=8)',
      [
        { action: 'navigate', url: 'https://a.test' },
        { action: 'fill', target: { elementIndex: 3 }, text: 'a; b' },
        { action: 'click', target: { elementIndex: 8 } },
      ],
    ],
    ['DeskPilot', 'PRESS_KEY(enter)', [{ action: 'press', key: 'Enter' }]],
    ['DeskPilot', 'DONE("4 EUR")', [{ kind: 'done', claim: { answer: '4 EUR', anchor: null, indicators: [] } }]],
    ['DeskPilot', 'FAIL(sold out)', [{ kind: 'fail', reason: 'sold out' }]],
    ['AURA', '{"action":"click","element_id":5}', [{ action: 'click', target: { elementIndex: 5 } }]],
    [
      'AURA',
      '```json\n{"thought":"t","actions":[{"action":"type","element_id":2,"text":"x"},{"action":"goto","url":"https://a.test"}]}\n```',
      [
        { action: 'fill', target: { elementIndex: 2 }, text: 'x' },
        { action: 'navigate', url: 'https://a.test' },
      ],
    ],
    [
      'UI-TARS',
      "Thought: t\nAction: click(start_box='<|box_start|>(250,500)<|box_end|>')",
      [{ action: 'click', target: pointTarget(250, 500) }],
    ],
    [
      'UI-TARS',
      "Action: drag(start_box='(0,0)', end_box='(10,20)')",
      [{ action: 'drag', target: pointTarget(0, 0), to: pointTarget(10, 20) }],
    ],
    [
      'UI-TARS 1.5',
      "Thought: t\nAction: click(point='<point>700 700</point>')",
      [{ action: 'click', target: pointTarget(250, 500) }],
    ],
    [
      'UI-TARS 1.5',
      "Action: type(content='rope\\n')",
      [
        { action: 'fill', target: { elementIndex: 4 }, text: 'rope', append: true },
        { action: 'press', key: 'Enter', target: { elementIndex: 4 } },
      ],
    ],
    ['UI-TARS 1.5', "Action: hotkey(key='ctrl c')", [{ action: 'press', key: 'Control+c' }]],
    [
      'UI-TARS 1.5',
      "Action: scroll(point='<point>1400 700</point>', direction='up')",
      [{ action: 'scroll', target: pointTarget(500, 500), by: { y: -500 } }],
    ],
    [
      'UI-TARS 1.5',
      "Thought: t\nAction: finished(content='4')",
      [{ kind: 'done', claim: { answer: '4', anchor: null, indicators: [] } }],
    ],
    ['UI-TARS 1.5', 'Thought: Log me in\nAction: call_user()', [{ kind: 'ask', question: 'Log me in' }]],
    ['UI-TARS on a phone', 'Thought: Back\nAction: press_back()', [{ action: 'goBack' }]],
    [
      'UI-TARS on a phone',
      "Thought: The mail\nAction: open_app(app_name='Harbour Mail')",
      [{ action: 'switchTab', title: 'Harbour Mail' }],
    ],
    [
      'EchoPrism on a desktop',
      'Thought: The mail\nAction: FocusApp("mail.harbour.test/in")',
      [{ action: 'switchTab', url: 'mail.harbour.test/in' }],
    ],
    // The browser is always in front.
    ['EchoPrism on a desktop', 'Thought: Go\nAction: OpenApp("Google Chrome")', [{ action: 'wait', seconds: 0 }]],
  ])('%s: %s', (_, text, expected) => {
    const { actions, problems } = readText(text);
    expect(problems).toEqual([]);
    expect(toActions(actions)).toEqual(expected);
  });

  test.each<[string, ModelCall['args'], unknown[]]>([
    ['click', { element: 3, button: 'right' }, [{ action: 'click', target: { elementIndex: 3 }, button: 'right' }]],
    ['click', { element: '[3]', count: null }, [{ action: 'click', target: { elementIndex: 3 } }]],
    [
      'type',
      { element: 3, text: '{{inputs.password}}' },
      [{ action: 'fill', target: { elementIndex: 3 }, text: '{{inputs.password}}' }],
    ],
    [
      'act',
      { action: 'type', element: 3, text: 'PIN {{ credential.pin }}' },
      [{ action: 'fill', target: { elementIndex: 3 }, text: 'PIN {{inputs.pin}}' }],
    ],
    // The run has no secret of this name.
    [
      'act',
      { action: 'type', element: 3, text: '{{credential.otp}}' },
      [{ action: 'fill', target: { elementIndex: 3 }, text: '{{credential.otp}}' }],
    ],
    ['waitFor', { text: 'Saved' }, [{ action: 'waitFor', condition: { text: 'Saved' } }]],
    ['drag', { element: 1, to_element: 2 }, [{ action: 'drag', target: { elementIndex: 1 }, to: { elementIndex: 2 } }]],
    ['scroll', { to: 'bottom' }, [{ action: 'scroll', to: 'bottom' }]],
    ['press', { key: 'Escape' }, [{ action: 'press', key: 'Escape' }]],
    ['read_page', {}, [{ kind: 'read' }]],
    ['act', { action: 'read_page', element: 0 }, [{ kind: 'read' }]],
    ['act', { action: 'see_page' }, [{ kind: 'see' }]],
    ['act', { action: 'analyze_visual', text: 'Which color?' }, [{ kind: 'analyse', question: 'Which color?' }]],
    ['act', { action: 'analyze_visual' }, [{ kind: 'analyse', question: null }]],
    [
      'act',
      { action: 'analyze_visual', element: 3 },
      [{ kind: 'analyse', question: expect.stringContaining('Describe element [3]') }],
    ],
    ['act', { action: 'scroll_to_result', text: 'Total' }, [{ action: 'scroll', target: { text: 'Total', nth: 0 } }]],
    ['act', { action: 'store_data', key: 'total', text: '4.50' }, [{ kind: 'store', key: 'total', value: '4.50' }]],
    ['act', { action: 'needs_replan', text: 'No way' }, [{ kind: 'replan', reason: 'No way' }]],
    ['act', { action: 'click', element: 3, times: 2 }, [{ action: 'click', target: { elementIndex: 3 }, count: 2 }]],
    [
      'act',
      { action: 'scroll', element: 3, down: -200, right: 0 },
      [{ action: 'scroll', target: { elementIndex: 3 }, by: { y: -200 } }],
    ],
    ['act', { action: 'type', text: 'x' }, [{ action: 'type', text: 'x' }]],
    [
      'act',
      { action: 'drag', element: 3, to_element: 4, position: { x: 5, y: 6 } },
      [{ action: 'drag', target: { elementIndex: 3 }, to: { elementIndex: 4 }, position: { x: 5, y: 6 } }],
    ],
    ['act', { action: 'type', element: 3, text: '' }, [{ action: 'fill', target: { elementIndex: 3 }, text: '' }]],
    [
      'act',
      { action: 'select', element: 3, option: ['North 2'] },
      [{ action: 'selectOption', target: { elementIndex: 3 }, option: 'North 2' }],
    ],
    [
      'act',
      { action: 'navigate', url: '/cart', element: 0, text: '', append: false, option: [], times: 0 },
      [{ action: 'navigate', url: '/cart' }],
    ],
    [
      'done',
      { answer: '4', title_or_url: 'Cart', indicators: ['Total'] },
      [{ kind: 'done', claim: { answer: '4', anchor: 'Cart', indicators: ['Total'] } }],
    ],
    ['click', { x: 10, y: 20 }, [{ action: 'click', target: pointTarget(10, 20) }]],
    ['click_at', { x: 10, y: 20 }, [{ action: 'click', target: pointTarget(10, 20) }]],
    [
      'type_text_at',
      { x: 1, y: 2, text: 'a', press_enter: true, clear_before_typing: true },
      [
        { action: 'fill', target: pointTarget(1, 2), text: 'a' },
        { action: 'press', key: 'Enter', target: pointTarget(1, 2) },
      ],
    ],
    ['key_combination', { keys: 'control+a' }, [{ action: 'press', key: 'Control+a' }]],
    ['hotkey', { keys: ['Control', 'Shift', 'P'] }, [{ action: 'press', key: 'Control+Shift+P' }]],
    ['scroll_document', { direction: 'down' }, [{ action: 'scroll', by: { y: 500 } }]],
    [
      'drag_and_drop',
      { x: 1, y: 2, destination_x: 3, destination_y: 4 },
      [{ action: 'drag', target: pointTarget(1, 2), to: pointTarget(3, 4) }],
    ],
    ['go_back', {}, [{ action: 'goBack' }]],
    ['wait_5_seconds', {}, [{ action: 'wait', seconds: 5 }]],
    [
      'click_at',
      { x: 1, y: 2, safety_decision: { decision: 'require_confirmation', explanation: 'It pays.' } },
      [{ kind: 'ask', question: 'Allow this action (click_at)? It pays.' }],
    ],
  ])('call %s %j', (name, args, expected) => {
    const { actions, problems } = call(name, args);
    expect(problems).toEqual([]);
    expect(toActions(actions)).toEqual(expected);
  });

  test.each<[string, ModelCall['args'], string]>([
    ['click', {}, 'click: missing `element`'],
    ['click', { element: 3, modifiers: ['Shift'] }, 'click does not accept modifiers'],
    ['type', { element: 3 }, 'type: text'],
    ['wait', { seconds: 500 }, 'at most 30 seconds'],
    ['launch', { missile: 1 }, 'Unknown function launch'],
    ['click_at', { x: 10, y: 2000 }, 'between 0 and 1000'],
    ['ask', {}, 'missing `text`'],
    ['act', { action: 'launch' }, 'act: unknown action "launch"'],
    ['act', { element: 3 }, 'act: unknown action null'],
    ['act', { action: 'act' }, 'act: unknown action "act"'],
    ['act', { action: 'hover', element: 3, text: 'x' }, 'hover does not accept text; it accepts: element'],
  ])('reports an unusable call: %s %j', (name, args, problem) => {
    const { actions, problems } = call(name, args);
    expect(actions).toEqual([]);
    expect(problems.join()).toContain(problem);
  });

  test('drops the actions after a problem', () => {
    const { actions, problems } = readText('BROWSER_CLICK(1);BROWSER_CLICK("x");BROWSER_CLICK(2)');
    expect(actions).toHaveLength(1);
    expect(problems).toHaveLength(1);
  });

  test('keeps at most eight actions', () => {
    const { actions, problems } = readText(
      Array.from({ length: 9 }, (_, index) => `BROWSER_CLICK(${index})`).join(';'),
    );
    expect(actions).toHaveLength(8);
    expect(problems[0]).toContain('At most 8');
  });

  test('rejects pixel coordinates without an image, and text without a focus', () => {
    const blind: AnswerContext = { ...answerContext, focused: null, image: null };
    expect(readText("Action: click(point='<point>5 5</point>')", blind).actions).toEqual([]);
    expect(readText('Action: Type("x")', blind).problems[0]).toContain('no field has the focus');
  });

  test.each(['Action: Type("x")', 'TYPE("x")', "Thought: It is open\nAction: type(content='x')"])(
    'types into a field with the focus that is not in the list: %s',
    (text) => {
      const { index: _index, ...field } = anElement(0, { role: 'textbox', name: '' });
      const focus = focusOf(aPage([], { focus: field }));
      expect(focus).toEqual({ focused: null, hasUnlistedField: true });
      expect(readText(text, { ...answerContext, ...focus }).actions).toEqual([
        { kind: 'act', action: { action: 'type', text: 'x' } },
      ]);
      // A button takes no text.
      const button = focusOf(aPage([], { focus: { ...field, role: 'button' } }));
      expect(readText(text, { ...answerContext, ...button }).problems[0]).toContain('no field has the focus');
    },
  );

  test('finds no action in prose', () => {
    const { actions, problems } = readText('I would click(1, 2) and then BROWSER_CLICK(3).');
    expect(actions).toEqual([]);
    expect(problems).toEqual([expect.stringContaining('The answer contains no action. Call a function.')]);
  });
});

describe('configured dialect', () => {
  const parse = (dialect: Dialect, text: string, context = answerContext) =>
    parseAnswer({ text, calls: [], dialect }, context);

  test('treats UI-TARS 1.5 boxes as pixels of the preprocessed image', () => {
    const text = "Action: click(start_box='(640,406)')";
    const image = { width: 1280, height: 800 };
    expect(toActions(parse('ui-tars', text, { ...answerContext, focused: null, image }).actions)).toEqual([
      { action: 'click', target: pointTarget(640, 406) },
    ]);
    const [planned] = toActions(parse('ui-tars-1.5', text, { ...answerContext, focused: null, image }).actions);
    expect(planned).toMatchObject({ target: { point: { x: expect.closeTo(496.9, 1), y: 500 } } });
    expect(parse('ui-tars-1.5', text, { ...answerContext, focused: null, image: null }).actions).toEqual([]);
  });

  test.each<[Dialect, string]>([
    ['calls', 'Action: Click(500, 300)'],
    ['calls', '{"action": "click", "element": 3}'],
    ['aura', 'BROWSER_CLICK(3)'],
    ['deskpilot', '{"action": "click", "element": 3}'],
    ['echo-prism', "Action: click(start_box='(1,2)')"],
    ['ui-tars', 'Action: Click(1, 2)'],
  ])('%s finds no action in %s', (dialect, text) => {
    expect(readText(text).actions).toHaveLength(1);
    const { actions, problems } = parse(dialect, text);
    expect([actions, problems]).toEqual([[], [expect.any(String)]]);
  });

  test('accepts function calls with every dialect', () => {
    const calls = [{ name: 'click', args: { element: 3 } }];
    for (const dialect of dialects)
      expect(parseAnswer({ text: '', calls, dialect }, answerContext).actions).toHaveLength(1);
  });
});

describe('instructions for models without function calling', () => {
  const tools = [...textTools(null, 'browser'), ...visionTools(null, 'browser').slice(2)];
  const image = { image: { contentType: 'image/jpeg' as const, data: 'Yg==' } };
  const request: ModelRequest = {
    role: 'act',
    prompt: { name: 'spec', version: 1 },
    system: 'The rules.',
    messages: [{ role: 'user', parts: [{ text: 'The goal' }] }],
    tools,
    computer: { surface: 'browser', replaces: ['act'] },
    maxTokens: 5,
  };
  const requestWithImage: ModelRequest = {
    ...request,
    messages: [{ role: 'user', parts: [{ text: 'The goal' }, image] }],
  };
  const toTextRequest = (dialect: TextDialect, modelRequest = requestWithImage) =>
    toTextDialectRequest(modelRequest, dialect);

  test.each<[TextDialect, RegExp]>([
    ['aura', /^The rules\.[^]*"actions": \[[^]*click\(element, times\?, button\?\)[^]*- done: The goal is met/],
    ['deskpilot', /^The rules\.[^]*BROWSER_TYPE\(element_index, "text"\)/],
    ['echo-prism', /Thought:[^]*SelectOption[^]*Treat it as data/],
    [
      'ui-tars',
      /^You are a GUI agent[^]*<\|box_start\|>[^]*Never follow instructions[^]*## User Instruction\nThe goal$/,
    ],
    [
      'ui-tars-1.5',
      /^You are a GUI agent[^]*<point>x1 y1<\/point>[^]*Never follow instructions[^]*## User Instruction\nThe goal$/,
    ],
  ])('%s', (dialect, words) => {
    const { request: textRequest, dialect: usedDialect } = toTextRequest(dialect);
    expect(usedDialect).toBe(dialect);
    expect(Object.keys(textRequest)).toEqual(expect.not.arrayContaining(['tools', 'computer']));
    expect(textRequest).toMatchObject({ role: 'act', prompt: request.prompt, maxTokens: 5 });
    const texts = textRequest.messages.flatMap(({ parts }) =>
      parts.flatMap((part) => ('text' in part ? part.text : [])),
    );
    expect([textRequest.system, ...texts].filter(Boolean).join('\n')).toMatch(words);
    expect(textRequest.messages[0]?.parts.at(-1)).toEqual(image);
  });

  test('contain the answer schema', () => {
    const form = { type: 'object', properties: { sku: { type: 'string' } } };
    const requestWithSchema = { ...requestWithImage, tools: visionTools(form, 'browser') };
    for (const dialect of ['deskpilot', 'echo-prism', 'ui-tars', 'ui-tars-1.5'] as const) {
      expect(JSON.stringify(toTextRequest(dialect, requestWithSchema).request)).toContain(
        JSON.stringify(JSON.stringify(form)).slice(1, -1),
      );
      expect(JSON.stringify(toTextRequest(dialect).request)).not.toContain('JSON');
    }
    const doneActions = [{ kind: 'done', claim: { answer: '{"sku": "A"}', anchor: null, indicators: [] } }];
    const answers = {
      'echo-prism': `Action: Finished('{"sku": "A"}')`,
      'ui-tars': `Action: finished(content='{"sku": "A"}')`,
    };
    for (const [dialect, text] of Object.entries(answers))
      expect(parseAnswer({ text, calls: [], dialect: dialect as Dialect }, answerContext).actions).toEqual(doneActions);
  });

  test('ask for sub-goals in JSON', () => {
    const text = '{"actions": [{"action": "click", "element": 3, "sub_goals": "found, buy it"}]}';
    expect(parseAnswer({ text, calls: [], dialect: 'aura' }, answerContext)).toMatchObject({
      subGoals: 'found, buy it',
      problems: [],
    });
  });

  test('ask for the expected result only if the request does', () => {
    const asksForExpectation = (modelRequest: ModelRequest) =>
      /EXPECT\(|SUB_GOALS\(/.test(toTextRequest('deskpilot', modelRequest).request.system);
    expect(asksForExpectation(request)).toBe(true);
    expect(asksForExpectation({ ...requestWithImage, tools: visionTools(null, 'browser') })).toBe(false);
    const parse = (text: string) => parseAnswer({ text, calls: [], dialect: 'deskpilot' }, answerContext);
    const expects = { anchor: 'Results', indicators: ['mooring rope', '12 found'] };
    const turnCalls = 'EXPECT("Results", "mooring rope", "12 found");SUB_GOALS("done: log in; next: buy")';
    expect(parse(`BROWSER_TYPE(3, "rope");PRESS_KEY("enter");${turnCalls}`)).toMatchObject({
      actions: [{ action: { action: 'fill' } }, { action: { action: 'press' }, expects }],
      problems: [],
      subGoals: 'done: log in; next: buy',
    });
    expect(parse('BROWSER_CLICK(3);EXPECT("", "Welcome")').actions).toMatchObject([
      { expects: { anchor: null, indicators: ['Welcome'] } },
    ]);
    // No expected result: the turn names none, was not parsed, or ends with another kind of action.
    for (const text of ['BROWSER_CLICK(3)', 'BROWSER_CLICK(3);EXPECT("")', 'EXPECT("A");BROWSER_CLICK(3);JUMP()'])
      expect(parse(text).actions).toEqual([{ kind: 'act', action: { action: 'click', target: { elementIndex: 3 } } }]);
    expect(parse('BROWSER_CLICK(3);DONE("4");EXPECT("A")').actions).toEqual([
      { kind: 'act', action: { action: 'click', target: { elementIndex: 3 } } },
      { kind: 'done', claim: { answer: '4', anchor: null, indicators: [] } },
    ]);
    expect(parse(turnCalls)).toMatchObject({ actions: [], problems: [] });
  });

  test('ask a pointing model for JSON if there is no screenshot', () => {
    for (const dialect of dialects)
      if (dialect !== 'calls')
        expect(toTextRequest(dialect, request).dialect).toBe(dialect === 'deskpilot' ? dialect : 'aura');
  });

  test.each<[TextDialect, string]>([
    [
      'aura',
      '{"thought": "t", "actions": [{"action": "click", "element": 3}, {"action": "done", "answer": "4", "title_or_url": "", "indicators": []}]}',
    ],
    ['aura', '{"thought": "t", "actions": [{"action": "click", "x": 5, "y": 6, "what": "a map"}]}'],
    ['aura', '{"action": "needs_replan", "text": "no way"}'],
    ['deskpilot', 'BROWSER_TYPE(3, "mooring rope");PRESS_KEY("enter")'],
    ['echo-prism', 'Thought: t\nAction: Type("a")'],
    [
      'ui-tars',
      String.raw`Thought: t
Action: type(content='it\'s\n')`,
    ],
  ])('match the parser: %s: %s', (dialect, text) => {
    const { actions, problems } = parseAnswer({ text, calls: [], dialect }, answerContext);
    expect(problems).toEqual([]);
    expect(actions.length).toBeGreaterThan(0);
  });
});

describe('tool schemas', () => {
  test('match the contract and the limits of providers', () => {
    const tools = textTools(null, 'browser');
    expect(tools.map(({ name }) => name)).toEqual(['act', 'done']);
    for (const name of ['click', 'type', 'navigate', 'drag', 'upload', 'waitFor', 'read_page', 'fail', 'ask'])
      expect(tools[0]?.parameters).toMatchObject({
        properties: { action: { enum: expect.arrayContaining([name]) } },
        required: ['action'],
      });
    expect(tools[0]?.description).toMatch(
      / click\(element, times\?, button\?\); .* type\(element\?, text, append\?\) without element: at the caret; /,
    );
    for (const { parameters } of tools) {
      expect(parameters).toMatchObject({ type: 'object', properties: expect.any(Object), required: expect.any(Array) });
      expect(JSON.stringify(parameters)).not.toMatch(/\$ref|\$schema/);
    }
  });

  test('contain the requested answer schema', () => {
    const outputs = { type: 'object', properties: { price: { type: 'number' } } };
    const doneTool = textTools(outputs, 'browser').find(({ name }) => name === 'done');
    expect(doneTool?.parameters).toMatchObject({
      properties: { answer: outputs },
      required: expect.arrayContaining(['answer']),
    });
  });
});

/** Seeded random generator (mulberry32), so that failures can be reproduced. */
function random(seed: number) {
  let state = seed;
  return (most: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * (most + 1));
  };
}

describe('fuzzing', () => {
  const words = [
    'Thought:',
    'Action:',
    'Click(',
    'Type(',
    'BROWSER_CLICK(',
    'BROWSER_TYPE(3, "',
    'DONE(',
    'click(',
    "point='<point>",
    '</point>',
    "'",
    '"',
    '\\',
    ')',
    '(',
    ',',
    ';',
    '\n',
    '{',
    '}',
    '[',
    ']',
    '"action":',
    '"click"',
    '"element_id":',
    '5',
    '1001',
    '-3',
    '1e9',
    'NaN',
    'start_box=',
    'null',
    '```json',
    '```',
    'hotkey(key=',
    'ctrl c',
    '😀',
    '\u0000',
    '__proto__',
    'constructor',
    'finished(',
    '<|box_start|>',
    'x'.repeat(500),
  ];
  const readers = [
    ['any', readText],
    ['EchoPrism', (text: string) => parseEchoPrism(text, answerContext)],
    ['UI-TARS', (text: string) => parseUiTars(text, answerContext)],
    ['DeskPilot', (text: string) => parseDeskPilot(text, answerContext)],
    ['AURA', parseAura],
    ...dialects.map(
      (dialect) =>
        [`the entry ${dialect}`, (text: string) => parseAnswer({ text, calls: [], dialect }, answerContext)] as const,
    ),
  ] as const;

  test.each(readers)('%s never throws, and returns only written actions', (_, parse) => {
    for (let seed = 1; seed <= 3000; seed += 1) {
      const randomInt = random(seed);
      const text = Array.from({ length: 1 + randomInt(14) }, () => words[randomInt(words.length - 1)]).join(
        randomInt(1) === 0 ? '' : ' ',
      );
      const { actions } = parse(text);
      for (const planned of actions) {
        if (planned.kind !== 'act') continue;
        expect(actionSchema.safeParse(planned.action).success).toBe(true);
        // Every element index appears in the text, or is the focused element.
        for (const [, index] of JSON.stringify(planned.action).matchAll(/"element":(\d+)/g)) {
          expect(index === '4' || text.includes(index ?? '')).toBe(true);
        }
        expect(/Action:|BROWSER_|"action"|CLICK\(/.test(text)).toBe(true);
      }
    }
  });

  test('accepts calls with arbitrary arguments', () => {
    const names = [
      ...textTools(null, 'browser').map(({ name }) => name),
      'scroll',
      'select',
      'type',
      'click_at',
      'type_text_at',
      'hotkey',
      'key_combination',
      'scroll_at',
      '__proto__',
      'toString',
    ];
    const values: Json[] = [
      null,
      0,
      -1,
      5,
      1e12,
      '',
      '3',
      '[3]',
      'x',
      true,
      [],
      ['a', 'b'],
      {},
      { decision: 'x' },
      'Enter',
      'down',
      'click',
      'select',
      'constructor',
      'a'.repeat(200_000),
    ];
    const fields = [
      'action',
      'element',
      'to_element',
      'x',
      'y',
      'text',
      'keys',
      'key',
      'seconds',
      'direction',
      'safety_decision',
      'option',
      '__proto__',
      'by',
      'answer',
      'indicators',
    ];
    for (let seed = 1; seed <= 3000; seed += 1) {
      const randomInt = random(seed);
      const args = Object.fromEntries(
        Array.from({ length: randomInt(5) }, () => [
          fields[randomInt(fields.length - 1)] ?? '',
          values[randomInt(values.length - 1)] ?? null,
        ]),
      );
      const { actions } = parseFunctionCalls(
        '',
        [{ name: names[randomInt(names.length - 1)] ?? '', args }],
        answerContext,
      );
      for (const planned of actions)
        if (planned.kind === 'act') expect(actionSchema.safeParse(planned.action).success).toBe(true);
    }
  });
});
