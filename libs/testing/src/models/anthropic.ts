import { partsOf, textOf, type Part, type Protocol } from './protocol.ts';

interface Request {
  system?: string | Part[];
  messages?: { content?: string | Part[] }[];
  tools?: { name: string }[];
}

const finishes = { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens', safety: 'refusal' } as const;

const message = (model: string, content: object[], reason: string, [input, output, cached]: number[]) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  content,
  stop_reason: reason,
  stop_sequence: null,
  usage: {
    input_tokens: (input ?? 0) - (cached ?? 0),
    output_tokens: output,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
  },
});

/** Anthropic's messages. */
export const anthropic: Protocol = {
  name: 'anthropic',
  modelOf: (path) => (path === '/v1/messages' ? '' : undefined),
  read: (body) => {
    const { system, messages = [], tools = [] } = body as Request;
    const parts = messages.flatMap(({ content }) => partsOf(content));
    return {
      system: textOf(partsOf(system)),
      text: textOf(parts),
      images: parts.flatMap(({ source }) => (source ? [Buffer.from(source.data, 'base64')] : [])),
      tools: tools.map(({ name }) => name),
    };
  },
  write: ({ text, calls, finish, usage }, model) => {
    const content = [
      ...(text ? [{ type: 'text', text }] : []),
      ...calls.map(({ name, args }, index) => ({ type: 'tool_use', id: `toolu_${index}`, name, input: args })),
    ];
    return message(model, content, finishes[finish], [usage.input, usage.output, usage.cached ?? 0]);
  },
  malformedCall: (text, model) =>
    message(model, [{ type: 'tool_use', id: 'toolu_0', name: 'press', input: text }], 'tool_use', [10, 5, 0]),
  error: (status, text) => ({
    type: 'error',
    error: { type: status === 429 ? 'rate_limit_error' : 'api_error', message: text },
  }),
};
