import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import {
  type ModelAnswer,
  type ModelCall,
  type ModelFinish,
  type ModelRequest,
  modelAnswerSchema,
} from '@pilothouse/contract/model/model.schema';
import { type ModelContext, UnusableAnswerError } from '@pilothouse/core/ports/model.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { type ModelRef, fullModelName } from './model-endpoint.ts';
import { priceUsd, type BilledUsage } from './model-registry.ts';
import { ModelCallError, type ProviderRefusal } from './provider-errors.ts';

/** Parsed response of an adapter. */
export interface ProviderAnswer {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly finish: ModelFinish;
  readonly usage: BilledUsage;
  /** Reason why the answer cannot be used. */
  readonly problem?: string | undefined;
}

/**
 * Adds the price to an answer.
 * @throws UnusableAnswerError if the adapter reports a problem, or if JSON was requested and the text is not JSON
 */
export function toModelAnswer(
  ref: ModelRef,
  request: Pick<ModelRequest, 'schema'>,
  providerAnswer: ProviderAnswer,
  ms: number,
): ModelAnswer {
  const { finish } = providerAnswer;
  const usage = sanitizeUsage(providerAnswer.usage);
  const { inputTokens, outputTokens, cachedTokens } = usage;
  const { provider, model } = ref;
  const metadata = {
    finish,
    provider,
    model,
    usage: { inputTokens, outputTokens, cachedTokens },
    usd: priceUsd(ref, usage),
    durationMs: ms,
  };
  const { success, data } = modelAnswerSchema.safeParse({
    text: providerAnswer.text,
    calls: [...providerAnswer.calls],
    ...metadata,
  });
  const answer: ModelAnswer = data ?? { text: '', calls: [], ...metadata };
  const { text } = answer;
  const formProblem =
    providerAnswer.problem ?? (success ? undefined : 'the response violates the protocol of the provider');
  const problem = formProblem ?? (request.schema && finish === 'stop' && !isJson(text) ? 'not JSON' : undefined);
  if (problem) throw new UnusableAnswerError(`The answer of ${fullModelName(ref)} is not usable: ${problem}`, answer);
  return answer;
}

/** Sanitizes token counts of a provider. */
function sanitizeUsage({
  inputTokens,
  outputTokens,
  cachedTokens,
  cacheWriteTokens = 0,
}: BilledUsage): Required<BilledUsage> {
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

/** Parses the arguments of a call; undefined: not a JSON object. */
export function parseArguments(text: string): ModelCall['args'] | undefined {
  if (text.trim() === '') return {};
  try {
    const args: unknown = JSON.parse(text);
    return typeof args === 'object' && args !== null && !Array.isArray(args) ? (args as ModelCall['args']) : undefined;
  } catch {
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
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
  const { ref, request, context, clock, send, toRefusal, silenceMs } = call;
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
  try {
    response = await send(AbortSignal.any([context.signal, timeoutSignal, silenceController.signal]), onText);
  } catch (thrown) {
    context.signal.throwIfAborted();
    if (timeoutSignal.aborted) throw timeoutError(ref);
    if (silenceController.signal.aborted) throw silenceError(ref, silenceMs ?? 0);
    throw errorOf(ref, thrown, toRefusal(thrown), clock.monotonic() - startedMs);
  } finally {
    timers.clearTimeout(silenceTimer);
  }
  const ms = clock.monotonic() - startedMs;
  return toModelAnswer(
    ref,
    request,
    parseOrReportProblem(() => call.parseResponse(response)),
    ms,
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

/** The error of a call that was not answered in time. */
const timeoutError = ({ provider, model }: ModelRef) =>
  new PilothouseError('MODEL_UNAVAILABLE', `${provider}/${model} did not answer in time`);

const silenceError = ({ provider, model }: ModelRef, ms: number) =>
  new PilothouseError('MODEL_UNAVAILABLE', `${provider}/${model} sent no data for ${ms / 1000} s`);

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

/** Milliseconds without data after which a stream is aborted. Providers send keep-alives or start within this time. */
export const STREAM_SILENCE_MS = 60_000;

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
