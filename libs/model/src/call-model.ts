import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import {
  type ModelAnswer,
  type ModelCall,
  type ModelFinish,
  type ModelRequest,
  modelAnswerSchema,
} from '@pilothouse/contract/model/model.schema';
import type { NativeTurn } from '@pilothouse/contract/model/native-turn.schema';
import { parseJsonObject } from '@pilothouse/core/model/structured-output';
import { type ModelContext, UnusableAnswerError } from '@pilothouse/core/ports/model.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { type ModelRef, fullModelName } from './model-endpoint.ts';
import { estimateInputTokens, priceUsd, type BilledUsage } from './model-registry.ts';
import { ModelCallError, ModelSilenceError, ModelTimeoutError, type ProviderRefusal } from './provider-errors.ts';
import { settingOf } from './time-limit.ts';

/** Parsed response of an adapter. */
export interface ProviderAnswer {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  /** The turn, if the model used a computer tool. */
  readonly native?: NativeTurn | undefined;
  readonly finish: ModelFinish;
  /** null: the endpoint counts no tokens. */
  readonly usage: BilledUsage | null;
  /** Reason why the answer cannot be used. */
  readonly problem?: string | undefined;
}

/**
 * Adds the price on a date to an answer.
 * @throws UnusableAnswerError if the adapter reports a problem, or if JSON was requested and the text is not JSON
 */
export function toModelAnswer(
  ref: ModelRef,
  request: ModelRequest,
  providerAnswer: ProviderAnswer,
  ms: number,
  date: Date,
): ModelAnswer {
  const { finish } = providerAnswer;
  const usage = sanitizeUsage(providerAnswer.usage ?? estimatedUsage(request, providerAnswer));
  const { inputTokens, outputTokens, cachedTokens } = usage;
  const isEstimated = providerAnswer.usage === null;
  const { provider, model } = ref;
  const metadata = {
    finish,
    provider,
    model,
    usage: { inputTokens, outputTokens, cachedTokens, ...(isEstimated && { estimated: true as const }) },
    usd: priceUsd(ref, usage, date),
    durationMs: ms,
  };
  const { success, data } = modelAnswerSchema.safeParse({
    text: providerAnswer.text,
    calls: [...providerAnswer.calls],
    ...(providerAnswer.native && { native: providerAnswer.native }),
    ...metadata,
  });
  const answer: ModelAnswer = data ?? { text: '', calls: [], ...metadata };
  const formProblem =
    providerAnswer.problem ?? (success ? undefined : 'the response violates the protocol of the provider');
  const json = request.schema && !request.dialect && finish === 'stop' ? jsonIn(answer.text) : answer.text;
  const problem = formProblem ?? (json === null ? 'not JSON' : undefined);
  if (problem) throw new UnusableAnswerError(`The answer of ${fullModelName(ref)} is not usable: ${problem}`, answer);
  return { ...answer, text: json ?? '' };
}

/** Characters of a token in an estimate of the answer. */
const CHARS_PER_TOKEN = 3;

/** Usage of a call whose endpoint counts no tokens. Without it a token budget would never stop a run. */
function estimatedUsage(request: ModelRequest, { text, calls }: ProviderAnswer): BilledUsage {
  const chars = text.length + (calls.length > 0 ? JSON.stringify(calls).length : 0);
  return {
    inputTokens: estimateInputTokens(request),
    outputTokens: Math.ceil(chars / CHARS_PER_TOKEN),
    cachedTokens: 0,
  };
}

/** Sanitizes token counts of a provider. */
function sanitizeUsage({
  inputTokens,
  outputTokens,
  cachedTokens,
  cacheWriteTokens = 0,
}: BilledUsage): Required<Omit<BilledUsage, 'estimated'>> {
  const count = (value: number) => (Number.isSafeInteger(value) && value > 0 ? value : 0);
  const input = count(inputTokens);
  const cached = Math.min(count(cachedTokens), input);
  return {
    inputTokens: input,
    outputTokens: count(outputTokens),
    cachedTokens: cached,
    cacheWriteTokens: Math.min(count(cacheWriteTokens), input - cached),
  };
}

/** JSON of an answer. Servers that ignore the schema return it after reasoning or in a code fence. null: there is none */
function jsonIn(text: string): string | null {
  try {
    JSON.parse(text);
    return text;
  } catch {
    const value = parseJsonObject(text);
    return value && JSON.stringify(value);
  }
}

/**
 * Called for each chunk of an answer.
 * @param text text that the chunk adds
 */
export type OnPartialText = (text?: string | null) => void;

/**
 * One call of an adapter.
 * @typeParam Response response type of the SDK
 */
export interface ProviderCall<Response> {
  readonly ref: ModelRef;
  readonly request: ModelRequest;
  readonly context: Pick<ModelContext, 'signal' | 'deadline' | 'onText'>;
  readonly clock: Clock;
  /** Maximum milliseconds between two chunks; undefined: the answer is not streamed. */
  readonly silenceMs?: number | undefined;
  /**
   * Calls the provider. The signal aborts when the caller has stopped waiting.
   * @param onText called for each chunk, with its text if any
   */
  send(signal: AbortSignal, onText: OnPartialText): Promise<Response>;
  /** Parses the response. May throw anything if the response violates the protocol of the provider. */
  parseResponse(response: Response): ProviderAnswer;
  /** False for the response of a stream that ended early. Default: always true. */
  isComplete?(response: Response): boolean;
  /** Converts an error of the SDK; undefined: not an SDK error. */
  toRefusal(thrown: unknown): ProviderRefusal | undefined;
}

/**
 * Makes one call within the bounds of its context.
 * @throws ModelCallError, UnusableAnswerError, PilothouseError MODEL_UNAVAILABLE when the deadline passed, the reason of the signal
 */
export async function callOnce<Response>(
  call: ProviderCall<Response>,
  timers: Timers = systemTimers,
): Promise<ModelAnswer> {
  const { ref, request, context, clock, send, toRefusal, silenceMs, isComplete = () => true } = call;
  context.signal.throwIfAborted();
  const startedMs = clock.monotonic();
  const timeoutSignal = AbortSignal.timeout(Math.max(0, Math.ceil(context.deadline - startedMs)));
  const silenceController = new AbortController();
  const silenceTimer =
    silenceMs === undefined ? undefined : timers.setTimeout(() => silenceController.abort(), silenceMs);
  let text = '';
  const onText: OnPartialText = (chunk) => {
    silenceTimer?.refresh();
    if (!chunk) return;
    text += chunk;
    context.onText?.(text);
  };
  let response: Response;
  const throwIfAborted = () => {
    context.signal.throwIfAborted();
    if (timeoutSignal.aborted) throw new ModelTimeoutError(`${fullModelName(ref)} did not answer in time`);
    if (silenceController.signal.aborted) throw silenceError(ref, silenceMs ?? 0);
  };
  try {
    response = await send(AbortSignal.any([context.signal, timeoutSignal, silenceController.signal]), onText);
  } catch (thrown) {
    throwIfAborted();
    throw errorOf(ref, thrown, toRefusal(thrown), clock.monotonic() - startedMs);
  } finally {
    timers.clearTimeout(silenceTimer);
  }
  // The stream of an SDK ends without an error when its signal aborts.
  if (!isComplete(response)) throwIfAborted();
  const ms = clock.monotonic() - startedMs;
  return toModelAnswer(
    ref,
    request,
    parseOrReportProblem(() => call.parseResponse(response)),
    ms,
    clock.now(),
  );
}

/** Parses a response; an unreadable one becomes an empty unusable answer. */
function parseOrReportProblem(parse: () => ProviderAnswer): ProviderAnswer {
  try {
    return parse();
  } catch {
    const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
    return {
      text: '',
      calls: [],
      finish: 'stop',
      usage: usage,
      problem: 'the response violates the protocol of the provider',
    };
  }
}

const silenceError = (ref: ModelRef, ms: number) =>
  new ModelSilenceError(`${fullModelName(ref)} sent no data for ${ms / 1000} s. ${settingOf(ref, ms)}`);

function errorOf(ref: ModelRef, thrown: unknown, refusal: ProviderRefusal | undefined, ms: number): PilothouseError {
  if (thrown instanceof PilothouseError) return thrown;
  const { provider, model } = ref;
  if (refusal) return new ModelCallError(`${provider}/${model}`, refusal);
  if (isParseError(thrown)) {
    const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
    const answer: ModelAnswer = {
      text: '',
      calls: [],
      finish: 'stop',
      provider,
      model,
      usage,
      usd: null,
      durationMs: ms,
    };
    return new UnusableAnswerError(`The response of ${provider}/${model} violates its protocol`, answer);
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ModelCallError(`${provider}/${model}`, { status: null, message });
}

/**
 * True if the SDK failed on the response: invalid or unexpected JSON. Network errors are TypeErrors too, but have a cause. Compared by
 * name, because body readers may come from another realm.
 */
const isParseError = (thrown: unknown) =>
  typeof thrown === 'object' &&
  thrown !== null &&
  'name' in thrown &&
  (thrown.name === 'SyntaxError' || (thrown.name === 'TypeError' && !('cause' in thrown && thrown.cause)));

/** Thrown where a stream ends before the answer does. */
export class StreamInterrupted extends Error {
  constructor() {
    super('the stream ended before the answer was complete');
  }
}

/**
 * Creates a value on first use. Provider SDKs take half a second of CPU and 40 MB to load, so unused ones are never loaded. A failed
 * creation is retried.
 */
export function createOnce<Value>(create: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () =>
    (value ??= create().catch((error: unknown) => {
      value = undefined;
      throw error;
    }));
}

/** Call ids for providers whose tool results refer to calls. Results are in the order of the calls: the n-th result belongs to call n. */
export function createCallIds(): { nextCallId(): string; nextResultId(): string } {
  let calls = 0;
  let answers = 0;
  return { nextCallId: () => `call_${++calls}`, nextResultId: () => `call_${++answers}` };
}
