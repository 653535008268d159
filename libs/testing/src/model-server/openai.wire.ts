import { frame, splitInHalf, partsOf, textOf, type WirePart, type Protocol } from './wire-protocol.ts';

interface Request {
  messages?: { role: string; content?: string | WirePart[] | null }[];
  tools?: { function?: { name: string } }[];
}

const finishes = { stop: 'stop', calls: 'tool_calls', length: 'length', safety: 'content_filter' } as const;

const completion = (model: string, message: object, finish: string, [input, output, cached]: number[]) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model,
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish, logprobs: null }],
  usage: {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: (input ?? 0) + (output ?? 0),
    prompt_tokens_details: { cached_tokens: cached },
  },
});

const callOf = (name: string, text: string, index: number) => ({
  id: `call_of_the_model_${index}`,
  type: 'function',
  function: { name, arguments: text },
});

/** OpenAI's chat completions. */
export const openai: Protocol = {
  name: 'openai',
  modelOf: (path) => (path === '/v1/chat/completions' ? '' : undefined),
  read: (body) => {
    const { messages = [], tools = [] } = body as Request;
    const ofRole = (isSystem: boolean) =>
      messages.filter(({ role }) => (role === 'system') === isSystem).flatMap(({ content }) => partsOf(content));
    return {
      system: textOf(ofRole(true)),
      text: textOf(ofRole(false)),
      images: ofRole(false).flatMap(({ image_url: image }) =>
        image ? [Buffer.from(image.url.replace(/^data:[^,]*,/, ''), 'base64')] : [],
      ),
      tools: tools.flatMap((tool) => tool.function?.name ?? []),
    };
  },
  write: ({ text, calls, finish, usage }, model) => {
    const toolCalls = calls.map(({ name, args }, index) => callOf(name, JSON.stringify(args), index));
    const message = { content: text || null, refusal: null, ...(calls.length > 0 && { tool_calls: toolCalls }) };
    return completion(model, message, finishes[finish], [usage.input, usage.output, usage.cached ?? 0]);
  },
  malformedCall: (text, model) =>
    completion(model, { content: null, tool_calls: [callOf('press', text, 0)] }, 'tool_calls', [10, 5, 0]),
  streams: (_, body) => 'stream' in body && body.stream === true,
  frames: (responseBody) => {
    const { choices, usage, ...head } = responseBody as ReturnType<typeof completion>;
    const [{ message, finish_reason: reason }] = choices as unknown as [
      { message: { content?: string | null; tool_calls?: ReturnType<typeof callOf>[] }; finish_reason: string },
    ];
    const chunk = (delta: object, finish: string | null = null) =>
      frame({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] });
    return [
      chunk({ role: 'assistant', content: '' }),
      ...splitInHalf(message.content ?? '').map((content) => chunk({ content })),
      ...(message.tool_calls ?? []).flatMap(({ id, type, function: { name, arguments: args } }, index) => [
        chunk({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
        ...splitInHalf(args).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
      chunk({}, reason),
      frame({ ...head, object: 'chat.completion.chunk', choices: [], usage }),
      frame('[DONE]'),
    ];
  },
  error: (status, message) => ({ error: { message, type: 'server_error', code: String(status), param: null } }),
};
