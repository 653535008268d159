import {
  type ModelAnswer,
  type ModelCall,
  type ModelFinish,
  type ModelRequest,
  PilothouseError,
  modelAnswerSchema,
} from '@pilothouse/contract';
import { type Clock, type ModelContext, UnusableAnswerError, systemTimers } from '@pilothouse/core';
import { type ModelRef, fullModelName } from './model-endpoint.ts';
import { priceUsd, type BilledUsage } from './model-registry.ts';
import { ModelCallError, type ProviderRefusal } from './provider-errors.ts';

/** Parsed response of an adapter. */
export interface ProviderAnswer {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  readonly finish: ModelFinish;
  readonly used: BilledUsage;
  /** Why the answer cannot be used. */
  readonly unusable?: string | undefined;
}

/**
 * Adds the price to an answer.
 * @throws UnusableAnswerError if the adapter reports a problem, or if JSON was requested and the text is not JSON
 */
export function toModelAnswer(
  ref: ModelRef,
  request: Pick<ModelRequest, 'schema'>,
  read: ProviderAnswer,
  ms: number,
): ModelAnswer {
  const { finish } = read;
  const used = countedOf(read.used);
  const { inputTokens, outputTokens, cachedTokens } = used;
  const { provider, model } = ref;
  const known = {
    finish,
    provider,
    model,
    usage: { inputTokens, outputTokens, cachedTokens },
    usd: priceUsd(ref, used),
    durationMs: ms,
  };
  const { success, data } = modelAnswerSchema.safeParse({ text: read.text, calls: [...read.calls], ...known });
  const answer: ModelAnswer = data ?? { text: '', calls: [], ...known };
  const { text } = answer;
  const unusable = read.unusable ?? (success ? undefined : 'it is not of the form that the provider promises');
  const why = unusable ?? (request.schema && finish === 'stop' && !isJson(text) ? 'it is not JSON' : undefined);
  if (why) throw new UnusableAnswerError(`The answer of ${fullModelName(ref)} cannot be used: ${why}`, answer);
  return answer;
}

/** Sanitizes token counts of a provider. */
function countedOf({
  inputTokens,
  outputTokens,
  cachedTokens,
  cacheWriteTokens = 0,
}: BilledUsage): Required<BilledUsage> {
  const count = (given: number) => (Number.isSafeInteger(given) && given > 0 ? given : 0);
  const input = count(inputTokens);
  const cached = Math.min(count(cachedTokens), input);
  return {
    inputTokens: input,
    outputTokens: count(outputTokens),
    cachedTokens: cached,
    cacheWriteTokens: Math.min(count(cacheWriteTokens), input - cached),
  };
}

/** Arguments of a call as an object; undefined when they are none. */
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
  readonly context: Pick<ModelContext, 'signal' | 'deadline' | 'said'>;
  readonly clock: Clock;
  /** Most milliseconds between two pieces of an answer; left out: it comes whole. */
  readonly silenceMs?: number | undefined;
  /**
   * Calls the provider. The signal aborts when the caller has stopped waiting.
   * @param heard called for each chunk, with its text if any
   */
  send(signal: AbortSignal, heard: OnPartialText): Promise<Response>;
  /** Parses the response. May throw anything if the response violates the protocol of the provider. */
  read(response: Response): ProviderAnswer;
  /** Converts an error of the SDK; undefined: not an SDK error. */
  refused(thrown: unknown): ProviderRefusal | undefined;
}

/**
 * Makes one call within the bounds of its context.
 * @throws CallFailed, UnusableAnswerError, PilothouseError MODEL_UNAVAILABLE when the deadline passed, the reason of the signal
 */
export async function callOnce<Response>(call: ProviderCall<Response>): Promise<ModelAnswer> {
  const { ref, request, context, clock, send, refused, silenceMs } = call;
  context.signal.throwIfAborted();
  const began = clock.monotonic();
  const late = AbortSignal.timeout(Math.max(0, Math.ceil(context.deadline - began)));
  const silent = new AbortController();
  const silence = silenceMs === undefined ? undefined : systemTimers.setTimeout(() => silent.abort(), silenceMs);
  let text = '';
  const heard: OnPartialText = (piece) => {
    silence?.refresh();
    if (!piece) return;
    text += piece;
    context.said?.(text);
  };
  let response: Response;
  try {
    response = await send(AbortSignal.any([context.signal, late, silent.signal]), heard);
  } catch (thrown) {
    context.signal.throwIfAborted();
    if (late.aborted) throw tooLate(ref);
    if (silent.signal.aborted) throw saidNothing(ref, silenceMs ?? 0);
    throw errorOf(ref, thrown, refused(thrown), clock.monotonic() - began);
  } finally {
    systemTimers.clearTimeout(silence);
  }
  const ms = clock.monotonic() - began;
  return toModelAnswer(
    ref,
    request,
    understood(() => call.read(response)),
    ms,
  );
}

/** Parses a response; an unreadable one becomes an empty unusable answer. */
function understood(read: () => ProviderAnswer): ProviderAnswer {
  try {
    return read();
  } catch {
    const used = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 };
    return { text: '', calls: [], finish: 'stop', used, unusable: 'it is not of the form that the provider promises' };
  }
}

/** The error of a call that was not answered in time. */
const tooLate = ({ provider, model }: ModelRef) =>
  new PilothouseError('MODEL_UNAVAILABLE', `${provider}/${model} did not answer in time`);

const saidNothing = ({ provider, model }: ModelRef, ms: number) =>
  new PilothouseError('MODEL_UNAVAILABLE', `${provider}/${model} said nothing for ${ms / 1000} s`);

function errorOf(ref: ModelRef, thrown: unknown, refused: ProviderRefusal | undefined, ms: number): PilothouseError {
  if (thrown instanceof PilothouseError) return thrown;
  const { provider, model } = ref;
  if (refused) return new ModelCallError(`${provider}/${model}`, refused);
  if (isMisread(thrown)) {
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
    return new UnusableAnswerError(`What ${provider}/${model} sent is not what it promises`, answer);
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ModelCallError(`${provider}/${model}`, { status: null, message });
}

/**
 * Whether the SDK failed on the response: invalid or unexpected JSON. Network errors are TypeErrors too, but have a cause. Compared by
 * name, because body readers may come from another realm.
 */
const isMisread = (thrown: unknown) =>
  typeof thrown === 'object' &&
  thrown !== null &&
  'name' in thrown &&
  (thrown.name === 'SyntaxError' || (thrown.name === 'TypeError' && !('cause' in thrown && thrown.cause)));

/** Milliseconds without data after which a stream is aborted. Providers send keep-alives or start within this time. */
export const STREAM_SILENCE_MS = 60_000;

/** Thrown where a stream ends before the answer does. */
export class StreamInterrupted extends Error {
  constructor() {
    super('the answer broke off');
  }
}

/**
 * Creates a value on first use. Provider SDKs take half a second of CPU and 40 MB to load, so unused ones are never loaded. A failed
 * creation is retried.
 */
export function lazy<Made>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

/**
 * Names for calls, where a provider wants the result of a call to name it. Ours are in order: the n-th result answers the n-th call that
 * has none yet.
 */
export function callIds(): { called(): string; answered(): string } {
  let calls = 0;
  let answers = 0;
  return { called: () => `call_${++calls}`, answered: () => `call_${++answers}` };
}
