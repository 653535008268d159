import { Readable } from 'node:stream';
import type { RunEvent } from '@pilothouse/contract';
import { Answer } from '../http/answer.ts';
import { invalid } from '../http/check.ts';
import { eventStream, type Asides, type Telling } from './event.stream.ts';

/** Milliseconds of silence before a comment is sent. */
const BEAT_MS = 15_000;

/** A reader that has taken nothing for so long, comments included, is cut off; it can go on where it was. */
const STALLED_MS = 60_000;

/** The socket of a request. */
interface Listening {
  readonly request: { readonly stream: { readonly socket: { setTimeout(ms: number): unknown } } };
}

/** An answer that tells events of a run as they come. */
export function followed(
  call: Listening,
  events: AsyncIterable<RunEvent>,
  telling: Telling,
  headers: Readonly<Record<string, string>> = {},
  asides?: Asides,
): Answer<undefined> {
  // A socket on which nothing moves, not even the comments, has nobody at its other end: node cuts it off.
  call.request.stream.socket.setTimeout(STALLED_MS);
  return new Answer<undefined>(
    200,
    Readable.from(eventStream(events, BEAT_MS, telling, asides), { objectMode: false }),
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
export function positionOf(
  lastEventId: string | undefined,
  after: number | undefined,
  eventSeq: number,
): number | null {
  if (lastEventId !== undefined && !/^\d{1,9}$/.test(lastEventId)) {
    throw invalid('headers', [{ pointer: 'headers/last-event-id', detail: 'Use the number of an event' }]);
  }
  const position = lastEventId === undefined ? (after ?? null) : Number(lastEventId);
  if (position === null || position <= eventSeq) return position;
  const pointer = lastEventId === undefined ? 'query/after' : 'headers/last-event-id';
  throw invalid('request', [{ pointer, detail: `The run has only ${eventSeq} events` }]);
}
