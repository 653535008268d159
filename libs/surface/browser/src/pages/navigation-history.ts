import type { CDPSession, Page, Response } from 'playwright-core';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { BLANK_URL } from '../state/state-format.ts';

/**
 * Navigation that loaded the current document. Chromium reports the start of a navigation, then its requests, then the
 * new document.
 */
export class DocumentNavigation {
  #pending: { startedAt: number; method: string | null; restoresForms: boolean } | null = null;
  #current: { startedAt: number; method: string | null } | null = null;
  #count = 0;
  /** Response of a navigation whose document did not come yet. */
  #response: Response | null = null;
  #status: number | null = null;
  readonly #timers: Timers;

  constructor(page: Page, timers: Timers = systemTimers) {
    this.#timers = timers;
    page.on('request', (request) => {
      if (!this.#pending || !request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
      this.#pending.method = request.method();
    });
    page.on('response', (response) => {
      if (response.request().isNavigationRequest() && response.frame() === page.mainFrame()) this.#response = response;
    });
    // It became a download.
    page.on('requestfailed', (request) => {
      if (this.#response?.request() === request) this.#response = null;
    });
    page.on('framenavigated', (frame) => {
      if (frame !== page.mainFrame()) return;
      // Without a response it is the same document, unless the URL has none.
      if (this.#response) this.#status = this.#response.status();
      else if (!frame.url().startsWith('http')) this.#status = null;
      this.#response = null;
    });
  }

  /** A navigation to another document starts. @param restoresForms true if Chromium restores form data */
  navigationStarted(restoresForms: boolean): void {
    this.#pending = { startedAt: this.#timers.monotonic(), method: null, restoresForms };
  }

  /** The page has a new document. */
  documentCommitted(url: string): void {
    const isHttp = url.startsWith('http:') || url.startsWith('https:');
    this.#count += 1;
    const isNewResponse = isHttp && this.#pending?.restoresForms === false;
    this.#current = {
      startedAt: this.#pending?.startedAt ?? 0,
      method: isNewResponse ? (this.#pending?.method ?? null) : null,
    };
  }

  /** HTTP status of the current document; null: unknown. */
  get status(): number | null {
    return this.#status;
  }

  /** Number of documents so far. */
  get count(): number {
    return this.#count;
  }

  /** True if the page was not navigated yet. */
  get isUntouched(): boolean {
    return this.#pending === null && this.#current === null;
  }

  /**
   * True if the document is the response to a GET, the last of its redirects, of a navigation that began after a
   * time. An earlier navigation may have received input sent meanwhile.
   */
  isAnswerToGet(since: number): boolean {
    return this.#current?.method === 'GET' && this.#current.startedAt > since;
  }
}

const MAX_URLS = 10;

/** Pages before and after the current one: those that Chromium knows, and those of a lost surface. */
export class NavigationHistory {
  #backUrls: string[] = [];
  #forwardUrls: string[] = [];

  /** Sets the URLs of previous pages on a restored surface, the newest last. */
  restoreUrls(previousUrls: readonly string[]): void {
    this.#backUrls = [...previousUrls];
  }

  /** Returns the URL of the next page in a direction that Chromium does not know. */
  storedUrl(direction: -1 | 1): string | undefined {
    return (direction < 0 ? this.#backUrls : this.#forwardUrls).at(-1);
  }

  /** Records that a stored page was opened. Chromium has to forget that this was a forward navigation. */
  async openedStored(cdp: CDPSession, direction: -1 | 1, url: string): Promise<void> {
    const [source, destination] =
      direction < 0 ? [this.#backUrls, this.#forwardUrls] : [this.#forwardUrls, this.#backUrls];
    source.pop();
    destination.push(url);
    await cdp.send('Page.resetNavigationHistory');
  }

  /** Returns the URLs of previous pages, http and https only. No others can be opened again. */
  async previousUrls(cdp: CDPSession): Promise<string[]> {
    const { currentIndex, entries } = await cdp.send('Page.getNavigationHistory');
    const browserUrls = entries.slice(0, currentIndex).map(({ url }) => url);
    return [...this.#backUrls, ...browserUrls]
      .filter((url) => url !== BLANK_URL && /^https?:/.test(url))
      .slice(-MAX_URLS);
  }
}
