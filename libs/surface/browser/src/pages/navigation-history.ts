import type { CDPSession, Page } from 'playwright-core';
import { BLANK_URL } from '../state/state-format.ts';

/**
 * How the document of a page came to be there. Of a navigation Chromium says that it begins, then each of its requests, then that
 * its document is the one of the page, in this order.
 */
export class DocumentNavigation {
  #begun: { at: number; method: string | null; remembers: boolean } | null = null;
  #here: { at: number; method: string | null } | null = null;
  #count = 0;

  constructor(page: Page) {
    page.on('request', (request) => {
      if (!this.#begun || !request.isNavigationRequest() || request.frame() !== page.mainFrame()) return;
      this.#begun.method = request.method();
    });
  }

  /**
   * A navigation to another document begins.
   * @param remembers whether Chromium fills in what was typed when it was there before
   */
  begins(remembers: boolean): void {
    this.#begun = { at: performance.now(), method: null, remembers };
  }

  /** The document of the page is a new one. */
  ends(url: string): void {
    const isOfTheWeb = url.startsWith('http:') || url.startsWith('https:');
    this.#count += 1;
    const isAsSent = isOfTheWeb && this.#begun?.remembers === false;
    this.#here = { at: this.#begun?.at ?? 0, method: isAsSent ? (this.#begun?.method ?? null) : null };
  }

  /** How many documents there were. */
  get count(): number {
    return this.#count;
  }

  /** Whether the page is as it was made. */
  get isFresh(): boolean {
    return this.#begun === null && this.#here === null;
  }

  /**
   * Whether the document is the answer to a GET (the last one of a chain of redirects) of a navigation that began after the instant.
   * One that began before may have come after the input that was sent meanwhile, and may hold it.
   */
  isAnswerToGet(since: number): boolean {
    return this.#here?.method === 'GET' && this.#here.at > since;
  }
}

/** Addresses that are kept of the pages before. */
const KEPT = 10;

/** The pages before and after the one that is shown: those that Chromium knows, and those of a surface that was lost. */
export class NavigationHistory {
  #before: string[] = [];
  #after: string[] = [];

  /** The pages before, the last of them the newest; given to a surface that is brought to where another one was. */
  begin(before: readonly string[]): void {
    this.#before = [...before];
  }

  /** The address next on the way where Chromium has none. */
  kept(way: -1 | 1): string | undefined {
    return (way < 0 ? this.#before : this.#after).at(-1);
  }

  /** A page that was kept is shown: Chromium is to forget that this was a step ahead. */
  async cameTo(wire: CDPSession, way: -1 | 1, from: string): Promise<void> {
    const [left, gone] = way < 0 ? [this.#before, this.#after] : [this.#after, this.#before];
    left.pop();
    gone.push(from);
    await wire.send('Page.resetNavigationHistory');
  }

  /** Addresses of the pages before, of the web only: nothing else can be opened again. */
  async before(wire: CDPSession): Promise<string[]> {
    const { currentIndex, entries } = await wire.send('Page.getNavigationHistory');
    const known = entries.slice(0, currentIndex).map(({ url }) => url);
    return [...this.#before, ...known].filter((url) => url !== BLANK_URL && /^https?:/.test(url)).slice(-KEPT);
  }
}
