import type { Page, Request } from 'playwright-core';
import { wildcard } from '@pilothouse/core';

/** Requests whose answers a page may show once it is there: no beacons, streams and images. */
const telling: ReadonlySet<string> = new Set(['document', 'fetch', 'xhr', 'script']);

/** Requests whose answers a script shows, some time after they came. */
const shownLater: ReadonlySet<string> = new Set(['fetch', 'xhr']);

/** Milliseconds in which a page shows an answer, or is busy with it. */
const SHOWING_MS = 100;

/** Milliseconds after which a request without an answer is a stream or a long poll: the page is drawn without it. */
const LONG_MS = 1000;

/**
 * What a page has to do with others, but for its documents: requests that did not end, sockets, workers. Of a window that was there
 * before anybody listened nothing is known until its next document.
 */
export class NetworkActivity {
  readonly #page: Page;
  readonly #open = new Set<object>();
  /** Requests whose answers may be shown, with when they began. */
  readonly #asked = new Map<object, number>();
  #isKnown: boolean;
  /** When something ended last. */
  #ended = 0;
  /** When something was asked for last whose answer may be shown. */
  #askedLast = 0;
  /** When an answer came last that a script shows. */
  #answeredLast = -Infinity;

  constructor(page: Page) {
    this.#page = page;
    this.#isKnown = page.url() === 'about:blank';
    const ended = (one: object) => {
      this.#asked.delete(one);
      if (this.#open.delete(one)) this.#ended = performance.now();
    };
    page.on('request', (request) => {
      /* Documents are waited for elsewhere. */
      if (!request.isNavigationRequest()) this.#open.add(request);
      if (telling.has(request.resourceType())) {
        this.#askedLast = performance.now();
        this.#asked.set(request, this.#askedLast);
      }
    });
    page.on('requestfinished', (request) => {
      if (shownLater.has(request.resourceType())) this.#answeredLast = performance.now();
      ended(request);
    });
    page.on('requestfailed', ended);
    page.on('websocket', (socket) => {
      this.#open.add(socket);
      socket.on('close', ended);
    });
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.#isKnown = true;
    });
  }

  /** Whether there is something, or may be. */
  get isAny(): boolean {
    return !this.#isKnown || this.#open.size > 0 || this.#page.workers().length > 0;
  }

  /** Whether an answer that the page may show is on its way. */
  get isAnswerDue(): boolean {
    const now = performance.now();
    return [...this.#asked.values()].some((began) => now - began < LONG_MS);
  }

  /**
   * Whether an answer that the page may show is on its way, or came just now.
   * @param idleSince instant of `performance.now`: answers from before are shown already
   */
  isDrawing(idleSince: number): boolean {
    const isNew = this.#answeredLast >= idleSince && performance.now() - this.#answeredLast < SHOWING_MS;
    return isNew || this.isAnswerDue;
  }

  /** Whether something that was asked for since then, and that the page may show, has not come. What was under way before does not count. */
  isAskedSince(instant: number): boolean {
    return [...this.#asked.values()].some((began) => began > instant);
  }

  /** Whether the page asked for something after an instant of `performance.now`, answered or not. */
  hasAskedSince(instant: number): boolean {
    return this.#askedLast > instant;
  }

  /** Whether there was nothing from an instant of `performance.now` on. */
  isNoneSince(began: number): boolean {
    return !this.isAny && this.#ended < began;
  }
}

/** Requests that are remembered: the last of all pages of a surface. */
const KEPT = 500;

/** What scripts ask for; pictures, styles and the like have no JSON in them. */
const asked: ReadonlySet<string> = new Set(['xhr', 'fetch', 'other', 'document', 'preflight']);

/**
 * What the pages of a surface asked for. Nothing of an answer is kept here: Chromium has it as long as the document is there. Listening
 * costs some work for each request, so a surface does it only for a workflow that reads them.
 */
export class ResponseLog {
  readonly #requests: Request[] = [];

  listen(page: Page): void {
    page.on('request', (request) => {
      if (!asked.has(request.resourceType())) return;
      this.#requests.push(request);
      if (this.#requests.length > KEPT) this.#requests.shift();
    });
  }

  /** The newest request to such a URL, which may have no answer yet. */
  newest(pattern: string): Request | undefined {
    const fits = wildcard(pattern);
    return this.#requests.findLast((request) => fits(request.url()));
  }

  /** URLs that were asked for last, for messages. */
  last(count: number): string[] {
    return [...new Set(this.#requests.map((request) => request.url()))].slice(-count);
  }
}
