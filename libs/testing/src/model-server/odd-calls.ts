import {
  chunk,
  completion,
  goodMessage,
  json,
  sse,
  usageChunk,
  wireCall,
  type OddCase,
  type OddCases,
} from './odd-wire.ts';

/* Calls and messages in unusual forms, of servers without a parser for their model, and of old or careless servers. */

const always = Infinity;

/** A message that is the same for every request. */
const fixed = (message: object, finish: string | null = 'stop', calls = always): OddCase => ({
  calls,
  answer: (_, response) => json(response, 200, completion(message, finish)),
});

const withArguments = (args: string): OddCase => fixed({ tool_calls: [wireCall('act', args)] }, 'tool_calls');

const asText = (content: string): OddCase => fixed({ content });

/** A stream of deltas. */
const streamed = (...deltas: readonly object[]): OddCase => ({
  calls: always,
  answer: (_, response) => sse(response, [...deltas, usageChunk]),
});

const callDelta = (call: object, finish: string | null = null) => chunk({ tool_calls: [call] }, finish);

const clickArgs = { action: 'click', element: 5, times: 3 };
const click = (times: number, id: string) => wireCall('act', { action: 'click', element: 5, times }, id);
const named = JSON.stringify({ name: 'act', arguments: clickArgs });
const draft = JSON.stringify({ name: 'act', arguments: { action: 'click', element: 9 } });

const { name, arguments: args } = wireCall('act', clickArgs).function;

export const oddCalls: OddCases = {
  noids: fixed({ tool_calls: [click(2, ''), click(1, '')].map(({ id: _, ...call }) => call) }, 'tool_calls'),
  sameids: fixed({ tool_calls: [click(2, 'c1'), click(1, 'c1')] }, 'tool_calls'),
  functioncall: fixed({ function_call: { name, arguments: args } }, 'function_call'),
  nullcalls: fixed({ content: named, tool_calls: null, function_call: null, refusal: null, audio: null }),
  callsobject: fixed({ tool_calls: click(3, 'c1') }, 'tool_calls'),
  trailingcomma: withArguments('{"action": "click", "element": 5, "times": 3,}'),
  pythonargs: withArguments("{'action': 'click', 'element': 5, 'times': 3, 'sub_goals': None}"),
  barenames: withArguments('{action: "click", element: 5, times: 3}'),
  rawlinebreak: withArguments('{"action": "click", "element": 5, "times": 3, "sub_goals": "done: a\nnext: b"}'),
  cutargs: withArguments('{"action": "click", "element": 5, "times": 3'),
  gluedargs: withArguments('{"action": "click", "element": 5}{"action": "click", "element": 9}'),
  nulcharacter: fixed({ content: 'I press\u0000 Count \ud83d', tool_calls: [click(3, 'c1')] }, 'tool_calls'),
  xmlcall: asText(
    '<tool_call>\n<function=act>\n<parameter=action>\nclick\n</parameter>\n<parameter=element>\n5\n</parameter>\n<parameter=times>\n3\n</parameter>\n</function>\n</tool_call>',
  ),
  xmlcut: asText('<function=act>\n<parameter=action>\nclick\n</parameter>\n<parameter=element>\n5'),
  llamacall: asText(`<function=act>${JSON.stringify(clickArgs)}</function>`),
  invokecall: asText(
    '<invoke name="act"><parameter name="action">click</parameter><parameter name="element">5</parameter><parameter name="times">3</parameter></invoke>',
  ),
  mistralcall: asText(`[TOOL_CALLS][${named}]`),
  mistralargs: asText(`[TOOL_CALLS]act[ARGS]${JSON.stringify(clickArgs)}`),
  nestedcall: asText(JSON.stringify({ tool_calls: [{ type: 'function', function: { name, arguments: args } }] })),
  functionnull: fixed({ tool_calls: [{ id: 'c1', type: 'function', function: null }] }, 'tool_calls'),
  pythontext: asText("{'action': 'click', 'element': 5, 'times': 3}"),
  hiddenthink: asText(`Maybe it is\n${draft}\nNo, the button is 5.\n</think>\n\n${named}`),
  thinkdraft: asText(`<think>\n${draft}\nor not`),
  reasoningcall: fixed({ content: null, reasoning_content: named }),
  choiceerror: {
    calls: 1,
    answer: (_, response) =>
      json(response, 200, {
        choices: [{ index: 0, finish_reason: 'error', error: { code: 502, message: 'upstream failed' } }],
      }),
  },
  rate200: {
    calls: 2,
    answer: (_, response) => json(response, 200, { error: { code: 429, message: 'Rate limit exceeded' } }),
  },
  refused200: {
    calls: always,
    answer: (_, response) => json(response, 200, { error: { code: 402, message: 'Insufficient credits' } }),
  },
  r429bare: { calls: 2, answer: (_, response) => json(response, 429, '') },
  r429text: { calls: 1, answer: (_, response) => json(response, 429, 'busy', { 'retry-after': 'soon' }) },
  s_emptyfinish: {
    calls: always,
    answer: (request, response) => {
      const { tool_calls: calls = [] } = goodMessage(request);
      const finish = chunk({}, 'tool_calls');
      const deltas = calls.map((call, index) => callDelta({ index, ...call }, ''));
      sse(response, [{ ...chunk({ content: 'I ' }, ''), usage: usageChunk.usage }, ...deltas, finish, usageChunk]);
    },
  },
  s_sameindex: streamed(
    callDelta({ index: 0, ...click(2, 'c1') }),
    callDelta({ index: 0, ...click(1, 'c2') }),
    chunk({}, 'tool_calls'),
  ),
  s_repeatname: streamed(
    ...[...args].map((char) =>
      callDelta({ index: 0, id: 'c1', type: 'function', function: { name, arguments: char } }),
    ),
    chunk({}, 'tool_calls'),
  ),
  s_nullargs: streamed(
    callDelta({ index: 0, id: 'c1', type: 'function', function: { name, arguments: null } }),
    callDelta({ index: 0, id: null, function: { name: null, arguments: args } }),
    chunk({}, 'tool_calls'),
  ),
  s_message: streamed({
    ...usageChunk,
    choices: [{ index: 0, message: { role: 'assistant', tool_calls: [click(3, 'c1')] }, finish_reason: 'tool_calls' }],
  }),
  s_nullchoices: streamed(
    { ...usageChunk, choices: null, usage: null },
    callDelta({ index: 0, ...click(3, 'c1') }, 'tool_calls'),
  ),
};
