import { PilothouseError, type ModelAnswer, type ModelRequest } from '@pilothouse/contract';
import { UnusableAnswerError, type Clock, type ModelContext } from '@pilothouse/core';
import { toModelAnswer, type ProviderAnswer } from './answer.ts';
import type { ModelRef } from './endpoint.ts';
import { ModelCallError, type ProviderRefusal } from './failure.ts';

/** Takes notice of a piece of an answer. @param text what it adds to the text of the answer */
export type OnPartialText = (text?: string | null) => void;

/** One call of an adapter. @typeParam Response what the SDK makes of an answer */
export interface ProviderCall<Response> {
  readonly ref: ModelRef;
  readonly request: ModelRequest;
  readonly context: Pick<ModelContext, 'signal' | 'deadline' | 'said'>;
  readonly clock: Clock;
  /** Most milliseconds between two pieces of an answer; left out: it comes whole. */
  readonly silenceMs?: number | undefined;
  /** Asks the provider. The signal aborts when nobody waits any more. @param heard to be called for each piece, with its text where it has any */
  send(signal: AbortSignal, heard: OnPartialText): Promise<Response>;
  /** Reads what came, which may be anything: where that is not what the provider promises it may throw anything. */
  read(response: Response): ProviderAnswer;
  /** What the provider said by an error of its SDK; undefined: the error is none of those. */
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
  const silence = silenceMs === undefined ? undefined : setTimeout(() => silent.abort(), silenceMs);
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
    clearTimeout(silence);
  }
  const ms = clock.monotonic() - began;
  return toModelAnswer(
    ref,
    request,
    understood(() => call.read(response)),
    ms,
  );
}

/** What was read; of what cannot be read nothing. */
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
    const answer: ModelAnswer = { text: '', calls: [], finish: 'stop', provider, model, usage, usd: null, ms };
    return new UnusableAnswerError(`What ${provider}/${model} sent is not what it promises`, answer);
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ModelCallError(`${provider}/${model}`, { status: null, message });
}

/**
 * Whether the SDK stumbled over what came: no JSON, or other JSON than it takes for granted. What the network does wrong is a TypeError,
 * too, but has a cause. By name: what reads the body may be of another realm than this file.
 */
const isMisread = (thrown: unknown) =>
  typeof thrown === 'object' &&
  thrown !== null &&
  'name' in thrown &&
  (thrown.name === 'SyntaxError' || (thrown.name === 'TypeError' && !('cause' in thrown && thrown.cause)));
