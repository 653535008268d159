import type {
  ApiError,
  Candidate,
  Content,
  Environment,
  FinishReason,
  GenerateContentConfig,
  GenerateContentResponse,
  Part,
  Tool,
} from '@google/genai';
import {
  type OnPartialText,
  type ProviderAnswer,
  STREAM_SILENCE_MS,
  StreamInterrupted,
  callOnce,
  lazy,
} from '../call-model.ts';
import {
  DEFAULT_MODEL_TOKENS,
  type ModelCall,
  type ModelFinish,
  type ModelPart,
  type ModelRequest,
} from '@pilothouse/contract';
import type { Model } from '@pilothouse/core';
import { capabilitiesOf } from '../model-registry.ts';
import { toModelRef, type AdapterOptions, type ModelRef } from '../model-endpoint.ts';
import type { ProviderRefusal } from '../provider-errors.ts';
import { tokenRefusal, vertexOptions } from './vertex-auth.ts';

/** Parts of a response that are used. */
export type GeminiResponse = Pick<GenerateContentResponse, 'candidates' | 'promptFeedback' | 'usageMetadata'>;

/**
 * The response that a stream brings piece by piece, as if it had come whole.
 * @param heard called for each piece, with its text
 * @throws StreamInterrupted when it ends without a reason
 */
export async function collectGeminiStream(
  chunks: AsyncIterable<GenerateContentResponse>,
  heard: OnPartialText,
): Promise<GeminiResponse> {
  const parts: Part[] = [];
  const whole: { -readonly [Name in keyof GeminiResponse]: GeminiResponse[Name] } = {};
  let last: Candidate | undefined;
  let count = 0;
  try {
    for await (const { candidates, promptFeedback, usageMetadata } of chunks) {
      heard(textOf(candidates?.[0]?.content?.parts));
      count += 1;
      if (promptFeedback) whole.promptFeedback = promptFeedback;
      if (usageMetadata) whole.usageMetadata = usageMetadata;
      const [candidate] = candidates ?? [];
      if (candidate) last = { ...last, ...candidate };
      parts.push(...(candidate?.content?.parts ?? []));
    }
  } catch (thrown) {
    // The SDK throws a generic error if the response is not a stream.
    if (count > 0 || !(thrown instanceof Error) || thrown.constructor.name !== 'Error' || thrown.cause) throw thrown;
  }
  if (count > 0 && !last?.finishReason && !whole.promptFeedback?.blockReason) throw new StreamInterrupted();
  return { ...whole, ...(last && { candidates: [{ ...last, content: { role: 'model', parts } }] }) };
}

/** Text of parts, without thoughts. */
export const textOf = (parts: readonly Part[] = []): string =>
  parts.map(({ text, thought }) => (thought ? '' : (text ?? ''))).join('');

/** A model of the Gemini API, or of Vertex AI. */
export function geminiModel(options: AdapterOptions): Model {
  const { endpoint, model, clock } = options;
  const ref = toModelRef('gemini', options);
  const { apiKey, baseUrl, headers, vertex, stream } = endpoint;
  const connected = lazy(async () => {
    const { ApiError, GoogleGenAI } = await import('@google/genai');
    const httpOptions = { baseUrl, headers: { ...headers } };
    const options = vertex ? await vertexOptions(vertex) : { apiKey, enterprise: false };
    return { ApiError, client: new GoogleGenAI({ ...options, httpOptions }) };
  });
  return {
    generate: async (request, context) => {
      const { ApiError, client } = await connected();
      let answered: Headers | undefined;
      return callOnce({
        ref,
        request,
        context,
        clock,
        silenceMs: stream ? STREAM_SILENCE_MS : undefined,
        send: async (abortSignal, heard): Promise<GeminiResponse> => {
          // The SDK does not expose the headers of an error response.
          const watched: typeof fetch = async (...asked) => {
            const response = await fetch(...asked);
            answered = response.headers;
            return response;
          };
          const config = { ...configOf(ref, request), abortSignal, httpOptions: { fetch: watched } };
          const asked = { model, contents: request.messages.map(contentOf), config };
          if (!stream) return client.models.generateContent(asked);
          return collectGeminiStream(await client.models.generateContentStream(asked), heard);
        },
        read,
        refused: (thrown) =>
          thrown instanceof ApiError ? { ...refusedOf(thrown), headers: answered } : tokenRefusal(thrown),
      });
    },
  };
}

function configOf(ref: ModelRef, request: ModelRequest): GenerateContentConfig {
  const { system, schema, maxTokens = DEFAULT_MODEL_TOKENS, temperature } = request;
  return {
    maxOutputTokens: maxTokens,
    automaticFunctionCalling: { disable: true },
    ...(system && { systemInstruction: system }),
    ...(temperature !== undefined && { temperature }),
    ...(request.tools && { tools: toolsOf(ref, request) }),
    ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
  };
}

/** Functions; where the model has it, the tool for operating a browser instead of those that it stands in for. */
function toolsOf(ref: ModelRef, { tools = [], computer }: ModelRequest): Tool[] {
  const operates = computer !== undefined && capabilitiesOf(ref).computer;
  const own = operates ? tools.filter(({ name }) => !computer.replaces.includes(name)) : tools;
  const functionDeclarations = own.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  return [
    ...(operates ? [{ computerUse: { environment: 'ENVIRONMENT_BROWSER' as Environment } }] : []),
    ...(own.length > 0 ? [{ functionDeclarations }] : []),
  ];
}

const contentOf = ({ role, parts }: ModelRequest['messages'][number]): Content => ({ role, parts: parts.map(partOf) });

function partOf(part: ModelPart): Part {
  if ('text' in part) return { text: part.text };
  if ('image' in part) return { inlineData: { mimeType: part.image.contentType, data: part.image.data } };
  if ('call' in part) {
    const { name, args, signature } = part.call;
    return { functionCall: { name, args }, ...(signature && { thoughtSignature: signature }) };
  }
  const { name, value } = part.result;
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return { functionResponse: { name, response: isObject ? value : { result: value } } };
}

function read(response: GeminiResponse): ProviderAnswer {
  const { promptFeedback, usageMetadata: usage } = response;
  const [candidate] = response.candidates ?? [];
  const parts = candidate?.content?.parts ?? [];
  const calls = parts.flatMap(({ functionCall, thoughtSignature }): ModelCall[] =>
    functionCall
      ? [
          {
            name: functionCall.name ?? '',
            args: (functionCall.args ?? {}) as ModelCall['args'],
            ...(thoughtSignature && { signature: thoughtSignature }),
          },
        ]
      : [],
  );
  const finish = promptFeedback?.blockReason ? 'safety' : finishOf(candidate?.finishReason, calls.length > 0);
  return {
    text: textOf(parts),
    calls,
    finish: finish ?? 'stop',
    used: {
      inputTokens: (usage?.promptTokenCount ?? 0) + (usage?.toolUsePromptTokenCount ?? 0),
      outputTokens: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
      cachedTokens: usage?.cachedContentTokenCount ?? 0,
    },
    unusable: finish ? undefined : `the model stopped with ${candidate?.finishReason ?? 'nothing'}`,
  };
}

const BLOCKED: ReadonlySet<string> = new Set<`${FinishReason}`>([
  'SAFETY',
  'RECITATION',
  'BLOCKLIST',
  'PROHIBITED_CONTENT',
  'SPII',
]);

/** undefined: the response cannot be used. */
function finishOf(reason: `${FinishReason}` | undefined, hasCalls: boolean): ModelFinish | undefined {
  if (reason === 'STOP') return hasCalls ? 'calls' : 'stop';
  if (reason === 'MAX_TOKENS') return 'length';
  return reason && BLOCKED.has(reason) ? 'safety' : undefined;
}

/** The message of an error is the body of the answer, as JSON. */
function refusedOf({ status, message }: ApiError): ProviderRefusal {
  try {
    const { error } = JSON.parse(message) as { error?: { message?: string; details?: { retryDelay?: string }[] } };
    const delay = error?.details?.find(({ retryDelay }) => retryDelay)?.retryDelay;
    const retryAfterMs = delay ? Number.parseFloat(delay) * 1000 : undefined;
    return { status, message: error?.message ?? message, retryAfterMs };
  } catch {
    return { status, message };
  }
}
