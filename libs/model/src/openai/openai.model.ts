import {
  DEFAULT_MODEL_TOKENS,
  type Json,
  type ModelFinish,
  type ModelMessage,
  type ModelRequest,
} from '@pilothouse/contract';
import type OpenAI from 'openai';
import {
  type OnPartialText,
  type ProviderAnswer,
  STREAM_SILENCE_MS,
  StreamInterrupted,
  callIds,
  callOnce,
  lazy,
  parseArguments,
} from '../call-model.ts';
import type { Model } from '@pilothouse/core';
import { toModelRef, type AdapterOptions } from '../model-endpoint.ts';
import { toProviderRefusal } from '../provider-errors.ts';

/**
 * Whether every object of a schema requires all its properties and allows no others. OpenAI's `strict` mode accepts only such schemas, and
 * enforces them.
 */
export function isClosedSchema(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.every(isClosedSchema);
  if (typeof schema !== 'object' || schema === null) return true;
  const { type, properties, additionalProperties, required } = schema;
  if (type === 'object') {
    const names = Object.keys(typeof properties === 'object' ? (properties ?? {}) : {});
    const has = Array.isArray(required) ? required : [];
    if (additionalProperties !== false || names.some((name) => !has.includes(name))) return false;
  }
  return Object.values(schema).every(isClosedSchema);
}

type Chunk = OpenAI.ChatCompletionChunk;
type Call = OpenAI.ChatCompletionMessageFunctionToolCall;

/**
 * The answer that a stream brings piece by piece, as if it had come whole.
 * @param heard called for each piece, with its text
 * @throws StreamInterrupted when it ends without a reason
 */
export async function collectOpenAiStream(
  chunks: AsyncIterable<Chunk>,
  heard: OnPartialText,
): Promise<OpenAI.ChatCompletion> {
  const message = { role: 'assistant' as const, content: null as string | null, refusal: null as string | null };
  const calls: Call[] = [];
  let last: Chunk | undefined;
  let finish: string | null = null;
  let usage: Chunk['usage'];
  for await (const chunk of chunks) {
    heard(chunk.choices?.[0]?.delta?.content);
    last = chunk;
    usage = chunk.usage ?? usage;
    const [choice] = chunk.choices ?? [];
    if (!choice) continue;
    finish = choice.finish_reason ?? finish;
    const { content, refusal, tool_calls: pieces } = choice.delta;
    if (content) message.content = (message.content ?? '') + content;
    if (refusal) message.refusal = (message.refusal ?? '') + refusal;
    for (const { index, function: said } of pieces ?? []) {
      const call = (calls[index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } });
      call.function.name += said?.name ?? '';
      call.function.arguments += said?.arguments ?? '';
    }
  }
  // Responses that are not streams, and errors in their place, are handled by the reader.
  if (!last || 'error' in last) return { ...last } as unknown as OpenAI.ChatCompletion;
  if (finish === null) throw new StreamInterrupted();
  const whole = { ...message, ...(calls.length > 0 && { tool_calls: calls }) };
  return {
    ...last,
    choices: [{ index: 0, message: whole, finish_reason: finish }],
    usage,
  } as unknown as OpenAI.ChatCompletion;
}

type Param = OpenAI.ChatCompletionMessageParam;
type ContentPart = OpenAI.ChatCompletionContentPart;

/** Converts messages for chat completions. A tool result is its own message after the call. */
export function toOpenAiMessages(messages: readonly ModelMessage[]): Param[] {
  const ids = callIds();
  return messages.flatMap(({ role, parts }): Param[] => {
    if (role === 'model') {
      const text = parts.map((part) => ('text' in part ? part.text : '')).join('');
      const calls = parts.flatMap((part) =>
        'call' in part
          ? [
              {
                id: ids.called(),
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
        ? [{ role: 'tool', tool_call_id: ids.answered(), content: JSON.stringify(part.result.value) }]
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

const OWN = 'https://api.openai.com/v1';

/** A model of any endpoint that speaks OpenAI's chat completions: OpenAI, OpenRouter, Groq, vLLM, Ollama. */
export function openaiModel(options: AdapterOptions): Model {
  const { endpoint, model, clock } = options;
  const ref = toModelRef('openai', options);
  const { apiKey, baseUrl = OWN, headers, stream } = endpoint;
  const connected = lazy(async () => {
    const { APIError, default: Client } = await import('openai');
    const client = new Client({
      apiKey,
      baseURL: baseUrl,
      defaultHeaders: { ...headers },
      maxRetries: 0,
      // Left out they would be read from the environment.
      organization: null,
      project: null,
      adminAPIKey: null,
      logLevel: 'off',
    });
    return { APIError, client };
  });
  return {
    generate: async (request, context) => {
      const { APIError, client } = await connected();
      return callOnce({
        ref,
        request,
        context,
        clock,
        silenceMs: stream ? STREAM_SILENCE_MS : undefined,
        send: async (signal, heard) => {
          const timeout = Math.max(1, Math.ceil(context.deadline - clock.monotonic())) + 1000;
          const body = bodyOf(model, request, baseUrl === OWN);
          if (!stream) return client.chat.completions.create(body, { signal, timeout });
          const streamed = { ...body, stream: true as const, stream_options: { include_usage: true } };
          return collectOpenAiStream(await client.chat.completions.create(streamed, { signal, timeout }), heard);
        },
        read,
        refused: (thrown) => (thrown instanceof APIError ? toProviderRefusal(thrown) : undefined),
      });
    },
  };
}

/** @param isOwn OpenAI's own endpoint calls the limit of an answer by its new name; others know the old one */
function bodyOf(model: string, request: ModelRequest, isOwn: boolean): Body {
  const { system, messages, tools, schema, maxTokens = DEFAULT_MODEL_TOKENS, temperature } = request;
  return {
    model,
    messages: [...(system ? [{ role: 'system' as const, content: system }] : []), ...toOpenAiMessages(messages)],
    ...(isOwn ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
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

function read({ choices, usage, ...rest }: OpenAI.ChatCompletion): ProviderAnswer {
  const [choice] = choices ?? [];
  const message = choice?.message;
  const wanted = (message?.tool_calls ?? []).map((call) =>
    call.type === 'function' ? { name: call.function.name, args: parseArguments(call.function.arguments) } : undefined,
  );
  const calls = wanted.flatMap((call) => (call?.args ? [{ name: call.name, args: call.args }] : []));
  const isBlocked = Boolean(message?.refusal) || choice?.finish_reason === 'content_filter';
  const isCut = choice?.finish_reason === 'length';
  return {
    text: message?.content ?? message?.refusal ?? '',
    calls,
    finish: isBlocked ? 'safety' : isCut ? 'length' : calls.length > 0 ? 'calls' : ('stop' satisfies ModelFinish),
    used: {
      inputTokens: usage?.prompt_tokens ?? 0,
      outputTokens: usage?.completion_tokens ?? 0,
      cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    },
    unusable: !message
      ? errorIn(rest)
      : calls.length < wanted.length && !isCut && !isBlocked
        ? 'the arguments of a call are not a JSON object'
        : undefined,
  };
}

/** Some endpoints answer HTTP 200 with an error in the body. */
function errorIn(rest: object): string {
  const error = 'error' in rest ? (rest.error as { message?: unknown } | null) : null;
  return typeof error?.message === 'string' ? error.message.slice(0, 300) : 'it holds no choice';
}
