import { terminalEvents, type RunEvent } from '@pilothouse/contract/events/event-log.schema';
import { systemTimers, type Timer } from '@pilothouse/core/time/timers';

/** Milliseconds before a browser reconnects. */
const RETRY_MS = 3_000;

const HEARTBEAT = Symbol('heartbeat');
const EPHEMERAL = Symbol('ephemeral');
const EVENT = Symbol('event');

/** Subscribes to ephemeral frames between events; only the latest is sent. @returns unsubscribes */
export type EphemeralFrames = (push: (frames: string) => void) => () => void;

/** Format of a stream. */
export interface SseFormat<Item = RunEvent> {
  /** Frames before the first event; empty for none. */
  readonly opening: string;
  /** Frames of an event; empty if it is not sent. */
  frames(event: Item): string;
  /** No event follows: the stream ends with `event: end`. */
  isLast(event: Item): boolean;
}

/** True for the event that ends a run. */
export const isLastRunEvent = ({ type }: RunEvent): boolean => terminalEvents.has(type);

/** The plain events, each with its number. */
export const eventSseFormat: SseFormat = {
  opening: '',
  isLast: isLastRunEvent,
  frames: (event) => `id: ${event.seq}\ndata: ${JSON.stringify(event)}\n\n`,
};

/**
 * Sends events as server-sent events. Comments during silence keep proxies from closing the connection.
 * Nothing is read ahead: the next event is requested only when the socket can take it.
 * @param heartbeatMs idle milliseconds before a comment
 * @param ephemeral frames that are not replayed
 */
export async function* toSse<Item>(
  events: AsyncIterable<Item>,
  heartbeatMs: number,
  format: SseFormat<Item>,
  ephemeral: EphemeralFrames = () => () => undefined,
): AsyncGenerator<string> {
  const latestFrames = new LatestFrames();
  yield `retry: ${RETRY_MS}\n\n${format.opening}`;
  const iterator = events[Symbol.asyncIterator]();
  const stop = ephemeral((frames) => latestFrames.push(frames));
  try {
    for (;;) {
      const next = new PendingEvent(iterator.next());
      let signal = await nextSignal(next, latestFrames, heartbeatMs);
      while (signal === HEARTBEAT || signal === EPHEMERAL) {
        yield signal === HEARTBEAT ? ': still here\n\n' : latestFrames.takeLatest();
        signal = await nextSignal(next, latestFrames, heartbeatMs);
      }
      // Without a terminal event the process stops: the client reconnects to another replica.
      if (signal.done) return;
      const frames = format.frames(signal.value);
      if (frames !== '') yield frames;
      if (format.isLast(signal.value)) {
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

  push(frames: string): void {
    this.frames = frames;
    this.wake?.();
  }

  takeLatest(): string {
    const { frames } = this;
    this.frames = '';
    return frames;
  }

  /** Calls `wake` once a frame is available. */
  onFrame(wake: (() => void) | undefined): void {
    this.wake = wake;
    if (this.frames !== '') wake?.();
  }
}

/** A value that is requested once, although its waits may end early. */
class PendingEvent<Value> {
  readonly value: Promise<Value>;
  private isReady = false;
  private wake: (() => void) | undefined;

  constructor(value: Promise<Value>) {
    this.value = value;
    const onSettled = () => {
      this.isReady = true;
      this.wake?.();
    };
    value.then(onSettled, onSettled);
  }

  /** Calls `wake` once the request has settled. */
  onReady(wake: (() => void) | undefined): void {
    this.wake = wake;
    if (this.isReady) wake?.();
  }
}

/** Returns the first of: an event, an ephemeral frame, or the heartbeat interval. */
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
