import { EventSourceParserStream } from 'eventsource-parser/stream';
import { networkError, toApiError } from './api-error.ts';

/** One message of a server-sent event stream. */
export interface SseMessage {
  /** Null when the message has no id. */
  readonly id: string | null;
  /** Event type. Default: `message`. */
  readonly event: string;
  readonly data: string;
}

/**
 * Reads the messages of a server-sent event stream. An incomplete last message is dropped.
 * @param body errors of the stream are thrown
 */
export async function* sseMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<SseMessage> {
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
  for await (const { id, event, data } of body.pipeThrough(decoder).pipeThrough(new EventSourceParserStream()))
    yield { id: id ?? null, event: event ?? 'message', data };
}

/** Resolves after the given time, or when the signal aborts; never throws. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}

/** First and maximum delay before a reconnection, in milliseconds. */
export const FIRST_DELAY_MS = 200;
export const MAX_DELAY_MS = 5_000;

/** A stream without data or comments for this time counts as broken. */
const IDLE_TIMEOUT_MS = 45_000;

/** API connection of a stream. */
export interface SseSource {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

export interface SseRequest {
  /** Path with query, relative to the URL of the API. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON body of a POST request. Missing: GET. */
  readonly body?: unknown;
  /** Receives the response before its first message. */
  readonly onResponse?: (response: Response) => void;
}

/**
 * Yields the messages of one connection until it ends or breaks. `end`: the stream is complete.
 * @throws ApiError, PilothouseError UNAVAILABLE, errors of the stream
 */
export async function* sseConnection(
  { url, headers, fetch: fetchUrl }: SseSource,
  { path, headers: moreHeaders, body, onResponse }: SseRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<SseMessage | 'end'> {
  const idle = new AbortController();
  const startTimer = () =>
    setTimeout(() => idle.abort(new Error(`No data for ${IDLE_TIMEOUT_MS} ms`)), IDLE_TIMEOUT_MS);
  let timer = startTimer();
  try {
    const response = await fetchUrl(`${url}${path}`, {
      headers: {
        ...headers,
        accept: 'text/event-stream',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...moreHeaders,
      },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, idle.signal]) : idle.signal,
    }).catch((thrown: unknown) => {
      throw networkError(url, thrown);
    });
    if (response.status === 204) return yield 'end';
    if (!response.ok || !response.body) throw await toApiError(response);
    onResponse?.(response);
    const watchdog = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        clearTimeout(timer);
        timer = startTimer();
        controller.enqueue(chunk);
      },
    });
    for await (const message of sseMessages(response.body.pipeThrough(watchdog))) {
      if (message.event === 'end') return yield 'end';
      if (message.event === 'message') yield message;
    }
  } finally {
    clearTimeout(timer);
    // The consumer stopped early: close the connection.
    idle.abort();
  }
}
