import type OpenAI from 'openai';
import { DEFAULT_MODEL_TOKENS, type ModelFinish, type ModelRequest } from '@pilothouse/contract';
import type { Model } from '@pilothouse/core';
import { parseArguments, type ProviderAnswer } from '../answer.ts';
import { callOnce } from '../call.ts';
import { toModelRef, type AdapterOptions } from '../endpoint.ts';
import { toProviderRefusal } from '../failure.ts';
import { lazy } from '../lazy.ts';
import { STREAM_SILENCE_MS } from '../stream.ts';
import { isClosedSchema } from './closed.ts';
import { collectOpenAiStream } from './gather.ts';
import { toOpenAiMessages } from './messages.ts';

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
