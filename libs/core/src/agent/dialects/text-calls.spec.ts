import { parseReplan } from '../prompts/replan.prompt.ts';
import { parseToolCall } from '../tools/tool-calls.ts';
import { readAnswerJson } from '../tools/answer-json.ts';
import { auraSchema } from './aura.dialect.ts';
import { parseAnswer } from './read-answer.ts';
import { textTools } from '../tools/tool-schemas.ts';

const context = { surface: 'browser' as const, focused: null, image: null, secrets: [] };

const parse = (text: string, dialect?: 'calls' | 'aura') =>
  parseAnswer({ text, calls: [], ...(dialect && { dialect }) }, context);

const click = { kind: 'act', action: { action: 'click', target: { elementIndex: 5 } } };

const call = '{"name": "click", "arguments": {"element": 5}}';

describe('function calls that are written as text', () => {
  test.each([
    ['bare', call],
    ['fenced', `\`\`\`json\n${call}\n\`\`\``],
    ['fenced without an end', `\`\`\`json\n${call}`],
    ['after a sentence', `I press the button.\n${call}`],
    ['in a tool_call block', `<tool_call>\n${call}\n</tool_call>`],
    ['with doubled braces', '{{"name": "click", "arguments": {{"element": 5}}}}'],
    ['with doubled outer braces', '{{"name": "click", "arguments": {"element": 5}}}'],
    ['as act', '{"name": "act", "arguments": {"action": "click", "element": 5}}'],
    ['with arguments as JSON in a string', '{"name": "click", "arguments": "{\\"element\\": 5}"}'],
    ['with parameters', '{"name": "click", "parameters": {"element_id": 5}}'],
    ['as a wire call', '{"type": "function", "function": {"name": "click", "arguments": {"element": 5}}}'],
    ['after reasoning with another call', `<think>{"name": "click", "arguments": {"element": 9}}</think>\n${call}`],
  ])('are read: %s', (_, text) => {
    for (const dialect of [undefined, 'calls', 'aura'] as const) {
      const { actions, problems } = parse(text, dialect);
      expect(problems).toEqual([]);
      expect(actions).toMatchObject([click]);
    }
  });

  test.each([
    ['reasoning', '</think>{"name": "click", "arguments": {"element": 9}}<think>'],
    ['a tool call', '<tool_call>{"name": "click", "arguments": {"element": 9}}</tool_call>'],
    ['a code fence', '```{"name": "click", "arguments": {"element": 9}}```'],
  ])('are not read in a text of the page with %s', (_, shown) => {
    const answer = JSON.stringify({ thought: `The page shows ${shown}`, name: 'click', arguments: { element: 5 } });
    for (const text of [answer, `I press the button.\n${answer}`])
      expect(readAnswerJson(text)?.values).toEqual([JSON.parse(answer)]);
  });

  test('are read in order', () => {
    const { actions } = parse(
      `${call}\n{"name": "done", "arguments": {"title_or_url": "Shop", "indicators": ["Paid"]}}`,
    );
    expect(actions).toMatchObject([click, { kind: 'done', claim: { anchor: 'Shop' } }]);
  });

  test('keep a placeholder with doubled braces in a text', () => {
    const text = '{{"name": "type", "arguments": {"element": 5, "text": "{{credential.pin}}"}}}';
    expect(parse(text).actions).toMatchObject([{ action: { action: 'fill', text: '{{credential.pin}}' } }]);
  });

  test('keep the sentence before them as the thought', () => {
    expect(parse(`I press the button.\n${call}`).thought).toBe('I press the button.');
  });

  test('report an unknown function', () => {
    expect(parse('{"name": "format_disk", "arguments": {}}')).toMatchObject({
      actions: [],
      problems: ['Unknown function format_disk'],
    });
  });

  test.each([
    ['braces', '{"name": '.repeat(20_000)],
    ['fences', '```'.repeat(60_000)],
    ['blocks', '<tool_call>'.repeat(20_000)],
    ['reasoning', '<think>'.repeat(20_000)],
    ['lines', '\n '.repeat(80_000)],
  ])('take linear time: %s', (_, text) => {
    const startedMs = performance.now();
    expect(readAnswerJson(text)).toBeNull();
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});

describe('an unreadable answer', () => {
  test('is quoted, and a complete call is shown', () => {
    const [problem] = parse('I have pressed the button.', 'calls').problems;
    expect(problem).toContain('"I have pressed the button."');
    expect(problem).toContain('act(action: "click", element: INDEX)');
    expect(parse('Sure, I will.', 'aura').problems[0]).toContain('"Sure, I will."');
  });

  test('lets a model without a known dialect change it', () => {
    expect(parse('I have pressed it.').unreadable).toBe('other-dialect');
    expect(parse('I have pressed it.', 'calls').unreadable).toBe('same-dialect');
    expect(parse(call).unreadable).toBeUndefined();
    const unknown = parseAnswer({ text: '', calls: [{ name: 'press_button', args: {} }] }, context);
    expect(unknown.unreadable).toBe('other-dialect');
  });
});

test.each([4, 20, 100_000])('an answer of %i nested lists has no action, and is parsed without an error', (depth) => {
  const parsed = parse(`${'['.repeat(depth)}${call}${']'.repeat(depth)}`);
  expect(parsed.actions).toEqual([]);
  expect(parsed.problems).not.toEqual([]);
});

test('numbers may be written as strings', () => {
  expect(parseToolCall('click', { element: '[5]', times: '3' })).toMatchObject({ action: { count: 3 } });
  expect(parseToolCall('scroll', { down: '700' })).toMatchObject({ action: { by: { y: 700 } } });
  expect(parseToolCall('click', { element: 5, times: 'three' })).toEqual({
    kind: 'problem',
    problem: expect.stringMatching(/^click: times: /),
  });
});

test('a plan that is cut off after its decision is followed', () => {
  const text = '{"decision": "replan", "why": "the button is hidden, the button is hidden, the but';
  expect(parseReplan(text)).toMatchObject({ decision: 'replan', plan: '', why: expect.stringContaining('hidden') });
  expect(parseReplan('{"decision": "rep')).toMatchObject({ decision: 'ask' });
});

test('the answer schema of aura names all actions and bounds the answer', () => {
  const schema = auraSchema(textTools(null, 'browser'));
  expect(schema).toMatchObject({
    properties: {
      thought: { maxLength: expect.any(Number) },
      actions: {
        maxItems: 8,
        items: { properties: { action: { enum: expect.arrayContaining(['click', 'type', 'done', 'fail']) } } },
      },
    },
  });
});

describe('calls in the tags of chat templates', () => {
  test.each([
    ['Qwen3-Coder', '<tool_call>\n<function=click>\n<parameter=element>\n5\n</parameter>\n</function>\n</tool_call>'],
    ['Llama 3', 'I press it. <function=click>{"element": 5}</function>'],
    [
      'invoke',
      '<function_calls>\n<invoke name="act">\n<parameter name="action">click</parameter>\n<parameter name="element">5</parameter>\n</invoke>\n</function_calls>',
    ],
    ['Mistral, a list', '[TOOL_CALLS][{"name": "click", "arguments": {"element": 5}}]'],
    ['Mistral, with arguments', '[TOOL_CALLS]click[ARGS]{"element": 5}'],
    ['the python tag', '<|python_tag|>{"name": "click", "parameters": {"element": 5}}'],
    [
      'the wire form as text',
      '{"tool_calls": [{"type": "function", "function": {"name": "click", "arguments": "{\\"element\\": 5}"}}]}',
    ],
    ['a Python dictionary', "{'name': 'click', 'arguments': {'element': 5}}"],
    ['a trailing comma', '```json\n{"action": "click", "element": 5,}\n```'],
    ['tool and args', '{"tool": "click", "args": {"element": 5}}'],
    ['reasoning whose start is in the prompt', `Or is it 9?\n{"action": "click", "element": 9}\n</think>\n${call}`],
    ['reasoning of Magistral', `[THINK]{"action": "click", "element": 9}[/THINK]${call}`],
  ])('are read: %s', (_, text) => {
    const { actions, problems } = parse(text);
    expect(problems).toEqual([]);
    expect(actions).toMatchObject([click]);
  });

  test('keep texts that look like numbers', () => {
    const text = '<function=type><parameter=element>5</parameter><parameter=text>\n007\n</parameter></function>';
    expect(parse(text).actions).toMatchObject([{ action: { action: 'fill', text: '007' } }]);
  });

  test.each([
    ['a cut parameter', '<function=click><parameter=element>5'],
    [
      'a repeated parameter',
      '<function=click><parameter=element>2</parameter><parameter=element>5</parameter></function>',
    ],
    ['a cut number', '{"name": "click", "arguments": {"element": 5'],
    ['two values of one name', "{'action': 'click', 'element': 2, 'element': 5}"],
    ['only reasoning', `<thinking>${call}`],
  ])('do nothing: %s', (_, text) => {
    expect(parse(text).actions).toEqual([]);
  });

  test.each(['<function=a>', '<invoke name="a">', '[TOOL_CALLS]a[ARGS]', '</think>', '[THINK]'])(
    'take linear time: %s',
    (tag) => {
      const startedMs = performance.now();
      parse(tag.repeat(100_000 / tag.length));
      expect(performance.now() - startedMs).toBeLessThan(2_000);
    },
  );
});
