import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { runEventSchema, terminalEvents, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { resumedStream } from './resumed-stream.ts';
import type { SseSource } from './sse-connection.ts';

export interface EventsOptions {
  /** Only events with a higher `seq`. */
  after?: number;
  /** Ends the iteration, without an error. */
  signal?: AbortSignal;
}

/**
 * Yields the events of a run, in order, each once, until the run has ended.
 * @throws ApiError when a retry cannot succeed
 */
export function runEvents(source: SseSource, run: string, { after: startSeq = 0, signal }: EventsOptions = {}) {
  let lastSeq = startSeq;
  return resumedStream<RunEvent>(
    source,
    {
      request: () => ({
        path: `/v1/runs/${encodeURIComponent(run)}/events`,
        headers: { 'last-event-id': String(lastSeq) },
      }),
      read({ data }) {
        const event = eventOf(data);
        if (event.seq <= lastSeq) return null;
        lastSeq = event.seq;
        return event;
      },
      isLast: ({ type }) => terminalEvents.has(type),
    },
    signal,
  );
}

/** @throws PilothouseError PROTOCOL_INVALID: a retry would return the same event */
function eventOf(data: string): RunEvent {
  try {
    return runEventSchema.parse(JSON.parse(data));
  } catch (cause) {
    throw new PilothouseError('PROTOCOL_INVALID', 'The API sent an unknown event: update this client', {
      cause,
    });
  }
}
