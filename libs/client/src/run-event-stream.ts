import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { runEventSchema, terminalEvents, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { FIRST_DELAY_MS, MAX_DELAY_MS, sleep, sseConnection, type SseSource } from './sse-connection.ts';

export interface EventsOptions {
  /** Only events with a higher `seq`. */
  after?: number;
  /** Ends the iteration, without an error. */
  signal?: AbortSignal;
}

/**
 * Yields the events of a run, in order, each once, until the run has ended. Resumes broken connections after the last event and retries
 * an unavailable API with exponential backoff.
 * @throws ApiError when a retry cannot succeed
 */
export async function* runEvents(source: SseSource, run: string, { after: startSeq = 0, signal }: EventsOptions = {}) {
  let lastSeq = startSeq;
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
  source: SseSource,
  run: string,
  lastSeq: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<RunEvent | 'end'> {
  const path = `/v1/runs/${encodeURIComponent(run)}/events`;
  for await (const message of sseConnection(source, { path, headers: { 'last-event-id': String(lastSeq) } }, signal))
    yield message === 'end' ? 'end' : eventOf(message.data);
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
