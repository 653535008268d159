import { MAX_FRAMES_PER_SECOND } from '@pilothouse/contract/run/capture.schema';
import type { ScreencastSink } from '@pilothouse/core/ports/surface-recorders.port';
import type { Controllable } from '@pilothouse/core/ports/surface.port';
import { systemTimers, type Timer, type Timers } from '@pilothouse/core/time/timers';
import type { AttemptLink, ScreencastRequest } from '@pilothouse/infra-link';

/** Longest side of a frame, in pixels. */
const MAX_SIDE_PX = 1280;

/** Sends a screencast of the surface while a person watches it. Viewers renew their request; the last request wins. */
export class LiveView {
  private readonly link: Pick<AttemptLink, 'sendFrame'>;
  private readonly timers: Timers;
  private surface: Pick<Controllable, 'screencast'> | undefined;
  private stopScreencast: (() => void) | undefined;
  private lastFrame: Buffer | undefined;
  /** Set while a request is valid. */
  private expiry: Timer | undefined;
  private isClosed = false;
  private framesPerSecond = MAX_FRAMES_PER_SECOND;
  /** Monotonic milliseconds until which the rate is not lowered: replicas of the API have their own viewers. */
  private rateValidUntilMs = 0;

  constructor(link: Pick<AttemptLink, 'sendFrame' | 'onScreencastRequest'>, timers: Timers = systemTimers) {
    this.link = link;
    this.timers = timers;
    link.onScreencastRequest((request) => this.onRequest(request));
  }

  /** Called when the surface is open. */
  attach(surface: Pick<Controllable, 'screencast'>): void {
    this.surface = surface;
    if (this.expiry) this.start();
  }

  close(): void {
    this.isClosed = true;
    this.stop();
  }

  private onRequest({ durationMs, resendCurrent, framesPerSecond = MAX_FRAMES_PER_SECOND }: ScreencastRequest): void {
    if (this.isClosed) return;
    if (durationMs === 0) return this.stop();
    const now = this.timers.monotonic();
    if (framesPerSecond >= this.framesPerSecond || now >= this.rateValidUntilMs) {
      this.framesPerSecond = framesPerSecond;
      this.rateValidUntilMs = now + durationMs;
    }
    this.timers.clearTimeout(this.expiry);
    this.expiry = this.timers.setTimeout(() => this.stop(), durationMs);
    this.expiry.unref();
    if (!this.stopScreencast) this.start();
    else if (resendCurrent && this.lastFrame) void this.link.sendFrame(this.lastFrame);
  }

  private start(): void {
    const currentRate = () => this.framesPerSecond;
    const sink: ScreencastSink = {
      get maxFramesPerSecond() {
        return currentRate();
      },
      maxWidth: MAX_SIDE_PX,
      maxHeight: MAX_SIDE_PX,
      onFrame: (jpeg) => {
        this.lastFrame = jpeg;
        return this.link.sendFrame(jpeg);
      },
    };
    this.stopScreencast = this.surface?.screencast(sink);
  }

  private stop(): void {
    this.timers.clearTimeout(this.expiry);
    this.expiry = undefined;
    this.stopScreencast?.();
    this.stopScreencast = undefined;
    this.lastFrame = undefined;
    this.rateValidUntilMs = 0;
  }
}
