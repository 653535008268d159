import { PilothouseError, type Attempt, type FromWorkerOf, type ToWorkerOf } from '@pilothouse/contract';
import { systemTimers } from '@pilothouse/core';
import type { RedisPubSub } from '@pilothouse/infra-stream';
import { latestValue } from './frame-stream.ts';

/** Milliseconds between two notices that somebody looks, and for which one holds. */
const EVERY_MS = 3_000;
const HOLDS_MS = 10_000;

/** Milliseconds for which a session that held a run is believed to hold it still. */
const BELIEVED_MS = 5_000;

/** Of a run, to whoever may hold it. */
interface Notice {
  readonly run: string;
  readonly durationMs: number;
  readonly resendCurrent: boolean;
}

/** What is told to the worker of a run. */
export type ScreencastRequest = Pick<ToWorkerOf<'screencast.request'>, 'durationMs' | 'resendCurrent'>;

export interface LiveFrameRelayDeps {
  readonly channels: Pick<RedisPubSub, 'publish' | 'subscribe'>;
  /** Whether the session holds the attempt. */
  holds(attempt: Attempt & { readonly session: string }): Promise<boolean>;
}

/** Who looks at one run, here. */
interface Audience {
  readonly viewers: Set<(jpeg: Buffer) => void>;
  last: Buffer | undefined;
  end(): void;
}

/**
 * What surfaces show, from whichever replica a worker talks to, to whichever replica somebody looks at it. A worker shows nothing unless somebody
 * looks, and frames are kept nowhere.
 */
export class LiveFrameRelay {
  private readonly options: LiveFrameRelayDeps;
  private readonly audiences = new Map<string, Audience>();
  /** Until when a session is believed to hold an attempt, on the monotonic clock. */
  private readonly verifiedUntil = new Map<string, number>();

  constructor(options: LiveFrameRelayDeps) {
    this.options = options;
  }

  /** Who looks, here. */
  get size(): number {
    return [...this.audiences.values()].reduce((sum, { viewers }) => sum + viewers.size, 0);
  }

  /**
   * JPEGs of what a run shows, as it changes, until the signal aborts. Who is slow misses some, never the last.
   * @param againMs milliseconds after which the last one is given again, so that nobody between takes the connection for dead
   */
  async *watch(run: string, signal: AbortSignal, againMs: number): AsyncGenerator<Buffer> {
    const frames = latestValue<Buffer>();
    const leave = this.join(run, frames.give);
    try {
      yield* frames.take(signal, againMs);
    } finally {
      leave();
    }
  }

  /** Calls `tell` when somebody anywhere looks at a run. @returns ends that */
  onViewersChanged(tell: (run: string, watching: ScreencastRequest) => void): () => void {
    const { stop } = this.options.channels.subscribe('screencast-request', (message) => {
      const { run, durationMs, resendCurrent } = JSON.parse(message.toString()) as Notice;
      tell(run, { durationMs, resendCurrent });
    });
    return stop;
  }

  /** A frame of a worker. @throws PilothouseError LEASE_LOST when its session does not hold the run */
  async publishFrame(session: string, { run, epoch, jpeg }: FromWorkerOf<'screencast.frame'>): Promise<void> {
    const key = `${session}/${run}/${epoch}`;
    const now = performance.now();
    if ((this.verifiedUntil.get(key) ?? 0) < now) {
      if (!(await this.options.holds({ session, run, epoch })))
        throw new PilothouseError('LEASE_LOST', 'The run is not of this worker: nothing of it is shown');
      for (const [other, until] of this.verifiedUntil) if (until < now) this.verifiedUntil.delete(other);
      this.verifiedUntil.set(key, now + BELIEVED_MS);
    }
    await this.options.channels.publish(`screencast:${run}`, Buffer.from(jpeg, 'base64'));
  }

  private join(run: string, viewer: (jpeg: Buffer) => void): () => void {
    const audience = this.audiences.get(run) ?? this.open(run);
    audience.viewers.add(viewer);
    if (audience.last) viewer(audience.last);
    return () => {
      audience.viewers.delete(viewer);
      if (audience.viewers.size > 0) return;
      audience.end();
      this.audiences.delete(run);
    };
  }

  private open(run: string): Audience {
    const { channels } = this.options;
    const viewers: Audience['viewers'] = new Set();
    const say = (durationMs: number, resendCurrent: boolean) =>
      void channels.publish('screencast-request', JSON.stringify({ run, durationMs, resendCurrent } satisfies Notice));
    const { ready, stop } = channels.subscribe(`screencast:${run}`, (jpeg) => {
      audience.last = jpeg;
      for (const viewer of viewers) viewer(jpeg);
    });
    const again = systemTimers.setInterval(() => say(HOLDS_MS, audience.last === undefined), EVERY_MS);
    const audience: Audience = {
      viewers,
      last: undefined,
      // Somebody may look by way of another replica: its next notice begins the view again.
      end: () => {
        systemTimers.clearInterval(again);
        stop();
        say(0, false);
      },
    };
    this.audiences.set(run, audience);
    // A frame that comes before anybody listens is lost.
    void ready.then(() => viewers.size > 0 && say(HOLDS_MS, true));
    return audience;
  }
}
