import type { ServerResponse } from 'node:http';
import {
  completion,
  goodMessage,
  json,
  sendGood,
  wireCall,
  type OddCase,
  type OddCases,
  type OddRequest,
  type WireCall,
} from './odd-wire.ts';

/* Complete answers in unusual forms. */

const always = Infinity;

type Message = Record<string, unknown>;

/** An answer with HTTP 200 that is the same for every request. */
const fixed = (calls: number, message: object, finish = 'stop'): OddCase => ({
  calls,
  answer: (_, response) => json(response, 200, completion(message, finish)),
});

/** The good answer with a changed message. */
const changed = (change: (message: Message, call: WireCall | undefined) => Message): OddCase => ({
  calls: always,
  answer: (request, response) => {
    const message = goodMessage(request);
    const result = change({ ...message }, message.tool_calls?.[0]);
    json(response, 200, completion(result, 'tool_calls' in result ? 'tool_calls' : 'stop'));
  },
});

/** The good call with other arguments. */
const withArguments = (change: (args: string) => unknown): OddCase =>
  changed((message, call) =>
    call
      ? {
          ...message,
          tool_calls: [{ ...call, function: { ...call.function, arguments: change(call.function.arguments) } }],
        }
      : message,
  );

/** The good call as text. */
const asText = (write: (name: string, args: object) => string): OddCase =>
  changed((message, call) =>
    call ? { content: write(call.function.name, JSON.parse(call.function.arguments) as object) } : message,
  );

const changedBody = (change: (body: ReturnType<typeof completion>) => unknown): OddCase => ({
  calls: always,
  answer: (request: OddRequest, response: ServerResponse) => sendGood(request, response, change),
});

const claim = (indicators: string[]) =>
  wireCall('done', { answer: '3', title_or_url: 'Widget gallery', indicators }, 'c2');

const click = (times: number, id: string) => wireCall('act', { action: 'click', element: 5, times }, id);

export const oddAnswers: OddCases = {
  length: fixed(1, { content: 'I think that', tool_calls: [wireCall('act', '{"action":"click","ele')] }, 'length'),
  lengthalways: fixed(always, { content: 'I think that I should ' }, 'length'),
  badargs: fixed(1, { tool_calls: [wireCall('act', 'element=5, action=click')] }, 'tool_calls'),
  badargsalways: fixed(always, { tool_calls: [wireCall('act', 'element=5, action=click')] }, 'tool_calls'),
  fencedargs: withArguments((args) => `\`\`\`json\n${args}\n\`\`\``),
  objectargs: withArguments((args) => JSON.parse(args)),
  doubleargs: withArguments((args) => JSON.stringify(args)),
  stringelement: withArguments((args) =>
    args.replace('"element":5', '"element":"[5]"').replace('"times":3', '"times":"3"'),
  ),
  twocalls: fixed(always, { tool_calls: [click(2, 'c1'), click(1, 'c2')] }, 'tool_calls'),
  actanddone: fixed(always, { tool_calls: [click(3, 'c1'), claim(['Counted 3 times'])] }, 'tool_calls'),
  doneonly: fixed(always, { tool_calls: [claim(['Count'])] }, 'tool_calls'),
  doneliar: fixed(always, { tool_calls: [claim(['Count', 'Buttons'])] }, 'tool_calls'),
  reasoning: changed((message) => ({
    ...message,
    content: null,
    reasoning_content: 'Let me think. '.repeat(400),
  })),
  reasoningonly: fixed(always, { content: '', reasoning_content: 'Let me think about the page. '.repeat(100) }),
  thinktags: changed((message) => ({
    ...message,
    content: `<think>\nThe user wants {"action": "click", "element": 2}.\n</think>\n${String(message['content'] ?? '')}`,
  })),
  nousage: changedBody(({ usage: _, ...body }) => body),
  nullusage: changedBody((body) => ({ ...body, usage: null })),
  stringusage: changedBody((body) => ({ ...body, usage: { prompt_tokens: '900', completion_tokens: -4 } })),
  arraycontent: changed((message) => ({ ...message, content: [{ type: 'text', text: message['content'] }] })),
  fencedtext: asText(
    (_, args) =>
      `Sure! Here is the call:\n\`\`\`json\n${JSON.stringify({ thought: 'ok', actions: [args] })}\n\`\`\`\nLet me know!`,
  ),
  textcall: asText((name, args) => `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`),
  plaintextcall: asText((name, args) => JSON.stringify({ name, arguments: args })),
  prose: fixed(always, { content: 'I have pressed the button three times. The counter shows 3. The goal is done.' }),
  unknownfn: fixed(always, { tool_calls: [wireCall('press_button', { name: 'Count' })] }, 'tool_calls'),
  emptyall: fixed(always, { content: '' }),
  nofinish: changedBody((body) => ({
    ...body,
    choices: body.choices.map((choice) => ({ ...choice, finish_reason: null })),
  })),
  wrongfinish: changedBody((body) => ({
    ...body,
    choices: body.choices.map((choice) => ({ ...choice, finish_reason: 'stop' })),
  })),
  refusal: fixed(always, { refusal: 'I cannot help with that.' }),
};
