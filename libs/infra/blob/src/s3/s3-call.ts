import { AsyncLocalStorage } from 'node:async_hooks';
import http from 'node:http';
import https from 'node:https';
import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { linkAbort } from '@pilothouse/core/time/deadlines';
import { systemTimers } from '@pilothouse/core/time/timers';
import { errorCode } from '../code-of.ts';

/** Milliseconds until the response of a call, and without progress of a transfer. */
export const S3_CALL_TIMEOUT_MS = 30_000;
const SOCKET_TIMEOUT_MS = 60_000;
// Shorter than the keep-alive of any server, so that a request never uses a connection that is being closed.
const IDLE_CONNECTION_MS = 4_000;

/** One call to the store: its abort signal, headers that the client does not support, and the response status. */
export interface S3Call {
  readonly signal: AbortSignal;
  readonly headers: Readonly<Record<string, string>>;
  status?: number;
}

/** Abort reason when the store does not respond in time. */
export class S3TimeoutError extends Error {
  override readonly name = 'S3TimeoutError';
}

// The client passes neither signal nor deadline to its requests, so AsyncLocalStorage carries them.
const calls = new AsyncLocalStorage<S3Call>();

// The client throws for these without reading the body; an unread body would hold the connection.
const STATUSES_WITHOUT_READ: ReadonlySet<number | undefined> = new Set([408, 429, 499, 500, 502, 503, 504, 520]);

/** HTTP transport of the S3 client. Each request ends with its call, or when the transfer makes no progress. */
export function createTransport(useSSL: boolean): Pick<typeof http, 'request'> {
  const { request } = useSSL ? https : http;
  const send = (options: https.RequestOptions, onResponse?: (response: http.IncomingMessage) => void) => {
    const call = calls.getStore();
    const callOptions = call && { signal: call.signal, headers: { ...options.headers, ...call.headers } };
    const clientRequest = request({ ...options, ...callOptions }, (response) => {
      if (call) call.status = response.statusCode;
      if (STATUSES_WITHOUT_READ.has(response.statusCode)) response.resume();
      onResponse?.(response);
    });
    clientRequest.setTimeout(SOCKET_TIMEOUT_MS, () =>
      clientRequest.destroy(new S3TimeoutError(`no progress for ${SOCKET_TIMEOUT_MS / 1000} s`)),
    );
    return clientRequest;
  };
  return { request: send as typeof http.request };
}

/** Keeps connections between calls. */
export function createAgent(useSSL: boolean): http.Agent {
  return new (useSSL ? https : http).Agent({ keepAlive: true, maxSockets: 64, timeout: IDLE_CONNECTION_MS });
}

export interface CallOptions {
  /** Milliseconds until the response. */
  readonly ms?: number;
  readonly signal?: AbortSignal;
  /** Extra headers, not signed. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Runs one call. The deadline covers the response; a body that is read afterwards must only make progress.
 * @throws S3CallError with the error of the client, which the caller translates
 */
export async function callWithDeadline<T>(
  run: () => Promise<T>,
  { ms = S3_CALL_TIMEOUT_MS, signal, headers = {} }: CallOptions = {},
): Promise<T> {
  const abort = new AbortController();
  const call: S3Call = { signal: abort.signal, headers };
  const timer = systemTimers.setTimeout(() => abort.abort(new S3TimeoutError(`no answer within ${ms / 1000} s`)), ms);
  const unlink = signal && linkAbort(signal, (reason) => abort.abort(reason));
  try {
    return await calls.run(call, run);
  } catch (error) {
    throw new S3CallError(call, error);
  } finally {
    systemTimers.clearTimeout(timer);
    unlink?.();
  }
}

/** A failed call with the status of its response. */
export class S3CallError extends Error {
  override readonly name = 'S3CallError';
  readonly call: S3Call;

  constructor(call: S3Call, cause: unknown) {
    super(toPilothouseError(cause).message, { cause });
    this.call = call;
  }

  /** Code of the S3 response (`NoSuchKey`, ...) or of the system (`ECONNREFUSED`), or the name of the error. */
  get code(): string {
    return errorCode(this.cause) || (this.cause instanceof Error ? this.cause.constructor.name : '');
  }
}

/** Address and credentials of a bucket. */
export interface S3Config {
  /** `http://host:port` or `https://host`. Objects are addressed by path (`/bucket/key`). */
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly bucket: string;
  /** Default: `us-east-1`, which servers other than Amazon S3 ignore. */
  readonly region?: string;
}

export const DEFAULT_REGION = 'us-east-1';

/**
 * Parses an endpoint for the S3 client.
 * @throws PilothouseError UNAVAILABLE with the setting to change
 */
export function parseEndpoint(endpoint: string): { endPoint: string; port: number; useSSL: boolean } {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw invalidEndpoint(endpoint, 'it is not an http or https URL. Example: http://127.0.0.1:9000');
  }
  if (url.pathname !== '/' || url.search || url.hash)
    throw invalidEndpoint(endpoint, 'it has a path; set the bucket with S3_BUCKET');
  if (url.username || url.password)
    throw invalidEndpoint(url.host, 'it has a user; set the keys with S3_ACCESS_KEY and S3_SECRET_KEY');
  const useSSL = url.protocol === 'https:';
  return { endPoint: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || (useSSL ? 443 : 80), useSSL };
}

const invalidEndpoint = (endpoint: string, reason: string) =>
  new PilothouseError('UNAVAILABLE', `The S3 endpoint ${endpoint} is not usable: ${reason}`);
