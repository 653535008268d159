import type {
  ApiError,
  Candidate,
  Content,
  FinishReason,
  GenerateContentConfig,
  GenerateContentResponse,
  Part,
  Tool,
} from '@google/genai';
import { type OnPartialText, type ProviderAnswer, StreamInterrupted, callOnce, createOnce } from '../call-model.ts';
import {
  DEFAULT_MODEL_TOKENS,
  type ModelCall,
  type ModelFinish,
  type ModelPart,
  type ModelRequest,
} from '@pilothouse/contract/model/model.schema';
import {
  nativeConversation,
  type NativeConversation,
} from '@pilothouse/core/agent/dialects/native/native-conversation';
import type { Model } from '@pilothouse/core/ports/model.port';
import { modelFetch } from '../model-http.ts';
import { computerToolOf } from '../model-registry.ts';
import { toModelRef, type AdapterOptions } from '../model-endpoint.ts';
import type { ProviderRefusal } from '../provider-errors.ts';
import { silenceMsOf } from '../time-limit.ts';
import { computerUseOf, nativeTurnOf, toNativeContents } from './gemini-computer.ts';
import { tokenRefusal, vertexOptions } from './vertex-auth.ts';

/** Parts of a response that are used. */
export type GeminiResponse = Pick<GenerateContentResponse, 'candidates' | 'promptFeedback' | 'usageMetadata'>;

/**
 * Assembles the response of a stream.
 * @param onText called for each chunk, with its text
 * @throws StreamInterrupted if it ends without a finish reason
 */
export async function collectGeminiStream(
  chunks: AsyncIterable<GenerateContentResponse>,
  onText: OnPartialText,
): Promise<GeminiResponse> {
  const parts: Part[] = [];
  const response: { -readonly [Name in keyof GeminiResponse]: GeminiResponse[Name] } = {};
  let lastCandidate: Candidate | undefined;
  let chunkCount = 0;
  try {
    for await (const { candidates, promptFeedback, usageMetadata } of chunks) {
      onText(textOf(candidates?.[0]?.content?.parts));
      chunkCount += 1;
      if (promptFeedback) response.promptFeedback = promptFeedback;
      if (usageMetadata) response.usageMetadata = usageMetadata;
      const [candidate] = candidates ?? [];
      if (candidate) lastCandidate = { ...lastCandidate, ...candidate };
      parts.push(...(candidate?.content?.parts ?? []));
    }
  } catch (thrown) {
    // The SDK throws a generic error if the response is not a stream.
    if (chunkCount > 0 || !(thrown instanceof Error) || thrown.constructor.name !== 'Error' || thrown.cause)
      throw thrown;
  }
  if (chunkCount > 0 && !lastCandidate?.finishReason && !response.promptFeedback?.blockReason)
    throw new StreamInterrupted();
  return {
    ...response,
    ...(lastCandidate && { candidates: [{ ...lastCandidate, content: { role: 'model', parts } }] }),
  };
}

/** Text of parts, without thoughts. */
export const textOf = (parts: readonly Part[] = []): string =>
  parts.map(({ text, thought }) => (thought ? '' : (text ?? ''))).join('');

/** A model of the Gemini API, or of Vertex AI. */
export function geminiModel(options: AdapterOptions): Model {
  const { endpoint, model, clock } = options;
  const ref = toModelRef('gemini', options);
  const { apiKey, baseUrl, headers, vertex, stream } = endpoint;
  const getClient = createOnce(async () => {
    const { ApiError, GoogleGenAI } = await import('@google/genai');
    const httpOptions = { baseUrl, headers: { ...headers } };
    const options = vertex ? await vertexOptions(vertex) : { apiKey, enterprise: false };
    return { ApiError, client: new GoogleGenAI({ ...options, httpOptions }) };
  });
  return {
    generate: async (request, context) => {
      const { ApiError, client } = await getClient();
      const send = await modelFetch();
      let responseHeaders: Headers | undefined;
      const tool = computerToolOf(ref, request);
      const native = tool && nativeConversation(request, tool, false);
      return callOnce({
        ref,
        request,
        context,
        clock,
        silenceMs: silenceMsOf(options),
        send: async (abortSignal, onText): Promise<GeminiResponse> => {
          // The SDK does not expose the headers of an error response.
          const fetchWithHeaders: typeof fetch = async (...args) => {
            const response = await send(...args);
            responseHeaders = response.headers;
            return response;
          };
          const config = { ...configOf(native, request), abortSignal, httpOptions: { fetch: fetchWithHeaders } };
          const contents = native ? toNativeContents(native, request) : request.messages.map(contentOf);
          const parameters = { model, contents, config };
          if (!stream) return client.models.generateContent(parameters);
          return collectGeminiStream(await client.models.generateContentStream(parameters), onText);
        },
        parseResponse: (response) => parseResponse(response, native !== null),
        toRefusal: (thrown) =>
          thrown instanceof ApiError ? { ...refusalOf(thrown), headers: responseHeaders } : tokenRefusal(thrown),
      });
    },
  };
}

function configOf(native: NativeConversation | null, request: ModelRequest): GenerateContentConfig {
  const system = native?.system ?? request.system;
  const { schema, maxTokens = DEFAULT_MODEL_TOKENS, temperature } = request;
  return {
    maxOutputTokens: maxTokens,
    automaticFunctionCalling: { disable: true },
    ...(system && { systemInstruction: system }),
    ...(temperature !== undefined && { temperature }),
    ...(request.tools && { tools: toolsOf(native, request) }),
    ...(schema && { responseMimeType: 'application/json', responseJsonSchema: schema }),
  };
}

/** Functions. A model with a computer use tool gets that tool, and the functions beside it. */
function toolsOf(native: NativeConversation | null, { tools = [], computer }: ModelRequest): Tool[] {
  const computerUse = native && computer ? computerUseOf(computer) : null;
  const functions = native?.tools ?? tools;
  const functionDeclarations = functions.map(({ name, description, parameters }) => ({
    name,
    description,
    parametersJsonSchema: parameters,
  }));
  return [...(computerUse ? [{ computerUse }] : []), ...(functions.length > 0 ? [{ functionDeclarations }] : [])];
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

function parseResponse(response: GeminiResponse, hasComputerTool: boolean): ProviderAnswer {
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
    ...(hasComputerTool && calls.length > 0 && { native: nativeTurnOf(parts) }),
    finish: finish ?? 'stop',
    usage: {
      inputTokens: (usage?.promptTokenCount ?? 0) + (usage?.toolUsePromptTokenCount ?? 0),
      outputTokens: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
      cachedTokens: usage?.cachedContentTokenCount ?? 0,
    },
    problem: finish ? undefined : `the model stopped with ${candidate?.finishReason ?? 'nothing'}`,
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

/** The message of an API error is the response body as JSON. */
function refusalOf({ status, message }: ApiError): ProviderRefusal {
  try {
    const { error } = JSON.parse(message) as { error?: { message?: string; details?: { retryDelay?: string }[] } };
    const delay = error?.details?.find(({ retryDelay }) => retryDelay)?.retryDelay;
    const retryAfterMs = delay ? Number.parseFloat(delay) * 1000 : undefined;
    return { status, message: error?.message ?? message, retryAfterMs };
  } catch {
    return { status, message };
  }
}
