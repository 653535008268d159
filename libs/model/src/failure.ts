import { PilothouseError, type ErrorCode } from '@pilothouse/contract';

/** What a provider said instead of an answer. */
export interface ProviderRefusal {
  /** HTTP status; null: it said nothing, the connection broke. */
  readonly status: number | null;
  readonly headers?: Headers | undefined;
  readonly message: string;
  /** Milliseconds it wants to be left alone, where it says so in the body. */
  readonly retryAfterMs?: number | undefined;
}

/** What the SDKs of OpenAI and Anthropic, which come from one generator, throw. */
interface ApiError extends Error {
  readonly status: number | undefined;
  readonly headers: Headers | undefined;
}

/** What was said by an error of such an SDK; of a broken connection the cause says more. */
export function toProviderRefusal({ status, headers, message, cause }: ApiError): ProviderRefusal {
  if (status !== undefined) return { status, headers, message };
  return { status: null, message: cause instanceof Error ? cause.message : message };
}

/** Thrown when a provider did not answer a call. */
export class ModelCallError extends PilothouseError {
  readonly status: number | null;
  /** Milliseconds the provider wants to be left alone; null: it did not say. */
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

// What is said about a key may quote it.
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
