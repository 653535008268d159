import { type ScreencastSink, type Surface, systemTimers, type Timer } from '@pilothouse/core';
import type { AttemptLink, ScreencastRequest } from '@pilothouse/infra-link';

/** Most pixels of either side of a frame. */
const SIDE = 1280;

/**
 * Shows the surface of an attempt to who looks at it, and costs nothing while nobody does. Who looks says so again and again: what is said last
 * holds for as long as it says.
 */
export class LiveView {
  private readonly link: Pick<AttemptLink, 'sendFrame'>;
  private surface: Pick<Surface, 'film'> | undefined;
  private stop: (() => void) | undefined;
  private last: Buffer | undefined;
  private over: Timer | undefined;
  private isClosed = false;

  constructor(link: Pick<AttemptLink, 'sendFrame' | 'onScreencastRequest'>) {
    this.link = link;
    link.onScreencastRequest((watching) => this.watched(watching));
  }

  /** The surface is open. */
  attach(surface: Pick<Surface, 'film'>): void {
    this.surface = surface;
    if (this.over) this.begin();
  }

  close(): void {
    this.isClosed = true;
    this.end();
  }

  private watched({ durationMs, resendCurrent }: ScreencastRequest): void {
    if (this.isClosed) return;
    if (durationMs === 0) return this.end();
    systemTimers.clearTimeout(this.over);
    this.over = systemTimers.setTimeout(() => this.end(), durationMs);
    this.over.unref();
    if (!this.stop) this.begin();
    else if (resendCurrent && this.last) void this.link.sendFrame(this.last);
  }

  private begin(): void {
    const screencast: ScreencastSink = {
      maxWidth: SIDE,
      maxHeight: SIDE,
      frame: (jpeg) => {
        this.last = jpeg;
        return this.link.sendFrame(jpeg);
      },
    };
    this.stop = this.surface?.film(screencast);
  }

  private end(): void {
    systemTimers.clearTimeout(this.over);
    this.over = undefined;
    this.stop?.();
    this.stop = undefined;
    this.last = undefined;
  }
}
