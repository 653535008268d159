import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ModelAnswer } from '@pilothouse/contract/model/model.schema';
import { UnusableAnswerError, type ModelContext } from '@pilothouse/core/ports/model.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { fullModelName, type ModelRef } from './model-endpoint.ts';

/** Error response of a provider. */
export interface ProviderRefusal {
  /** HTTP status; null: no response, the connection broke. */
  readonly status: number | null;
  readonly headers?: Headers | undefined;
  readonly message: string;
  /** Retry delay in milliseconds, from the body. */
  readonly retryAfterMs?: number | undefined;
}

/** Shape of the errors of the OpenAI and Anthropic SDKs, which share a generator. */
interface ApiError extends Error {
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
}

/** Converts such an error. For broken connections the cause has details. */
export function toProviderRefusal({ status, headers, message, cause }: ApiError): ProviderRefusal {
  // The SDKs begin the message with the status.
  if (status !== undefined) return { status, headers, message: withoutPrefix(message, `${status} `) };
  return { status: null, message: cause instanceof Error ? cause.message : message };
}

const withoutPrefix = (text: string, prefix: string) => (text.startsWith(prefix) ? text.slice(prefix.length) : text);

/** Thrown when a call had no answer within its time limit. The provider may charge for it. */
export class ModelTimeoutError extends PilothouseError {
  constructor(message: string) {
    super('MODEL_UNAVAILABLE', message);
  }
}

/** Thrown when a stream sent no data for its whole time limit. Another call would wait as long. */
export class ModelSilenceError extends PilothouseError {
  constructor(message: string) {
    super('MODEL_UNAVAILABLE', message);
  }
}

/** Thrown when a provider did not answer a call. */
export class ModelCallError extends PilothouseError {
  readonly status: number | null;
  /** Retry delay in milliseconds; null: not given. */
  readonly retryAfterMs: number | null;
  /** Text of the provider, without the name of the model. */
  readonly reason: string;

  constructor(provider: string, { status, headers, message, retryAfterMs }: ProviderRefusal) {
    const detail = isAuthenticationStatus(status) ? '' : `: ${message.replaceAll(/\s+/g, ' ').slice(0, 300)}`;
    super(
      codeOf(status),
      status === null ? `${provider} could not be reached${detail}` : `${provider} answered HTTP ${status}${detail}`,
      { details: { provider, ...(status !== null && { status }) } },
    );
    this.status = status;
    this.reason = message.slice(0, MAX_REASON_CHARS);
    this.retryAfterMs = parseRetryAfter(headers) ?? retryAfterMs ?? null;
  }
}

/** Maximum characters of a reason. */
const MAX_REASON_CHARS = 2000;

/** True while a local server loads the model, which takes minutes. */
export const isLoadingModel = (error: unknown): boolean =>
  error instanceof ModelCallError && error.status === 503 && /loading model/i.test(error.reason);

// The message of an authentication error may quote the key.
const isAuthenticationStatus = (status: number | null) => status === 401 || status === 403;

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 409, 425, 429]);

function codeOf(status: number | null): ErrorCode {
  if (status === null || status >= 500 || TRANSIENT_STATUSES.has(status)) return 'MODEL_UNAVAILABLE';
  // The provider does not know the key or the model, or has another address.
  return isAuthenticationStatus(status) || status === 404 || (status >= 300 && status < 400)
    ? 'MODEL_NOT_CONFIGURED'
    : 'MODEL_REFUSED';
}

/** Parses `Retry-After`, seconds or a date, into milliseconds. */
function parseRetryAfter(headers: Headers | undefined): number | undefined {
  const text = headers?.get('retry-after');
  if (!text) return undefined;
  const ms = /^\d+([.]\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** Context words and the number after them. */
const CONTEXT_SIZE = /(?:context (?:size|length|window)|maximum context)\D{1,12}(\d{3,8})(?!\d)/g;

/** Context window that a server names when it refuses a prompt that is too long; null: another error. */
export function refusedContextTokens(thrown: unknown): number | null {
  if (!(thrown instanceof ModelCallError) || (thrown.status !== 400 && thrown.status !== 413)) return null;
  const reason = thrown.reason.slice(0, 500).toLowerCase();
  // llama.cpp: "the available context size (4096 tokens)"; vLLM: "maximum context length is 4096 tokens". Other numbers are lengths of the prompt.
  const candidates = [...reason.matchAll(CONTEXT_SIZE)].map(([, tokens]) => Number(tokens));
  return candidates.length === 0 ? null : Math.min(...candidates);
}

/** Milliseconds until a rejected feature is tried again: the server may support it by then. */
const UNSUPPORTED_TTL_MS = 3_600_000;

type ModelAttempt = () => Promise<ModelAnswer>;

/**
 * Request features that an endpoint may reject. If a call without the feature succeeds, the endpoint is called without it for an hour. An
 * endpoint that accepted the feature within that time rejected only one request, so the next call uses it again.
 */
export class UnsupportedOptions {
  private readonly ref: ModelRef;
  private readonly clock: Clock;
  /** Log message once the feature is found to be unsupported. */
  private readonly unsupportedMessage: string;
  /** Monotonic time until which calls omit the feature. */
  private unsupportedUntilMs = -Infinity;
  /** Monotonic time of the last call that was accepted with the feature. */
  private lastAcceptedAtMs = -Infinity;

  constructor(ref: ModelRef, clock: Clock, unsupportedMessage: string) {
    this.ref = ref;
    this.clock = clock;
    this.unsupportedMessage = unsupportedMessage;
  }

  /**
   * @param hasOtherReason whether the rejection is known to have another reason
   * @throws errors of both calls; if both are rejected, the first one
   */
  async call(
    callWithFeature: ModelAttempt,
    callWithoutFeature: ModelAttempt,
    { signal, log }: ModelContext,
    hasOtherReason = () => false,
  ): Promise<ModelAnswer> {
    if (this.clock.monotonic() < this.unsupportedUntilMs) return callWithoutFeature();
    try {
      const answer = await callWithFeature();
      this.lastAcceptedAtMs = this.clock.monotonic();
      return answer;
    } catch (thrown) {
      if (hasOtherReason() || !mayBeUnsupported(thrown)) throw thrown;
      const answer = await callWithoutFeature().catch((secondError: unknown) => {
        signal.throwIfAborted();
        if (secondError instanceof UnusableAnswerError) return secondError;
        throw mayBeUnsupported(secondError) ? thrown : secondError;
      });
      const now = this.clock.monotonic();
      if (now - this.lastAcceptedAtMs > UNSUPPORTED_TTL_MS) {
        this.unsupportedUntilMs = now + UNSUPPORTED_TTL_MS;
        log.warn({ model: fullModelName(this.ref), error: (thrown as Error).message }, this.unsupportedMessage);
      }
      // The feature was accepted, regardless of the result.
      if (answer instanceof UnusableAnswerError) throw answer;
      return answer;
    }
  }
}

/** Status codes for unknown features: invalid request, or unknown model. Messages differ between providers. */
const UNSUPPORTED_STATUSES: ReadonlySet<number | null> = new Set([400, 404, 422, 501]);

/** True if the endpoint may not support a feature of the request. */
export const mayBeUnsupported = (thrown: unknown): boolean =>
  thrown instanceof ModelCallError &&
  refusedContextTokens(thrown) === null &&
  (UNSUPPORTED_STATUSES.has(thrown.status) || (thrown.status === 500 && thrown.reason.includes('--jinja')));

/** Adds the options of the call to an answer, or to an unusable one. */
export async function callWithSupportedOptions(
  options: Pick<ModelAnswer, 'dialect' | 'schemaMode'>,
  answer: Promise<ModelAnswer>,
): Promise<ModelAnswer> {
  try {
    return { ...(await answer), ...options };
  } catch (thrown) {
    throw thrown instanceof UnusableAnswerError
      ? new UnusableAnswerError(thrown.message, { ...thrown.answer, ...options })
      : thrown;
  }
}
