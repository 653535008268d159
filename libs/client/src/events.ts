import { setTimeout as pause } from 'node:timers/promises';
import {
  PilothouseError,
  runEventSchema,
  terminalEvents,
  toPilothouseError,
  type RunEvent,
} from '@pilothouse/contract';
import { errorOf, unreachable } from './error.ts';
import { readEvents } from './sse.ts';

/** Milliseconds between two tries, doubled each time. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;

/** A stream in which nothing came for so long is dead: the API sends a comment every 15 s. */
const SILENT_MS = 40_000;

export interface FollowOptions {
  readonly url: string;
  readonly key: string;
  readonly run: string;
  /** Events after this number (default: all). */
  readonly after?: number;
  readonly signal?: AbortSignal;
  readonly fetch: typeof fetch;
}

/**
 * Events of a run, past and future, each once and in order; ends with the run. A lost connection is taken up again where it was.
 * @throws ApiError when the API refuses; the reason of the signal
 */
export async function* followEvents(options: FollowOptions): AsyncGenerator<RunEvent> {
  const { signal } = options;
  let after = options.after ?? 0;
  let failures = 0;
  for (;;) {
    signal?.throwIfAborted();
    try {
      for await (const event of oneConnection(options, after)) {
        failures = 0;
        if (event === 'end') return;
        if (event.seq <= after) continue;
        after = event.seq;
        yield event;
        if (terminalEvents.has(event.type)) return;
      }
    } catch (thrown) {
      signal?.throwIfAborted();
      const error = toPilothouseError(thrown);
      if (error.retry !== 'same-request') throw error;
      failures += 1;
      if (failures > 8) throw error;
    }
    await pause(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS), undefined, { signal });
  }
}

async function* oneConnection(
  { url, key, run, signal, fetch }: FollowOptions,
  after: number,
): AsyncGenerator<RunEvent | 'end'> {
  const silence = new AbortController();
  const watch = setTimeout(
    () => silence.abort(new PilothouseError('UNAVAILABLE', 'The stream of events went silent')),
    SILENT_MS,
  );
  const either = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
  try {
    const response = await fetch(`${url}/v1/runs/${encodeURIComponent(run)}/events`, {
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${key}`,
        ...(after > 0 && { 'last-event-id': String(after) }),
      },
      signal: either,
    }).catch((thrown: unknown) => {
      throw either.aborted ? either.reason : unreachable(url, thrown);
    });
    if (response.status === 204) return yield 'end';
    if (!response.ok || !response.body) throw errorOf(response.status, await response.json().catch(() => null));
    const noisy = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          watch.refresh();
          controller.enqueue(chunk);
        },
      }),
    );
    for await (const { event, data } of readEvents(noisy)) {
      if (event === 'end') return yield 'end';
      if (data !== '') yield runEventSchema.parse(JSON.parse(data));
    }
  } catch (thrown) {
    // A connection that breaks while it is read is no error of the API.
    if (thrown instanceof TypeError) throw unreachable(url, thrown);
    throw thrown;
  } finally {
    clearTimeout(watch);
  }
}
