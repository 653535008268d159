import type { ScreencastSink } from '@pilothouse/core/ports/surface-recorders.port';
import { newDeadline } from '@pilothouse/core/time/deadlines';
import { systemTimers, type Timer, type Timers } from '@pilothouse/core/time/timers';
import type { CDPSession } from 'playwright-core';
import type { TrackedPage } from './pages/tracked-page.ts';
import type { SecretRedactor } from './pages/secret-redaction.ts';

/** Chromium renders each frame again, which takes a large part of a core. */
const MAX_FRAMES_PER_SECOND = 5;

/** Chromium always sends a first frame. A start during a navigation may be lost and is retried after this time. */
const FIRST_FRAME_TIMEOUT_MS = 1000;

/** JPEG quality, 0 to 100. A lower value saves little: Chromium's time depends on the number of pixels. */
const QUALITY = 60;

/** A frame is dropped if redaction is not confirmed within this time. */
const REDACTION_TIMEOUT_MS = 1000;

interface ScreencastFrame {
  readonly data: string;
  /** Seconds since 1970. */
  readonly metadata: { readonly timestamp?: number };
  readonly sessionId: number;
}

/**
 * Screencast of the current page. Chromium renders a frame on every change, even a discarded one, and that is the
 * largest cost. The screencast is therefore stopped after each frame and restarted when the next one is due. If the
 * restart delivers an identical frame, the page is idle and the screencast stays on until it changes.
 */
export class Screencast {
  readonly #sink: ScreencastSink;
  readonly #redactor: SecretRedactor;
  readonly #timers: Timers;
  #tab: TrackedPage | null = null;
  #cdp: CDPSession | null = null;
  #lastFrame = '';
  #nextFrameAt = 0;
  /** Restarts the screencast. */
  #timer: Timer | undefined;
  #isOver = false;

  /** @param redactor decides which frames contain no secret */
  constructor(sink: ScreencastSink, redactor: SecretRedactor, timers: Timers = systemTimers) {
    this.#sink = sink;
    this.#redactor = redactor;
    this.#timers = timers;
  }

  /** Captures this page from now on. */
  attach(tab: TrackedPage): void {
    if (this.#isOver || this.#tab === tab) return;
    this.#detach();
    this.#tab = tab;
    void this.#connect(tab).catch(() => undefined);
  }

  end(): void {
    this.#isOver = true;
    this.#detach();
  }

  /**
   * Uses its own CDP session, so its frames reach no other receiver. The page may close before the session exists.
   */
  async #connect(tab: TrackedPage): Promise<void> {
    const cdp = await tab.page.context().newCDPSession(tab.page);
    if (this.#tab !== tab) return cdp.detach();
    this.#cdp = cdp;
    cdp.on('Page.screencastFrame', (frame) => void this.#onFrame(cdp, frame));
    // Another process may render the new document, and the old screencast may then receive nothing.
    tab.page.on('framenavigated', (frame) => {
      const isWatching = this.#cdp === cdp && this.#timers.monotonic() >= this.#nextFrameAt;
      if (isWatching && frame === tab.page.mainFrame()) this.#restart(cdp);
    });
    this.#start(cdp);
  }

  #start(cdp: CDPSession): void {
    const { maxWidth, maxHeight } = this.#sink;
    const size = maxWidth === null || maxHeight === null ? {} : { maxWidth, maxHeight };
    cdp.send('Page.startScreencast', { format: 'jpeg', quality: QUALITY, ...size }).catch(() => undefined);
    this.#timer = this.#timers.setTimeout(() => this.#restart(cdp), FIRST_FRAME_TIMEOUT_MS);
    this.#timer.unref();
  }

  #restart(cdp: CDPSession): void {
    this.#timers.clearTimeout(this.#timer);
    cdp.send('Page.stopScreencast').catch(() => undefined);
    this.#start(cdp);
  }

  async #onFrame(cdp: CDPSession, { data, sessionId, metadata }: ScreencastFrame): Promise<void> {
    const receivedAt = this.#timers.monotonic();
    // A frame that was in flight when the screencast stopped.
    if (this.#cdp !== cdp || receivedAt < this.#nextFrameAt) return;
    this.#timers.clearTimeout(this.#timer);
    if (data === this.#lastFrame) {
      cdp.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
      return;
    }
    this.#lastFrame = data;
    this.#nextFrameAt = receivedAt + 1_000 / Math.min(MAX_FRAMES_PER_SECOND, this.#sink.maxFramesPerSecond);
    cdp.send('Page.stopScreencast').catch(() => undefined);
    if (await this.#isFreeOfSecrets(metadata.timestamp ?? 0))
      await this.#sink.onFrame(Buffer.from(data, 'base64')).catch(() => undefined);
    else this.#lastFrame = '';
    if (this.#cdp !== cdp) return;
    this.#timers.clearTimeout(this.#timer);
    this.#timer = this.#timers.setTimeout(
      () => this.#start(cdp),
      Math.max(0, this.#nextFrameAt - this.#timers.monotonic()),
    );
  }

  /** True if the frame contains no secret. Without an answer in time, it may contain one. */
  async #isFreeOfSecrets(takenAt: number): Promise<boolean> {
    if (!this.#redactor.hasSecrets || !this.#tab) return true;
    const { page, cdp } = this.#tab;
    const limits = { signal: new AbortController().signal, timers: this.#timers };
    const deadline = newDeadline(limits, REDACTION_TIMEOUT_MS);
    return this.#redactor.redactPage(page, cdp, deadline).then(
      () => this.#redactor.isClear(takenAt),
      () => false,
    );
  }

  #detach(): void {
    this.#timers.clearTimeout(this.#timer);
    const cdp = this.#cdp;
    this.#cdp = null;
    this.#tab = null;
    this.#lastFrame = '';
    this.#nextFrameAt = 0;
    cdp?.detach().catch(() => undefined);
  }
}
