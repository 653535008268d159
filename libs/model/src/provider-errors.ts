import { type ErrorCode, type ModelAnswer, PilothouseError } from '@pilothouse/contract';
import { UnusableAnswerError, type Clock, type ModelContext } from '@pilothouse/core';
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
  if (status !== undefined) return { status, headers, message };
  return { status: null, message: cause instanceof Error ? cause.message : message };
}

/** Thrown when a provider did not answer a call. */
export class ModelCallError extends PilothouseError {
  readonly status: number | null;
  /** Retry delay in milliseconds; null: not given. */
  readonly retryAfterMs: number | null;

  constructor(provider: string, { status, headers, message, retryAfterMs }: ProviderRefusal) {
    const said = isAboutKey(status) ? '' : `: ${message.replaceAll(/\s+/g, ' ').slice(0, 300)}`;
    super(
      codeOf(status),
      status === null ? `${provider} could not be reached${said}` : `${provider} answered HTTP ${status}${said}`,
      { details: { provider, ...(status !== null && { status }) } },
    );
    this.status = status;
    this.retryAfterMs = readRetryAfter(headers) ?? retryAfterMs ?? null;
  }
}

// The message of an authentication error may quote the key.
const isAboutKey = (status: number | null) => status === 401 || status === 403;

const TRANSIENT: ReadonlySet<number> = new Set([408, 409, 425, 429]);

function codeOf(status: number | null): ErrorCode {
  if (status === null || status >= 500 || TRANSIENT.has(status)) return 'MODEL_UNAVAILABLE';
  // The key, or the name of the model, is not known there.
  return isAboutKey(status) || status === 404 ? 'MODEL_NOT_CONFIGURED' : 'MODEL_REFUSED';
}

/** `RetryPolicy-After` in milliseconds: seconds or an instant. */
function readRetryAfter(headers: Headers | undefined): number | undefined {
  const text = headers?.get('retry-after');
  if (!text) return undefined;
  const ms = /^\d+([.]\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

/** Milliseconds after which a model that was found to take something not is asked with it again: its server may have learned it. */
const REMEMBERED_MS = 3_600_000;

type Ask = () => Promise<ModelAnswer>;

/**
 * Request features that an endpoint may reject. If a call without the feature succeeds, the endpoint is called without it for an hour. An
 * endpoint that accepted the feature within that time rejected only one request, so the next call uses it again.
 */
export class UnsupportedOptions {
  private readonly ref: ModelRef;
  private readonly clock: Clock;
  /** For the log, once it is found. */
  private readonly found: string;
  /** Until when it is asked without, in monotonic milliseconds. */
  private until = -Infinity;
  /** When it last took it, in monotonic milliseconds. */
  private takenAt = -Infinity;

  constructor(ref: ModelRef, clock: Clock, found: string) {
    this.ref = ref;
    this.clock = clock;
    this.found = found;
  }

  /**
   * @param isOther whether the rejection is known to have another reason
   * @throws errors of both calls; if both are rejected, the first one
   */
  async ask(whole: Ask, without: Ask, { signal, log }: ModelContext, isOther = () => false): Promise<ModelAnswer> {
    if (this.clock.monotonic() < this.until) return without();
    try {
      const answer = await whole();
      this.takenAt = this.clock.monotonic();
      return answer;
    } catch (thrown) {
      if (isOther() || !mayBeOfRequest(thrown)) throw thrown;
      const answer = await without().catch((other: unknown) => {
        signal.throwIfAborted();
        if (other instanceof UnusableAnswerError) return other;
        throw mayBeOfRequest(other) ? thrown : other;
      });
      const now = this.clock.monotonic();
      if (now - this.takenAt > REMEMBERED_MS) {
        this.until = now + REMEMBERED_MS;
        log.warn({ model: fullModelName(this.ref), error: (thrown as Error).message }, this.found);
      }
      // The feature was accepted, whatever the result.
      if (answer instanceof UnusableAnswerError) throw answer;
      return answer;
    }
  }
}

/** Status codes for unknown features: invalid request, or unknown model. Messages differ between providers. */
const REFUSALS: ReadonlySet<number | null> = new Set([400, 404, 422, 501]);

const mayBeOfRequest = (thrown: unknown): boolean => thrown instanceof ModelCallError && REFUSALS.has(thrown.status);

/** Adds the options of the call to an answer, or to an unusable one. */
export async function callWithSupportedOptions(
  how: Pick<ModelAnswer, 'dialect' | 'schemaMode'>,
  answer: Promise<ModelAnswer>,
): Promise<ModelAnswer> {
  try {
    return { ...(await answer), ...how };
  } catch (thrown) {
    throw thrown instanceof UnusableAnswerError
      ? new UnusableAnswerError(thrown.message, { ...thrown.answer, ...how })
      : thrown;
  }
}
