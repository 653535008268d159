import { Readable } from 'node:stream';
import { HttpResponse } from '../../http/http-response.ts';
import { validationError } from '../../http/request-validation.ts';
import { toSse, type EphemeralFrames, type SseFormat } from './sse-stream.ts';

/** Idle milliseconds before a comment is sent. */
const HEARTBEAT_MS = 15_000;

/** Milliseconds after which a client that reads nothing is disconnected. It can resume. */
const STALLED_MS = 60_000;

interface Listening {
  readonly request: { readonly stream: { readonly socket: { setTimeout(ms: number): unknown } } };
}

/** Response that streams events. */
export function sseResponse<Item>(
  call: Listening,
  events: AsyncIterable<Item>,
  format: SseFormat<Item>,
  headers: Readonly<Record<string, string>> = {},
  ephemeral?: EphemeralFrames,
): HttpResponse<undefined> {
  // A socket that does not even accept heartbeats has no client: Node closes it.
  call.request.stream.socket.setTimeout(STALLED_MS);
  return new HttpResponse<undefined>(
    200,
    Readable.from(toSse(events, HEARTBEAT_MS, format, ephemeral), { objectMode: false }),
    {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      ...headers,
    },
  );
}

/**
 * Position to resume from. The Last-Event-ID of the browser takes precedence over the query.
 * @returns number of the last event that the client has; null if unspecified
 * @throws PilothouseError VALIDATION_FAILED for a number beyond the last event
 */
export function resumePosition(
  lastEventId: string | undefined,
  querySeq: number | undefined,
  eventSeq: number,
): number | null {
  if (lastEventId !== undefined && !/^\d{1,9}$/.test(lastEventId)) {
    throw validationError('headers', [{ pointer: 'headers/last-event-id', detail: 'Use the number of an event' }]);
  }
  const position = lastEventId === undefined ? (querySeq ?? null) : Number(lastEventId);
  if (position === null || position <= eventSeq) return position;
  const pointer = lastEventId === undefined ? 'query/after' : 'headers/last-event-id';
  throw validationError('request', [{ pointer, detail: `The run has only ${eventSeq} events` }]);
}
