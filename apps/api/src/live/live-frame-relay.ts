import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Attempt } from '@pilothouse/contract/worker/assignment.schema';
import type { FromWorkerOf } from '@pilothouse/contract/worker/from-worker.messages';
import type { ToWorkerOf } from '@pilothouse/contract/worker/to-worker.messages';
import { readJpegSize } from '@pilothouse/core/observation/jpeg-size';
import { systemTimers } from '@pilothouse/core/time/timers';
import { binaryFormat, RunChannel, type RedisPubSub } from '@pilothouse/infra-stream';
import { latestValue } from './frame-stream.ts';

/** Interval between two notices that a run has viewers, and validity of a notice. */
const NOTICE_INTERVAL_MS = 3_000;
const NOTICE_VALID_MS = 10_000;

/** Milliseconds for which a check that a session holds a run stays valid. */
const VERIFIED_MS = 5_000;

/** Notice for the replica that holds the run. */
interface Notice {
  readonly run: string;
  readonly durationMs: number;
  readonly resendCurrent: boolean;
  readonly framesPerSecond: number;
}

/** Screencast request for the worker of a run. */
export type ScreencastRequest = Pick<
  ToWorkerOf<'screencast.request'>,
  'durationMs' | 'resendCurrent' | 'framesPerSecond'
>;

export interface LiveFrameRelayDeps {
  readonly channels: Pick<RedisPubSub, 'publish' | 'subscribe'>;
  /** Returns whether the session holds the attempt. */
  isHolder(attempt: Attempt & { readonly session: string }): Promise<boolean>;
}

/** Viewers of one run at this replica. */
interface Audience {
  /** Frames per second that each viewer wants. */
  readonly viewers: Map<(jpeg: Buffer) => void, number>;
  last: Buffer | undefined;
  /** Tells the worker of a viewer that wants more frames. */
  requestHigherRate(): void;
  end(): void;
}

/**
 * Relays screencast frames from the replica of the worker to the replicas of the viewers. A worker sends frames only while a run has viewers.
 * Frames are not stored.
 */
export class LiveFrameRelay {
  private readonly options: Pick<LiveFrameRelayDeps, 'isHolder'>;
  private readonly frames: RunChannel<Buffer>;
  private readonly notices: RunChannel<Notice>;
  private readonly audiences = new Map<string, Audience>();
  /** Monotonic milliseconds until which a session counts as the holder of an attempt. */
  private readonly verifiedUntil = new Map<string, number>();

  constructor({ channels, ...options }: LiveFrameRelayDeps) {
    this.options = options;
    this.frames = new RunChannel(channels, 'screencast', binaryFormat);
    this.notices = new RunChannel(channels, 'screencast-request');
  }

  /** Number of viewers at this replica. */
  get size(): number {
    return [...this.audiences.values()].reduce((sum, { viewers }) => sum + viewers.size, 0);
  }

  /**
   * JPEG frames of a run until the signal aborts. A slow viewer skips frames, but never the last one.
   * @param framesPerSecond maximum of this viewer; the worker sends the highest rate of all viewers
   * @param repeatMs milliseconds after which the last frame is repeated, so that proxies keep the connection
   */
  async *watch(run: string, signal: AbortSignal, framesPerSecond: number, repeatMs: number): AsyncGenerator<Buffer> {
    const frames = latestValue<Buffer>();
    const removeViewer = this.join(run, frames.push, framesPerSecond);
    try {
      yield* frames.iterate(signal, repeatMs);
    } finally {
      removeViewer();
    }
  }

  /** Calls `onChange` when the viewers of a run change at any replica. @returns unsubscribes */
  onScreencastRequest(onChange: (run: string, request: ScreencastRequest) => void): () => void {
    return this.notices.subscribe(({ run, ...request }) => onChange(run, request)).stop;
  }

  /** A worker's frame. @throws PilothouseError LEASE_LOST when its session does not hold the run; VALIDATION_FAILED if it is no JPEG */
  async publishFrame(session: string, { run, epoch, jpeg }: FromWorkerOf<'screencast.frame'>): Promise<void> {
    const key = `${session}/${run}/${epoch}`;
    const now = performance.now();
    if ((this.verifiedUntil.get(key) ?? 0) < now) {
      if (!(await this.options.isHolder({ session, run, epoch })))
        throw new PilothouseError('LEASE_LOST', 'The run does not belong to this worker');
      for (const [oldKey, expiresAt] of this.verifiedUntil) if (expiresAt < now) this.verifiedUntil.delete(oldKey);
      this.verifiedUntil.set(key, now + VERIFIED_MS);
    }
    const frame = Buffer.from(jpeg, 'base64');
    if (readJpegSize(frame) === null)
      throw new PilothouseError('VALIDATION_FAILED', 'The frame is not a JPEG. Send frames as JPEG images.');
    await this.frames.publish(frame, run);
  }

  private join(run: string, viewer: (jpeg: Buffer) => void, framesPerSecond: number): () => void {
    const audience = this.audiences.get(run) ?? this.open(run);
    const isFaster = audience.viewers.size > 0 && framesPerSecond > highestRate(audience.viewers);
    audience.viewers.set(viewer, framesPerSecond);
    if (isFaster) audience.requestHigherRate();
    if (audience.last) viewer(audience.last);
    return () => {
      audience.viewers.delete(viewer);
      if (audience.viewers.size > 0) return;
      audience.end();
      this.audiences.delete(run);
    };
  }

  private open(run: string): Audience {
    const viewers: Audience['viewers'] = new Map();
    const publishNotice = (durationMs: number, resendCurrent: boolean) =>
      void this.notices.publish({ run, durationMs, resendCurrent, framesPerSecond: highestRate(viewers) });
    const { ready, stop } = this.frames.subscribe((jpeg) => {
      audience.last = jpeg;
      for (const viewer of viewers.keys()) viewer(jpeg);
    }, run);
    const noticeTimer = systemTimers.setInterval(
      () => publishNotice(NOTICE_VALID_MS, audience.last === undefined),
      NOTICE_INTERVAL_MS,
    );
    const audience: Audience = {
      viewers,
      last: undefined,
      requestHigherRate: () => publishNotice(NOTICE_VALID_MS, false),
      // Another replica may have viewers: its next notice restarts the view.
      end: () => {
        systemTimers.clearInterval(noticeTimer);
        stop();
        publishNotice(0, false);
      },
    };
    this.audiences.set(run, audience);
    // A frame without a listener is dropped.
    void ready.then(() => viewers.size > 0 && publishNotice(NOTICE_VALID_MS, true));
    return audience;
  }
}

const highestRate = (viewers: Audience['viewers']): number => Math.max(1, ...viewers.values());
