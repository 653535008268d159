import {
  DEFAULT_MODEL_TOKENS,
  type ModelFinish,
  type ModelMessage,
  type ModelRequest,
} from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type OpenAI from 'openai';
import {
  type OnPartialText,
  type ProviderAnswer,
  STREAM_SILENCE_MS,
  StreamInterrupted,
  createCallIds,
  callOnce,
  createOnce,
  parseArguments,
} from '../call-model.ts';
import type { Model } from '@pilothouse/core/ports/model.port';
import { toModelRef, type AdapterOptions } from '../model-endpoint.ts';
import { toProviderRefusal } from '../provider-errors.ts';

/**
 * True if every object of a schema requires all its properties and allows no others. OpenAI's `strict` mode accepts only such schemas, and
 * enforces them.
 */
export function isClosedSchema(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.every(isClosedSchema);
  if (typeof schema !== 'object' || schema === null) return true;
  const { type, properties, additionalProperties, required } = schema;
  if (type === 'object') {
    const names = Object.keys(typeof properties === 'object' ? (properties ?? {}) : {});
    const requiredNames = Array.isArray(required) ? required : [];
    if (additionalProperties !== false || names.some((name) => !requiredNames.includes(name))) return false;
  }
  return Object.values(schema).every(isClosedSchema);
}

type Chunk = OpenAI.ChatCompletionChunk;
type Call = OpenAI.ChatCompletionMessageFunctionToolCall;

/**
 * Assembles the completion of a stream.
 * @param onText called for each chunk, with its text
 * @throws StreamInterrupted if it ends without a finish reason
 */
export async function collectOpenAiStream(
  chunks: AsyncIterable<Chunk>,
  onText: OnPartialText,
): Promise<OpenAI.ChatCompletion> {
  const message = { role: 'assistant' as const, content: null as string | null, refusal: null as string | null };
  const calls: Call[] = [];
  let lastChunk: Chunk | undefined;
  let finishReason: string | null = null;
  let usage: Chunk['usage'];
  for await (const chunk of chunks) {
    onText(chunk.choices?.[0]?.delta?.content);
    lastChunk = chunk;
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices ?? [];
    if (!choice) continue;
    finishReason = choice.finish_reason ?? finishReason;
    const { content, refusal, tool_calls: callDeltas } = choice.delta;
    if (content) message.content = (message.content ?? '') + content;
    if (refusal) message.refusal = (message.refusal ?? '') + refusal;
    for (const { index, function: delta } of callDeltas ?? []) {
      const call = (calls[index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } });
      call.function.name += delta?.name ?? '';
      call.function.arguments += delta?.arguments ?? '';
    }
  }
  // Responses that are not streams, and errors in their place, are handled by `parseResponse`.
  if (!lastChunk || 'error' in lastChunk) return { ...lastChunk } as unknown as OpenAI.ChatCompletion;
  if (finishReason === null) throw new StreamInterrupted();
  const fullMessage = { ...message, ...(calls.length > 0 && { tool_calls: calls }) };
  return {
    ...lastChunk,
    choices: [{ index: 0, message: fullMessage, finish_reason: finishReason }],
    usage,
  } as unknown as OpenAI.ChatCompletion;
}

type Param = OpenAI.ChatCompletionMessageParam;
type ContentPart = OpenAI.ChatCompletionContentPart;

/** Converts messages for chat completions. A tool result is its own message after the call. */
export function toOpenAiMessages(messages: readonly ModelMessage[]): Param[] {
  const ids = createCallIds();
  return messages.flatMap(({ role, parts }): Param[] => {
    if (role === 'model') {
      const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
      const calls = parts.flatMap((part) =>
        'call' in part
          ? [
              {
                id: ids.nextCallId(),
                type: 'function' as const,
                function: { name: part.call.name, arguments: JSON.stringify(part.call.args) },
              },
            ]
          : [],
      );
      return [{ role: 'assistant', content: text || null, ...(calls.length > 0 && { tool_calls: calls }) }];
    }
    const results = parts.flatMap((part): Param[] =>
      'result' in part
        ? [{ role: 'tool', tool_call_id: ids.nextResultId(), content: JSON.stringify(part.result.value) }]
        : [],
    );
    const content = parts.flatMap((part): ContentPart[] => {
      if ('text' in part) return [{ type: 'text', text: part.text }];
      if (!('image' in part)) return [];
      const { contentType, data } = part.image;
      return [{ type: 'image_url', image_url: { url: `data:${contentType};base64,${data}` } }];
    });
    return [...results, ...(content.length > 0 ? [{ role: 'user' as const, content }] : [])];
  });
}

type Body = OpenAI.ChatCompletionCreateParamsNonStreaming;

const OPENAI_URL = 'https://api.openai.com/v1';

/** A model of any endpoint that speaks OpenAI's chat completions: OpenAI, OpenRouter, Groq, vLLM, Ollama. */
export function openaiModel(options: AdapterOptions): Model {
  const { endpoint, model, clock } = options;
  const ref = toModelRef('openai', options);
  const { apiKey, baseUrl = OPENAI_URL, headers, stream } = endpoint;
  const getClient = createOnce(async () => {
    const { APIError, default: Client } = await import('openai');
    const client = new Client({
      apiKey,
      baseURL: baseUrl,
      defaultHeaders: { ...headers },
      maxRetries: 0,
      // The SDK reads them from the environment if undefined.
      organization: null,
      project: null,
      adminAPIKey: null,
      logLevel: 'off',
    });
    return { APIError, client };
  });
  return {
    generate: async (request, context) => {
      const { APIError, client } = await getClient();
      return callOnce({
        ref,
        request,
        context,
        clock,
        silenceMs: stream ? STREAM_SILENCE_MS : undefined,
        send: async (signal, onText) => {
          const timeout = Math.max(1, Math.ceil(context.deadline - clock.monotonic())) + 1000;
          const body = bodyOf(model, request, baseUrl === OPENAI_URL);
          if (!stream) return client.chat.completions.create(body, { signal, timeout });
          const streamed = { ...body, stream: true as const, stream_options: { include_usage: true } };
          return collectOpenAiStream(await client.chat.completions.create(streamed, { signal, timeout }), onText);
        },
        parseResponse: parseResponse,
        toRefusal: (thrown) => (thrown instanceof APIError ? toProviderRefusal(thrown) : undefined),
      });
    },
  };
}

/** @param isOpenAi the endpoint is that of OpenAI, which renamed the token limit; others know only the old name */
function bodyOf(model: string, request: ModelRequest, isOpenAi: boolean): Body {
  const { system, messages, tools, schema, maxTokens = DEFAULT_MODEL_TOKENS, temperature } = request;
  return {
    model,
    messages: [...(system ? [{ role: 'system' as const, content: system }] : []), ...toOpenAiMessages(messages)],
    ...(isOpenAi ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(tools && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        function: { name, description, parameters },
      })),
    }),
    ...(schema && {
      response_format: {
        type: 'json_schema' as const,
        json_schema: { name: 'answer', schema, strict: isClosedSchema(schema) },
      },
    }),
  };
}

function parseResponse({ choices, usage, ...rest }: OpenAI.ChatCompletion): ProviderAnswer {
  const [choice] = choices ?? [];
  const message = choice?.message;
  const toolCalls = (message?.tool_calls ?? []).map((call) =>
    call.type === 'function' ? { name: call.function.name, args: parseArguments(call.function.arguments) } : undefined,
  );
  const calls = toolCalls.flatMap((call) => (call?.args ? [{ name: call.name, args: call.args }] : []));
  const isBlocked = Boolean(message?.refusal) || choice?.finish_reason === 'content_filter';
  const isTruncated = choice?.finish_reason === 'length';
  return {
    text: message?.content ?? message?.refusal ?? '',
    calls,
    finish: isBlocked ? 'safety' : isTruncated ? 'length' : calls.length > 0 ? 'calls' : ('stop' satisfies ModelFinish),
    usage: {
      inputTokens: usage?.prompt_tokens ?? 0,
      outputTokens: usage?.completion_tokens ?? 0,
      cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    },
    problem: !message
      ? errorIn(rest)
      : calls.length < toolCalls.length && !isTruncated && !isBlocked
        ? 'the arguments of a call are not a JSON object'
        : undefined,
  };
}

/** Some endpoints answer HTTP 200 with an error in the body. */
function errorIn(rest: object): string {
  const error = 'error' in rest ? (rest.error as { message?: unknown } | null) : null;
  return typeof error?.message === 'string' ? error.message.slice(0, 300) : 'the response has no choices';
}
