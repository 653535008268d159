import { terminalEvents, type RunEvent } from '@pilothouse/contract';
import { systemTimers, type Timer } from '@pilothouse/core';

/** Milliseconds a browser waits before it connects again. */
const RETRY_MS = 3_000;

const HEARTBEAT = Symbol('beat');
const EPHEMERAL = Symbol('aside');
const EVENT = Symbol('event');

/** Subscribes to ephemeral frames between events; only the latest is sent. @returns unsubscribes */
export type EphemeralFrames = (say: (frames: string) => void) => () => void;

/** Format of a stream. */
export interface SseFormat {
  /** Said before the first event, as frames of a stream; empty: nothing. */
  readonly opening: string;
  /** An event as frames of the stream; empty when it is not sent. */
  frames(event: RunEvent): string;
}

/** The events themselves, each with its number. */
export const eventSseFormat: SseFormat = {
  opening: '',
  frames: (event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`,
};

/**
 * Events as server-sent events. Silence is filled with comments, so that proxies keep the connection. Nothing
 * is read ahead: while the socket is full the next event is not asked for.
 * @param heartbeatMs milliseconds of silence before a comment
 * @param ephemeral what is worth nothing a second later
 */
export async function* toSse(
  events: AsyncIterable<RunEvent>,
  heartbeatMs: number,
  format: SseFormat = eventSseFormat,
  ephemeral: EphemeralFrames = () => () => undefined,
): AsyncGenerator<string> {
  const latestFrames = new LatestFrames();
  yield `retry: ${RETRY_MS}\n\n${format.opening}`;
  const iterator = events[Symbol.asyncIterator]();
  const stop = ephemeral((frames) => latestFrames.say(frames));
  try {
    for (;;) {
      const next = new PendingEvent(iterator.next());
      let heard = await nextSignal(next, latestFrames, heartbeatMs);
      while (heard === HEARTBEAT || heard === EPHEMERAL) {
        yield heard === HEARTBEAT ? ': still here\n\n' : latestFrames.take();
        heard = await nextSignal(next, latestFrames, heartbeatMs);
      }
      // Without a terminal event the process stops: the client connects again, elsewhere.
      if (heard.done) return;
      const frames = format.frames(heard.value);
      if (frames !== '') yield frames;
      if (terminalEvents.has(heard.value.type)) {
        yield 'event: end\ndata: {}\n\n';
        return;
      }
    }
  } finally {
    stop();
    await iterator.return?.();
  }
}

/** The latest ephemeral frames. */
class LatestFrames {
  private frames = '';
  private wake: (() => void) | undefined;

  say(frames: string): void {
    this.frames = frames;
    this.wake?.();
  }

  take(): string {
    const { frames } = this;
    this.frames = '';
    return frames;
  }

  /** Calls `wake` as soon as there is something to take. */
  onFrame(wake: (() => void) | undefined): void {
    this.wake = wake;
    if (this.frames !== '') wake?.();
  }
}

/** Value that is requested once, although waits for it may end early. */
class PendingEvent<Value> {
  readonly value: Promise<Value>;
  private isReady = false;
  private wake: (() => void) | undefined;

  constructor(value: Promise<Value>) {
    this.value = value;
    const there = () => {
      this.isReady = true;
      this.wake?.();
    };
    value.then(there, there);
  }

  /** Calls `wake` as soon as it is there, or has failed. */
  onReady(wake: (() => void) | undefined): void {
    this.wake = wake;
    if (this.isReady) wake?.();
  }
}

/** Returns what comes first: an event, an ephemeral frame, or the heartbeat interval. */
async function nextSignal<Value>(
  event: PendingEvent<Value>,
  latestFrames: LatestFrames,
  ms: number,
): Promise<Value | typeof HEARTBEAT | typeof EPHEMERAL> {
  let timer: Timer | undefined;
  const first = await new Promise<typeof HEARTBEAT | typeof EPHEMERAL | typeof EVENT>((resolve) => {
    event.onReady(() => resolve(EVENT));
    timer = systemTimers.setTimeout(() => resolve(HEARTBEAT), ms);
    latestFrames.onFrame(() => resolve(EPHEMERAL));
  });
  systemTimers.clearTimeout(timer);
  latestFrames.onFrame(undefined);
  event.onReady(undefined);
  return first === EVENT ? event.value : first;
}
