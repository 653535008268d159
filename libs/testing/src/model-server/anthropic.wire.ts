import { anthropicRefusal } from './computer-tool-rules.ts';
import { frame, splitInHalf, partsOf, textOf, withNestedParts, type WirePart, type Protocol } from './wire-protocol.ts';

interface Request {
  system?: string | WirePart[];
  messages?: { content?: string | WirePart[] }[];
  tools?: { name?: string; type?: string }[];
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

interface ThinkingBlock {
  readonly type: string;
  readonly thinking: string;
  readonly signature: string;
}

/** Frames of a thought: its text in two parts, then its signature. */
function thinkingFrames({ type, thinking, signature }: ThinkingBlock, index: number): string[] {
  const deltas = [
    ...splitInHalf(thinking).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
    { type: 'signature_delta', signature },
  ];
  const start = { type: 'content_block_start', index, content_block: { type, thinking: '', signature: '' } };
  return [
    frame(start, start.type),
    ...deltas.map((delta) => frame({ type: 'content_block_delta', index, delta }, 'content_block_delta')),
    frame({ type: 'content_block_stop', index }, 'content_block_stop'),
  ];
}

/** Anthropic's messages. */
export const anthropic: Protocol = {
  name: 'anthropic',
  modelOf: (path) => (path === '/v1/messages' ? '' : undefined),
  read: (body) => {
    const { system, messages = [], tools = [] } = body as Request;
    const parts = withNestedParts(messages.flatMap(({ content }) => partsOf(content)));
    return {
      system: textOf(partsOf(system)),
      text: textOf(parts),
      images: parts.flatMap(({ source }) => (source ? [Buffer.from(source.data, 'base64')] : [])),
      tools: tools.map(({ name, type }) => name ?? type ?? ''),
    };
  },
  refusalOf: anthropicRefusal,
  write: ({ text, calls, blocks, finish, usage }, model) => {
    const content = blocks ?? [
      ...(text ? [{ type: 'text', text }] : []),
      ...calls.map(({ name, args }, index) => ({ type: 'tool_use', id: `toolu_${index}`, name, input: args })),
    ];
    return message(model, [...content], finishes[finish], [usage.input, usage.output, usage.cached ?? 0]);
  },
  malformedCall: (text, model) =>
    message(model, [{ type: 'tool_use', id: 'toolu_0', name: 'press', input: text }], 'tool_use', [10, 5, 0]),
  streams: (_, body) => 'stream' in body && body.stream === true,
  frames: (responseBody) => {
    const { content, stop_reason: reason, usage, ...head } = responseBody as ReturnType<typeof message>;
    const typedFrame = (data: { type: string }) => frame(data, data.type);
    const blocks = content as { type: string; text?: string; input?: unknown }[];
    return [
      typedFrame({
        type: 'message_start',
        message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
      } as { type: string }),
      ...blocks.flatMap(({ text, input, ...block }, index) => {
        if (block.type === 'thinking') return thinkingFrames(block as ThinkingBlock, index);
        const json = typeof input === 'string' ? input : JSON.stringify(input ?? {});
        const deltas =
          text === undefined
            ? splitInHalf(json).map((piece) => ({ type: 'input_json_delta', partial_json: piece }))
            : splitInHalf(text).map((piece) => ({ type: 'text_delta', text: piece }));
        const empty = text === undefined ? { ...block, input: {} } : { ...block, text: '' };
        return [
          typedFrame({ type: 'content_block_start', index, content_block: empty } as { type: string }),
          ...deltas.map((delta) => typedFrame({ type: 'content_block_delta', index, delta } as { type: string })),
          typedFrame({ type: 'content_block_stop', index } as { type: string }),
        ];
      }),
      typedFrame({
        type: 'message_delta',
        delta: { stop_reason: reason, stop_sequence: null },
        usage: { output_tokens: usage.output_tokens },
      } as { type: string }),
      typedFrame({ type: 'message_stop' }),
    ];
  },
  error: (status, text) => ({
    type: 'error',
    error: { type: status === 429 ? 'rate_limit_error' : 'api_error', message: text },
  }),
};
