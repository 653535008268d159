import type { ModelFinish } from '@pilothouse/contract/model/model.schema';
import { systemTimers, type Timer, type Timers } from '@pilothouse/core/time/timers';
import type OpenAI from 'openai';
import { parseArguments } from '../call-arguments.ts';
import { StreamInterrupted, type OnPartialText, type ProviderAnswer } from '../call-model.ts';

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
    const content = textOf(choice?.delta?.content);
    onText(content);
    lastChunk = chunk;
    usage = chunk.usage ?? usage;
    if (choice) {
      finishReason = choice.finish_reason ?? finishReason;
      const { refusal, tool_calls: callDeltas } = choice.delta ?? {};
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

async function nextChunk(stream: AsyncIterator<Chunk>): Promise<Chunk | undefined> {
  const next = await stream.next();
  return next.done ? undefined : next.value;
}

/** Adds a part of a call. Servers that leave out the index send whole calls, or parts that continue the last call. */
function addDelta(calls: CollectedCall[], { index, id, function: delta }: CallDelta): void {
  const last = calls.at(-1);
  const isContinued = index === undefined && last && (id ? last.id === id : !delta?.name);
  const existing = isContinued ? last : calls.find((call) => index !== undefined && call.index === index);
  const call = existing ?? { id, index, type: 'function' as const, function: { name: '', arguments: '' } };
  if (!existing) calls.push(call);
  call.function.name += delta?.name ?? '';
  const args: unknown = delta?.arguments;
  call.function.arguments += typeof args === 'string' || args === undefined ? (args ?? '') : JSON.stringify(args);
}

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
  const toolCalls = (message?.tool_calls ?? []).map((call) =>
    'function' in call ? { name: call.function.name, args: parseArguments(call.function.arguments) } : undefined,
  );
  const calls = toolCalls.flatMap((call) => (call?.args ? [{ name: call.name, args: call.args }] : []));
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
function quotedArguments({ tool_calls: calls = [] }: OpenAI.ChatCompletionMessage): string {
  const unreadable = calls.find((call) => 'function' in call && !parseArguments(call.function.arguments));
  const text = unreadable && 'function' in unreadable ? unreadable.function.arguments : '';
  return JSON.stringify(String(text).slice(0, MAX_QUOTED_CHARS));
}

/** Some endpoints answer HTTP 200 with an error in the body. */
function errorIn(rest: object): string {
  const error = 'error' in rest ? (rest.error as { message?: unknown } | null) : null;
  return typeof error?.message === 'string' ? error.message.slice(0, 300) : 'the response has no choices';
}
