import { Readable } from 'node:stream';
import type { RunEvent } from '@pilothouse/contract';
import { HttpResponse } from '../../http/http-response.ts';
import { validationError } from '../../http/request-validation.ts';
import { toSse, type EphemeralFrames, type SseFormat } from './sse-stream.ts';

/** Milliseconds of silence before a comment is sent. */
const HEARTBEAT_MS = 15_000;

/** A reader that has taken nothing for so long, comments included, is cut off; it can go on where it was. */
const STALLED_MS = 60_000;

/** The socket of a request. */
interface Listening {
  readonly request: { readonly stream: { readonly socket: { setTimeout(ms: number): unknown } } };
}

/** Response that streams the events of a run. */
export function sseResponse(
  call: Listening,
  events: AsyncIterable<RunEvent>,
  format: SseFormat,
  headers: Readonly<Record<string, string>> = {},
  ephemeral?: EphemeralFrames,
): HttpResponse<undefined> {
  // A socket that accepts not even heartbeats has no client any more: Node closes it.
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
 * Where to go on: what the browser says it has comes before what the page asked for at first.
 * @returns number of the last event that the client has; null: it does not say
 * @throws PilothouseError VALIDATION_FAILED for a number that the run has not come to
 */
export function resumePosition(
  lastEventId: string | undefined,
  after: number | undefined,
  eventSeq: number,
): number | null {
  if (lastEventId !== undefined && !/^\d{1,9}$/.test(lastEventId)) {
    throw validationError('headers', [{ pointer: 'headers/last-event-id', detail: 'Use the number of an event' }]);
  }
  const position = lastEventId === undefined ? (after ?? null) : Number(lastEventId);
  if (position === null || position <= eventSeq) return position;
  const pointer = lastEventId === undefined ? 'query/after' : 'headers/last-event-id';
  throw validationError('request', [{ pointer, detail: `The run has only ${eventSeq} events` }]);
}
