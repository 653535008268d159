import type { Page, Request } from 'playwright-core';
import { SentTexts } from './sent-texts.ts';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { wildcard } from '@pilothouse/core/regex/wildcard';

/** Requests whose responses a page may render: no beacons, streams and images. */
const renderedTypes: ReadonlySet<string> = new Set(['document', 'fetch', 'xhr', 'script']);

/** Requests whose responses a script renders some time after they arrive. */
const scriptRenderedTypes: ReadonlySet<string> = new Set(['fetch', 'xhr']);

/** Time in which a page renders a response, or is busy with it. */
const RENDER_MS = 100;

/** A request without a response for this long is a stream or a long poll. The page renders without it. */
const LONG_POLL_MS = 1000;

/**
 * Open requests, sockets and workers of a page, without its documents. The state of a popup that loaded before
 * listening is unknown until its next document.
 */
export class NetworkActivity {
  readonly #page: Page;
  readonly #timers: Timers;
  readonly #open = new Set<object>();
  /** Start times of requests whose responses may be rendered. */
  readonly #pendingResponses = new Map<object, number>();
  #isTracked: boolean;
  /** Time when the last activity ended. */
  #lastEndAt = 0;
  /** Time of the last request whose response may be rendered. */
  #lastRequestAt = 0;
  readonly #sent = new SentTexts();
  /** Time of the last response that a script renders. */
  #lastResponseAt = -Infinity;

  constructor(page: Page, timers: Timers = systemTimers) {
    this.#page = page;
    this.#timers = timers;
    this.#isTracked = page.url() === 'about:blank';
    const onEnd = (request: object) => {
      this.#pendingResponses.delete(request);
      if (this.#open.delete(request)) this.#lastEndAt = this.#timers.monotonic();
    };
    page.on('request', (request) => {
      // Documents are awaited elsewhere.
      if (!request.isNavigationRequest()) this.#open.add(request);
      this.#sent.addRequest(request, this.#timers.monotonic());
      if (renderedTypes.has(request.resourceType())) {
        this.#lastRequestAt = this.#timers.monotonic();
        this.#pendingResponses.set(request, this.#lastRequestAt);
      }
    });
    page.on('requestfinished', (request) => {
      if (scriptRenderedTypes.has(request.resourceType())) this.#lastResponseAt = this.#timers.monotonic();
      onEnd(request);
    });
    page.on('requestfailed', onEnd);
    page.on('websocket', (socket) => {
      this.#open.add(socket);
      socket.on('framesent', ({ payload }) => this.#sent.addFrame(payload, this.#timers.monotonic()));
      socket.on('close', onEnd);
    });
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.#isTracked = true;
    });
  }

  /** True if there is or may be activity. */
  get isActive(): boolean {
    return !this.#isTracked || this.#open.size > 0 || this.#page.workers().length > 0;
  }

  /** True if a response that the page may render is pending. */
  get isResponsePending(): boolean {
    const now = this.#timers.monotonic();
    return [...this.#pendingResponses.values()].some((startedAt) => now - startedAt < LONG_POLL_MS);
  }

  /**
   * True if a response that the page may render is pending or has just arrived.
   * @param idleSince monotonic time; earlier responses are rendered already
   */
  isRendering(idleSince: number): boolean {
    const isNew = this.#lastResponseAt >= idleSince && this.#timers.monotonic() - this.#lastResponseAt < RENDER_MS;
    return isNew || this.isResponsePending;
  }

  /** True if a request since a time is pending whose response the page may render. Earlier requests do not count. */
  hasPendingSince(instant: number): boolean {
    return [...this.#pendingResponses.values()].some((startedAt) => startedAt > instant);
  }

  /** True if the page sent a request after a monotonic time, answered or not. */
  hasRequestedSince(instant: number): boolean {
    return this.#lastRequestAt > instant;
  }

  /** True if the page sent a text after a monotonic time, in a request or through a socket. */
  hasSentSince(instant: number, text: string): boolean {
    return this.#sent.hasSince(instant, text);
  }

  /** True if there was no activity since a monotonic time. */
  isIdleSince(startedAt: number): boolean {
    return !this.isActive && this.#lastEndAt < startedAt;
  }
}

/** Maximum requests of a surface's pages. */
const MAX_REQUESTS = 500;

/** Requests that may return JSON. Requests for images, styles and similar files are excluded. */
const jsonTypes: ReadonlySet<string> = new Set(['xhr', 'fetch', 'other', 'document', 'preflight']);

/**
 * Requests of a surface's pages. Bodies are not stored here: Chromium keeps them as long as the document exists.
 * Listening costs work for each request, so only surfaces of workflows that read responses do it.
 */
export class ResponseLog {
  readonly #requests: Request[] = [];

  listen(page: Page): void {
    page.on('request', (request) => {
      if (!jsonTypes.has(request.resourceType())) return;
      this.#requests.push(request);
      if (this.#requests.length > MAX_REQUESTS) this.#requests.shift();
    });
  }

  /** Returns the newest request whose URL matches, which may have no response yet. */
  newest(pattern: string): Request | undefined {
    const matches = wildcard(pattern);
    return this.#requests.findLast((request) => matches(request.url()));
  }

  /** Returns the URLs of the last requests, for messages. */
  last(count: number): string[] {
    return [...new Set(this.#requests.map((request) => request.url()))].slice(-count);
  }
}
