import { type ScreencastSink, systemTimers, type Timer } from '@pilothouse/core';
import type { CDPSession } from 'playwright-core';
import type { TrackedPage } from './pages/tracked-page.ts';
import type { SecretRedactor } from './pages/secret-redaction.ts';

/** Milliseconds between two frames: five a second. */
const EVERY = 200;

/**
 * Milliseconds in which the first frame after a beginning comes, which always does; a beginning in the middle of a navigation may come to
 * nothing, and is tried again.
 */
const FIRST = 1000;

/** Of JPEG, 0 to 100. Less saves little: Chromium's time goes with the pixels. */
const QUALITY = 60;

/** Milliseconds in which it has to be known that a frame shows no secret; else it is left out. */
const LOOKING = 1000;

interface Shown {
  readonly data: string;
  /** When it was drawn, in seconds since 1970. */
  readonly metadata: { readonly timestamp?: number };
  readonly sessionId: number;
}

/**
 * The frames of the page that is current, as long as it changes. Chromium draws a frame for whoever watches with every change of the page,
 * also those that are not wanted, and that is the dearest part: so it is told to stop after each frame and to begin again when the next
 * is due. It then begins with what is there; when that is the same as before the page rests, and Chromium stays on until it changes.
 */
export class Screencast {
  readonly #film: ScreencastSink;
  readonly #veil: SecretRedactor;
  #tab: TrackedPage | null = null;
  #wire: CDPSession | null = null;
  #last = '';
  #due = 0;
  /** When to begin again. */
  #timer: Timer | undefined;
  #isOver = false;

  /** @param veil says which frames show no secret */
  constructor(film: ScreencastSink, veil: SecretRedactor) {
    this.#film = film;
    this.#veil = veil;
  }

  /** Films this page from now on. */
  show(tab: TrackedPage): void {
    if (this.#isOver || this.#tab === tab) return;
    this.#leave();
    this.#tab = tab;
    void this.#begin(tab).catch(() => undefined);
  }

  end(): void {
    this.#isOver = true;
    this.#leave();
  }

  /** The session is its own: its frames are nobody else's. A page may be gone before it is there. */
  async #begin(tab: TrackedPage): Promise<void> {
    const wire = await tab.page.context().newCDPSession(tab.page);
    if (this.#tab !== tab) return wire.detach();
    this.#wire = wire;
    wire.on('Page.screencastFrame', (shown) => void this.#take(wire, shown));
    /* Another document may be drawn by another process: whoever watched the one before may see nothing any more. */
    tab.page.on('framenavigated', (frame) => {
      const isWatching = this.#wire === wire && performance.now() >= this.#due;
      if (isWatching && frame === tab.page.mainFrame()) this.#again(wire);
    });
    this.#start(wire);
  }

  #start(wire: CDPSession): void {
    const { maxWidth, maxHeight } = this.#film;
    const size = maxWidth === null || maxHeight === null ? {} : { maxWidth, maxHeight };
    wire.send('Page.startScreencast', { format: 'jpeg', quality: QUALITY, ...size }).catch(() => undefined);
    this.#timer = systemTimers.setTimeout(() => this.#again(wire), FIRST);
    this.#timer.unref();
  }

  #again(wire: CDPSession): void {
    systemTimers.clearTimeout(this.#timer);
    wire.send('Page.stopScreencast').catch(() => undefined);
    this.#start(wire);
  }

  async #take(wire: CDPSession, { data, sessionId, metadata }: Shown): Promise<void> {
    const at = performance.now();
    /* One that was on its way when it was told to stop. */
    if (this.#wire !== wire || at < this.#due) return;
    systemTimers.clearTimeout(this.#timer);
    if (data === this.#last) {
      wire.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
      return;
    }
    this.#last = data;
    this.#due = at + EVERY;
    wire.send('Page.stopScreencast').catch(() => undefined);
    if (await this.#isClear(metadata.timestamp ?? 0))
      await this.#film.frame(Buffer.from(data, 'base64')).catch(() => undefined);
    else this.#last = '';
    if (this.#wire !== wire) return;
    systemTimers.clearTimeout(this.#timer);
    this.#timer = systemTimers.setTimeout(() => this.#start(wire), Math.max(0, this.#due - performance.now()));
  }

  /** Whether a frame may be seen; a page that does not say so in time may show anything. */
  async #isClear(at: number): Promise<boolean> {
    if (!this.#veil.isNeeded || !this.#tab) return true;
    const { page, wire } = this.#tab;
    const bound = { signal: new AbortController().signal, deadline: performance.now() + LOOKING };
    return this.#veil.draw(page, wire, bound).then(
      () => this.#veil.isClear(at),
      () => false,
    );
  }

  #leave(): void {
    systemTimers.clearTimeout(this.#timer);
    const wire = this.#wire;
    this.#wire = null;
    this.#tab = null;
    this.#last = '';
    this.#due = 0;
    wire?.detach().catch(() => undefined);
  }
}
