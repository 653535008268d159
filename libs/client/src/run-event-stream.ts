import { EventSourceParserStream } from 'eventsource-parser/stream';
import { PilothouseError, runEventSchema, terminalEvents, type RunEvent } from '@pilothouse/contract';
import { toApiError, networkError } from './api-error.ts';

/** One message of a stream of server-sent events. */
export interface SseMessage {
  /** Null when the message has no id. */
  readonly id: string | null;
  /** Type; `message` if the stream names none. */
  readonly event: string;
  readonly data: string;
}

/**
 * Reads the messages of a stream of server-sent events. An incomplete last message is dropped.
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
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 5_000;

/** A stream without data or comments for this time is considered broken. */
const IDLE_TIMEOUT_MS = 45_000;

export interface EventsOptions {
  /** Only events with a higher number. */
  after?: number;
  /** Ends the iteration, without an error. */
  signal?: AbortSignal;
}

interface Source {
  url: string;
  headers: Readonly<Record<string, string>>;
  fetch: typeof fetch;
}

/**
 * Yields the events of a run, in order, each once, until the run has ended. Resumes broken connections after the last event and retries
 * an unavailable API with exponential backoff.
 * @throws ApiError when a retry cannot succeed
 */
export async function* runEvents(source: Source, run: string, { after = 0, signal }: EventsOptions = {}) {
  let lastSeq = after;
  let delayMs = FIRST_DELAY_MS;
  const isStopped = () => signal?.aborted === true;
  while (!isStopped()) {
    try {
      for await (const event of connect(source, run, lastSeq, signal)) {
        if (event === 'end') return;
        // Skips duplicates.
        if (event.seq <= lastSeq) continue;
        lastSeq = event.seq;
        delayMs = FIRST_DELAY_MS;
        yield event;
        if (terminalEvents.has(event.type)) return;
      }
    } catch (error) {
      if (isStopped()) return;
      if (error instanceof PilothouseError && error.retry !== 'same-request') throw error;
    }
    if (isStopped()) return;
    // Jitter: clients of the same server do not reconnect at the same time.
    await sleep(delayMs * (0.5 + Math.random() / 2), signal);
    delayMs = Math.min(delayMs * 2, MAX_DELAY_MS);
  }
}

/** Events of one connection, until it ends or breaks. */
async function* connect(
  { url, headers, fetch: fetchUrl }: Source,
  run: string,
  after: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<RunEvent | 'end'> {
  const idle = new AbortController();
  const startTimer = () =>
    setTimeout(() => idle.abort(new Error(`Nothing came for ${IDLE_TIMEOUT_MS} ms`)), IDLE_TIMEOUT_MS);
  let timer = startTimer();
  try {
    const response = await fetchUrl(`${url}/v1/runs/${encodeURIComponent(run)}/events`, {
      headers: { ...headers, accept: 'text/event-stream', 'last-event-id': String(after) },
      signal: signal ? AbortSignal.any([signal, idle.signal]) : idle.signal,
    }).catch((thrown: unknown) => {
      throw networkError(url, thrown);
    });
    if (response.status === 204) return yield 'end';
    if (!response.ok || !response.body) throw await toApiError(response);
    const watchdog = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        clearTimeout(timer);
        timer = startTimer();
        controller.enqueue(chunk);
      },
    });
    for await (const { event, data } of sseMessages(response.body.pipeThrough(watchdog))) {
      if (event === 'end') return yield 'end';
      if (event === 'message') yield eventOf(data);
    }
  } finally {
    clearTimeout(timer);
    // The consumer stopped early: close the connection.
    idle.abort();
  }
}

/** @throws PilothouseError PROTOCOL_INVALID: a retry would return the same event */
function eventOf(data: string): RunEvent {
  try {
    return runEventSchema.parse(JSON.parse(data));
  } catch (cause) {
    throw new PilothouseError('PROTOCOL_INVALID', 'The API sent an event that this client does not know; update it', {
      cause,
    });
  }
}
