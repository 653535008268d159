import type Anthropic from '@anthropic-ai/sdk';
import {
  type OnPartialText,
  type ProviderAnswer,
  StreamInterrupted,
  createCallIds,
  callOnce,
  createOnce,
} from '../call-model.ts';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import {
  DEFAULT_MODEL_TOKENS,
  type ModelCall,
  type ModelFinish,
  type ModelMessage,
  type ModelPart,
  type ModelRequest,
} from '@pilothouse/contract/model/model.schema';
import type { transformJSONSchema } from '@anthropic-ai/sdk/lib/transform-json-schema';
import type { ComputerTool } from '@pilothouse/contract/model/native-turn.schema';
import {
  nativeConversation,
  type NativeConversation,
} from '@pilothouse/core/agent/dialects/native/native-conversation';
import type { Model } from '@pilothouse/core/ports/model.port';
import { parseArguments } from '../call-arguments.ts';
import { toModelRef, type AdapterOptions } from '../model-endpoint.ts';
import { computerToolOf } from '../model-registry.ts';
import { modelFetch } from '../model-http.ts';
import { toProviderRefusal } from '../provider-errors.ts';
import { silenceMsOf } from '../time-limit.ts';
import { COMPUTER_20251124_BETA, computerToolEntry, nativeTurnOf, toNativeMessages } from './anthropic-computer.ts';

/**
 * Assembles the message of a stream.
 * @param onText called for each chunk, with its text
 * @returns undefined if the response is not a stream
 * @throws StreamInterrupted if it ends without a stop reason
 */
export async function collectAnthropicStream(
  events: AsyncIterable<Anthropic.RawMessageStreamEvent>,
  onText: OnPartialText,
): Promise<Anthropic.Message | undefined> {
  let message: Anthropic.Message | undefined;
  const inputTexts = new Map<number, string>();
  for await (const event of events) {
    onText(event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : undefined);
    if (event.type === 'message_start') message = { ...event.message, content: [] };
    if (!message) continue;
    if (event.type === 'content_block_start') message.content[event.index] = { ...event.content_block };
    else if (event.type === 'content_block_delta') appendDelta(message.content[event.index], event, inputTexts);
    else if (event.type === 'message_delta') {
      const {
        input_tokens: input,
        cache_read_input_tokens: cached,
        cache_creation_input_tokens: cacheWrites,
        ...usage
      } = event.usage;
      const counts = { input_tokens: input, cache_read_input_tokens: cached, cache_creation_input_tokens: cacheWrites };
      const reportedCounts = Object.fromEntries(
        Object.entries(counts).filter(([, count]) => typeof count === 'number'),
      );
      message = {
        ...message,
        stop_reason: event.delta.stop_reason,
        usage: { ...message.usage, ...reportedCounts, output_tokens: usage.output_tokens },
      };
    }
  }
  if (!message) return undefined;
  if (message.stop_reason === null) throw new StreamInterrupted();
  for (const [index, text] of inputTexts) {
    const block = message.content[index];
    // Non-object input stays text; `parseResponse` reports it.
    if (block?.type === 'tool_use') block.input = parseArguments(text) ?? text;
  }
  return message;
}

function appendDelta(
  block: Anthropic.ContentBlock | undefined,
  { index, delta }: Anthropic.RawContentBlockDeltaEvent,
  inputTexts: Map<number, string>,
): void {
  if (delta.type === 'text_delta' && block?.type === 'text') block.text += delta.text;
  else if (delta.type === 'thinking_delta' && block?.type === 'thinking') block.thinking += delta.thinking;
  else if (delta.type === 'signature_delta' && block?.type === 'thinking') block.signature += delta.signature;
  else if (delta.type === 'input_json_delta') inputTexts.set(index, (inputTexts.get(index) ?? '') + delta.partial_json);
}

/** Converts messages. Tool results come first in a message. */
export function toAnthropicMessages(messages: readonly ModelMessage[]): Anthropic.MessageParam[] {
  const ids = createCallIds();
  const blockOf = (part: ModelPart): Anthropic.ContentBlockParam => {
    if ('text' in part) return { type: 'text', text: part.text };
    if ('image' in part) {
      const { contentType, data } = part.image;
      return { type: 'image', source: { type: 'base64', media_type: contentType, data } };
    }
    if ('call' in part) return { type: 'tool_use', id: ids.nextCallId(), name: part.call.name, input: part.call.args };
    return { type: 'tool_result', tool_use_id: ids.nextResultId(), content: JSON.stringify(part.result.value) };
  };
  return messages.map(({ role, parts }) => {
    const results = parts.filter((part) => 'result' in part);
    const otherParts = parts.filter((part) => !('result' in part));
    return { role: role === 'user' ? 'user' : 'assistant', content: [...results, ...otherParts].map(blockOf) };
  });
}

type Body = Anthropic.MessageCreateParamsNonStreaming;
type Transform = typeof transformJSONSchema;

const CACHED = { type: 'ephemeral' } as const;

/** A model of Anthropic. Sends no temperature, because newer models reject it. */
export function anthropicModel(options: AdapterOptions): Model {
  const { endpoint, model, clock } = options;
  const ref = toModelRef('anthropic', options);
  const { apiKey, baseUrl = 'https://api.anthropic.com', headers, stream } = endpoint;
  const getClient = createOnce(async () => {
    const [{ APIError, default: Client }, { transformJSONSchema: transform }] = await Promise.all([
      import('@anthropic-ai/sdk'),
      import('@anthropic-ai/sdk/lib/transform-json-schema'),
    ]);
    const client = new Client({
      apiKey,
      // The SDK reads it from the environment if undefined.
      authToken: null,
      baseURL: baseUrl,
      defaultHeaders: { ...headers },
      maxRetries: 0,
      logLevel: 'off',
      fetch: await modelFetch(),
    });
    return { APIError, client, transform };
  });
  return {
    generate: async (request, context) => {
      const { APIError, client, transform } = await getClient();
      const tool = request.computer?.screen ? computerToolOf(ref, request) : null;
      return callOnce({
        ref,
        request,
        context,
        clock,
        silenceMs: silenceMsOf(options),
        send: async (signal, onText) => {
          const timeout = Math.max(1, Math.ceil(context.deadline - clock.monotonic())) + 1000;
          const body = bodyOf(model, request, tool, transform);
          const headers = tool === 'computer_20251124' ? { 'anthropic-beta': COMPUTER_20251124_BETA } : {};
          const requestOptions = { signal, timeout, headers };
          if (!stream) return client.messages.create(body, requestOptions);
          const events = await client.messages.create({ ...body, stream: true }, requestOptions);
          return collectAnthropicStream(events, onText);
        },
        parseResponse: (message) => parseResponse(message, tool),
        toRefusal: (thrown) => (thrown instanceof APIError ? toProviderRefusal(thrown) : undefined),
      });
    },
  };
}

/** Marks tools and system prompt for the cache of the provider. They are the same in each call of a conversation. */
function bodyOf(model: string, request: ModelRequest, tool: ComputerTool | null, transform: Transform): Body {
  const { schema, maxTokens = DEFAULT_MODEL_TOKENS } = request;
  const native = tool && nativeConversation(request, tool, false);
  const system = native?.system ?? request.system;
  const messages = native ? toNativeMessages(native, request) : toAnthropicMessages(request.messages);
  const tools: Anthropic.ToolUnion[] = toolsOf(native ?? request);
  if (tool) tools.push(computerToolEntry(tool, request));
  const lastTool = tools.at(-1);
  if (lastTool && !system) lastTool.cache_control = CACHED;
  return {
    model,
    max_tokens: maxTokens,
    messages,
    ...(system && { system: [{ type: 'text', text: system, cache_control: CACHED }] }),
    ...(tools.length > 0 && { tools }),
    ...(schema && { output_config: { format: { type: 'json_schema', schema: toSupportedSchema(schema, transform) } } }),
  };
}

const toolsOf = ({ tools = [] }: Pick<NativeConversation, 'tools'> | ModelRequest): Anthropic.Tool[] =>
  tools.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: { ...parameters, type: 'object' },
  }));

/** Converts a schema to the supported subset: objects are closed, unsupported keywords move to descriptions. */
function toSupportedSchema(schema: NonNullable<ModelRequest['schema']>, transform: Transform): Record<string, unknown> {
  try {
    return transform(schema);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new PilothouseError('MODEL_REFUSED', `anthropic rejects the schema: ${reason}`, { cause });
  }
}

function parseResponse(message: Anthropic.Message | undefined, tool: ComputerTool | null): ProviderAnswer {
  if (!message) throw new Error('The response has no message');
  const { content, stop_reason: reason, usage } = message;
  const toolUses = content.filter((block) => block.type === 'tool_use');
  const calls = toolUses.flatMap(({ name, input }): ModelCall[] => (isArguments(input) ? [{ name, args: input }] : []));
  const finish = finishOf(reason, calls.length > 0);
  const cacheWriteTokens = usage.cache_creation_input_tokens ?? 0;
  const cacheReadTokens = usage.cache_read_input_tokens ?? 0;
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    calls,
    ...(tool && calls.length > 0 && { native: nativeTurnOf(tool, content) }),
    finish,
    usage: {
      inputTokens: usage.input_tokens + cacheWriteTokens + cacheReadTokens,
      outputTokens: usage.output_tokens,
      cachedTokens: cacheReadTokens,
      cacheWriteTokens: cacheWriteTokens,
    },
    problem:
      calls.length < toolUses.length && finish !== 'length'
        ? 'the arguments of a call are not a JSON object'
        : undefined,
  };
}

const isArguments = (input: unknown): input is ModelCall['args'] =>
  typeof input === 'object' && input !== null && !Array.isArray(input);

function finishOf(reason: Anthropic.StopReason | null, hasCalls: boolean): ModelFinish {
  if (reason === 'refusal') return 'safety';
  if (reason === 'max_tokens' || reason === 'model_context_window_exceeded') return 'length';
  return hasCalls ? 'calls' : 'stop';
}
