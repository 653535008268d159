import { DEFAULT_MODEL_TOKENS, type ModelMessage, type ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type OpenAI from 'openai';
import { callOnce, createCallIds, createOnce, type OnPartialText } from '../call-model.ts';
import type { Model } from '@pilothouse/core/ports/model.port';
import { fullModelName, toModelRef, type AdapterOptions, type Endpoint, type ModelRef } from '../model-endpoint.ts';
import { computerToolOf } from '../model-registry.ts';
import { parseResponses, responsesBody } from './openai-computer.ts';
import { ModelCallError, toProviderRefusal } from '../provider-errors.ts';
import { toPortableSchema, withoutTextLengths } from '../portable-schema.ts';
import { silenceMsOf } from '../time-limit.ts';
import { modelFetch } from '../model-http.ts';
import { collectOpenAiStream, completionOf, parseCompletion, refusalIn } from './openai-completion.ts';

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
      fetch: await modelFetch(),
    });
    return { APIError, client };
  });
  return {
    generate: async (request, context) => {
      const { APIError, client } = await getClient();
      const common = {
        ...{ ref, request, context, clock },
        toRefusal: (thrown: unknown) => (thrown instanceof APIError ? toProviderRefusal(thrown) : undefined),
      };
      const timeoutMs = () => Math.max(1, Math.ceil(context.deadline - clock.monotonic())) + 1000;
      if (usesComputerTool(ref, request, baseUrl === OPENAI_URL))
        return callOnce({
          ...common,
          send: (signal) => client.responses.create(responsesBody(model, request), { signal, timeout: timeoutMs() }),
          parseResponse: parseResponses,
        });
      return callOnce({
        ...common,
        silenceMs: silenceMsOf(options),
        send: async (signal, onText) => {
          const timeout = timeoutMs();
          const body = bodyOf(model, request, baseUrl === OPENAI_URL);
          const response = stream
            ? await streamCompletion(client, body, { signal, timeout }, onText)
            : completionOf(await client.chat.completions.create(body, { signal, timeout }));
          const refusal = refusalIn(response);
          if (refusal) throw new ModelCallError(fullModelName(ref), refusal);
          return response;
        },
        parseResponse: parseCompletion,
        isComplete: (response) => !stream || 'choices' in Object(response),
      });
    },
  };
}

/** Sends a call as a stream. A server that does not stream answers with the whole completion. */
async function streamCompletion(
  client: OpenAI,
  body: Body,
  { signal, timeout }: { signal: AbortSignal; timeout: number },
  onText: OnPartialText,
): Promise<OpenAI.ChatCompletion> {
  const controller = new AbortController();
  const streamed = { ...body, stream: true as const, stream_options: { include_usage: true } };
  const options = { signal: AbortSignal.any([signal, controller.signal]), timeout };
  const { data, response } = await client.chat.completions.create(streamed, options).withResponse();
  try {
    const contentType = response.headers.get('content-type') ?? '';
    if (!contentType.includes('json') && !contentType.includes('html')) return await collectOpenAiStream(data, onText);
    return completionOf(await response.text());
  } finally {
    // A server may leave the stream open.
    controller.abort();
  }
}

/** True if a call is not streamed, even by an endpoint with streams: OpenAI's computer tool has its own protocol. */
export const isNeverStreamed = (ref: ModelRef, { baseUrl }: Pick<Endpoint, 'baseUrl'>, request: ModelRequest) =>
  ref.protocol === 'openai' && usesComputerTool(ref, request, (baseUrl ?? OPENAI_URL) === OPENAI_URL);

/** Servers other than OpenAI get the tool only if the settings name it. */
const usesComputerTool = (ref: ModelRef, request: ModelRequest, isOpenAi: boolean): boolean =>
  request.computer?.screen !== undefined &&
  computerToolOf(ref, request) === 'openai_computer' &&
  (isOpenAi || (request.computer.tool ?? ref.entry?.computerTool) === 'openai_computer');

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
        json_schema: {
          name: 'answer',
          schema: isOpenAi ? (withoutTextLengths(schema) as typeof schema) : toPortableSchema(schema),
          strict: isClosedSchema(schema),
        },
      },
    }),
  };
}
