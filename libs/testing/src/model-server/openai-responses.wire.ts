import { openaiRefusal } from './computer-tool-rules.ts';
import { partsOf, textOf, type Protocol, type WirePart } from './wire-protocol.ts';

interface Request {
  instructions?: string;
  input?: { content?: string | WirePart[]; output?: string | { image_url?: string } }[];
  tools?: { type: string; name?: string }[];
}

/** An image of a message, or the screenshot of a computer call. */
const imageUrlsOf = ({ content, output }: NonNullable<Request['input']>[number]): string[] => [
  ...partsOf(content).flatMap((part) => {
    const { image_url: url } = part as { image_url?: unknown };
    return typeof url === 'string' ? [url] : [];
  }),
  ...(typeof output === 'object' && output.image_url ? [output.image_url] : []),
];

/** OpenAI's Responses API, without streams. */
export const openaiResponses: Protocol = {
  name: 'openai',
  modelOf: (path) => (path === '/v1/responses' ? '' : undefined),
  read: (body) => {
    const { instructions = '', input = [], tools = [] } = body as Request;
    return {
      system: instructions,
      text: textOf(
        input.flatMap(({ content, output }) => [
          ...partsOf(content),
          ...(typeof output === 'string' ? [{ text: output }] : []),
        ]),
      ),
      images: input.flatMap(imageUrlsOf).map((url) => Buffer.from(url.replace(/^data:[^,]*,/, ''), 'base64')),
      tools: tools.map(({ name, type }) => name ?? type),
    };
  },
  refusalOf: openaiRefusal,
  write: ({ text, calls, blocks, finish, usage }, model) => ({
    id: 'resp_1',
    object: 'response',
    created_at: 1_700_000_000,
    model,
    status: finish === 'length' || finish === 'safety' ? 'incomplete' : 'completed',
    incomplete_details:
      finish === 'length' || finish === 'safety'
        ? { reason: finish === 'length' ? 'max_output_tokens' : 'content_filter' }
        : null,
    output: blocks ?? [
      ...(text
        ? [
            {
              ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed' },
              content: [{ type: 'output_text', text, annotations: [] }],
            },
          ]
        : []),
      ...calls.map(({ name, args }, index) => ({
        ...{ id: `fc_${index}`, type: 'function_call', call_id: `call_${index}`, status: 'completed' },
        name,
        arguments: JSON.stringify(args),
      })),
    ],
    usage: {
      input_tokens: usage.input,
      output_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      input_tokens_details: { cached_tokens: usage.cached ?? 0 },
      output_tokens_details: { reasoning_tokens: 0 },
    },
  }),
  malformedCall: (text, model) => ({
    ...{ id: 'resp_1', object: 'response', created_at: 1_700_000_000, model, status: 'completed' },
    output: [{ id: 'fc_0', type: 'function_call', call_id: 'call_0', name: 'press', arguments: text }],
  }),
  streams: () => false,
  frames: () => [],
  error: (status, message) => ({ error: { message, type: 'server_error', code: String(status), param: null } }),
};
