import type { ModelFinish } from '@pilothouse/contract/model/model.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { systemTimers, type Timer, type Timers } from '@pilothouse/core/time/timers';
import type OpenAI from 'openai';
import { parseArguments } from '../call-arguments.ts';
import { StreamInterrupted, type OnPartialText, type ProviderAnswer } from '../call-model.ts';
import type { ProviderRefusal } from '../provider-errors.ts';

/* Completions of compatible servers, which differ from OpenAI's in many details. */

type Chunk = OpenAI.ChatCompletionChunk;
type CallDelta = Partial<OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall>;

interface CollectedCall {
  readonly id: string | undefined;
  readonly index: number | undefined;
  readonly type: 'function';
  readonly function: { name: string; arguments: string };
}

/** Milliseconds that a stream may stay open after the finish reason. The token counts may follow it. */
const STREAM_END_MS = 2_000;

/**
 * Assembles the completion of a stream. The stream ends with its token counts, or soon after its finish reason.
 * @param onText called for each chunk, with its text
 * @throws StreamInterrupted if it ends without a finish reason
 */
export async function collectOpenAiStream(
  chunks: AsyncIterable<Chunk>,
  onText: OnPartialText,
  timers: Timers = systemTimers,
): Promise<OpenAI.ChatCompletion> {
  const message = { role: 'assistant' as const, content: null as string | null, refusal: null as string | null };
  const calls: CollectedCall[] = [];
  let lastChunk: Chunk | undefined;
  let finishReason: string | null = null;
  let usage: Chunk['usage'];
  const stream = chunks[Symbol.asyncIterator]();
  const end = Promise.withResolvers<undefined>();
  let endTimer: Timer | undefined;
  for (;;) {
    const chunk: Chunk | undefined = await (finishReason === null
      ? nextChunk(stream)
      : Promise.race([end.promise, nextChunk(stream).catch(() => undefined)]));
    if (!chunk) break;
    const [choice]: readonly OpenAI.ChatCompletionChunk.Choice[] = chunk.choices ?? [];
    const content = textOf(choice && deltaOf(choice).content);
    onText(content);
    lastChunk = chunk;
    usage = chunk.usage ?? usage;
    if (choice) {
      // Some servers send an empty reason until the end.
      finishReason = choice.finish_reason || finishReason;
      const { refusal, tool_calls: callDeltas } = deltaOf(choice);
      if (content) message.content = (message.content ?? '') + content;
      if (refusal) message.refusal = (message.refusal ?? '') + refusal;
      for (const delta of callDeltas ?? []) addDelta(calls, delta);
    }
    if (finishReason !== null && usage) break;
    if (finishReason !== null) endTimer ??= timers.setTimeout(() => end.resolve(undefined), STREAM_END_MS);
  }
  timers.clearTimeout(endTimer);
  // Responses that are not streams, and errors in their place, are handled by `parseCompletion`.
  if (!lastChunk || 'error' in lastChunk) return { ...lastChunk } as unknown as OpenAI.ChatCompletion;
  if (finishReason === null) throw new StreamInterrupted();
  const fullMessage = { ...message, ...(calls.length > 0 && { tool_calls: calls }) };
  return {
    ...lastChunk,
    choices: [{ index: 0, message: fullMessage, finish_reason: finishReason }],
    usage,
  } as unknown as OpenAI.ChatCompletion;
}

type Delta = Partial<OpenAI.ChatCompletionChunk.Choice.Delta>;

/** The part of a choice. Some servers send it as a message. */
const deltaOf = (choice: OpenAI.ChatCompletionChunk.Choice): Delta =>
  choice.delta ?? (choice as { message?: Delta }).message ?? {};

async function nextChunk(stream: AsyncIterator<Chunk>): Promise<Chunk | undefined> {
  const next = await stream.next();
  return next.done ? undefined : next.value;
}

/**
 * Adds a part of a call. Servers that leave out the index send whole calls, or parts that continue the last call. Others give every call the
 * index 0, repeat its name in each part, or give each part an id of its own.
 */
function addDelta(calls: CollectedCall[], { index, id, function: delta }: CallDelta): void {
  const last = calls.at(-1);
  const isContinued = index === undefined && last && (id ? last.id === id : !delta?.name);
  const sameIndex = calls.findLast((call) => index !== undefined && call.index === index);
  const isOtherCall = Boolean(delta?.name && id && sameIndex?.id && sameIndex.id !== id);
  const existing = isContinued ? last : isOtherCall ? undefined : sameIndex;
  const call = existing ?? { id, index, type: 'function' as const, function: { name: '', arguments: '' } };
  if (!existing) calls.push(call);
  if (delta?.name !== call.function.name) call.function.name += delta?.name ?? '';
  const args: unknown = delta?.arguments;
  call.function.arguments += typeof args === 'string' || isMissing(args) ? (args ?? '') : JSON.stringify(args);
}

const isMissing = (value: unknown): value is null | undefined => value === undefined || value === null;

/** Text of a content, which may be a list of parts. */
function textOf(content: unknown): string | null {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  return content
    .map((part: unknown) =>
      typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string' ? part.text : '',
    )
    .join('');
}

/** Parses a completion. Unknown token counts have the usage null. */
export function parseCompletion({ choices, usage, ...rest }: OpenAI.ChatCompletion): ProviderAnswer {
  const [choice] = choices ?? [];
  const message = choice?.message;
  const toolCalls = wireCallsOf(message).map((call) => ({ name: call.name, args: parseArguments(call.arguments) }));
  const calls = toolCalls.flatMap((call) => (call.args ? [{ name: call.name, args: call.args }] : []));
  const isBlocked = Boolean(message?.refusal) || choice?.finish_reason === 'content_filter';
  const isTruncated = choice?.finish_reason === 'length';
  return {
    text: textOf(message?.content) ?? message?.refusal ?? '',
    calls,
    finish: isBlocked ? 'safety' : isTruncated ? 'length' : calls.length > 0 ? 'calls' : ('stop' satisfies ModelFinish),
    usage: message && !isCounted(usage) ? null : countsOf(usage),
    problem: !message
      ? errorIn(rest)
      : calls.length < toolCalls.length && !isTruncated && !isBlocked
        ? `the arguments of a call are not a JSON object: ${quotedArguments(message)}`
        : undefined,
  };
}

/**
 * The completion in a response body. Some servers send JSON as another content type, which the SDK does not parse.
 * @throws PilothouseError MODEL_INVALID if it is not JSON, e.g. the page of a proxy
 */
export function completionOf(body: unknown): OpenAI.ChatCompletion {
  if (typeof body !== 'string') return Object(body) as OpenAI.ChatCompletion;
  try {
    return Object(JSON.parse(body)) as OpenAI.ChatCompletion;
  } catch {
    const quoted = JSON.stringify(body.trim().slice(0, MAX_QUOTED_CHARS));
    throw new PilothouseError(
      'MODEL_INVALID',
      `The response of the model server violates its protocol: it is not JSON but ${quoted}. Check the \`baseUrl\` of the endpoint`,
    );
  }
}

type WireCall = { readonly name: string; readonly arguments: unknown };

/** Calls of a message. Old servers have one `function_call`. */
function wireCallsOf(message: OpenAI.ChatCompletionMessage | undefined): WireCall[] {
  const calls = (message?.tool_calls ?? []).flatMap((call) => ('function' in call ? [call.function] : []));
  return calls.length === 0 && message?.function_call ? [message.function_call] : calls;
}

/** True if the endpoint counted the input. No request has an empty input. */
const isCounted = (usage: OpenAI.CompletionUsage | null | undefined) =>
  Number.isSafeInteger(usage?.prompt_tokens) && (usage?.prompt_tokens ?? 0) > 0;

const countsOf = (usage: OpenAI.CompletionUsage | null | undefined) => ({
  inputTokens: usage?.prompt_tokens ?? 0,
  outputTokens: usage?.completion_tokens ?? 0,
  cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
});

/** Maximum characters of a quotation in an error. */
const MAX_QUOTED_CHARS = 100;

/** The arguments that could not be read, so that the model sees its mistake. */
function quotedArguments(message: OpenAI.ChatCompletionMessage): string {
  const unreadable = wireCallsOf(message).find((call) => !parseArguments(call.arguments));
  return JSON.stringify(String(unreadable?.arguments ?? '').slice(0, MAX_QUOTED_CHARS));
}

/** Some endpoints answer HTTP 200 with an error in the body. */
function errorIn(body: object): string {
  const { error } = body as { error?: { message?: unknown } | null };
  if (typeof error?.message === 'string') return error.message.slice(0, 300);
  if (Object.keys(body).length === 0) return 'the response is empty, which violates the protocol';
  // The form of Ollama's own API.
  const isOtherProtocol = 'message' in body || 'response' in body;
  return `the response has no choices${isOtherProtocol ? '. It has the form of another protocol: the `baseUrl` of a compatible server usually ends with /v1' : ''}`;
}

/** Statuses in the body of an answer with HTTP 200 after which a call is repeated. */
const isTransient = (status: number) => status === 429 || (status >= 500 && status < 600);

/** A transient error of a provider behind a gateway, which answers HTTP 200 with the status in the body; null: another body. */
export function refusalIn(body: unknown): ProviderRefusal | null {
  const { error, choices } = Object(body) as { error?: unknown; choices?: readonly { error?: unknown }[] };
  const { code, message } = Object(error ?? choices?.[0]?.error) as { code?: unknown; message?: unknown };
  const status = Number(code);
  return isTransient(status) ? { status, message: String(message ?? 'no reason given') } : null;
}
