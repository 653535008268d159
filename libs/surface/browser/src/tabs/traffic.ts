import type { Page } from 'playwright-core';

/**
 * What a page has to do with others, but for its documents: requests that did not end, sockets, workers. Of a window that was there
 * before anybody listened nothing is known until its next document.
 */
export class Traffic {
  readonly #page: Page;
  readonly #open = new Set<object>();
  #isKnown: boolean;
  /** When something ended last. */
  #ended = 0;

  constructor(page: Page) {
    this.#page = page;
    this.#isKnown = page.url() === 'about:blank';
    const ended = (one: object) => {
      if (this.#open.delete(one)) this.#ended = performance.now();
    };
    /* Documents are waited for elsewhere. */
    page.on('request', (request) => void (request.isNavigationRequest() || this.#open.add(request)));
    page.on('requestfinished', ended);
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

  /** Whether there was nothing from an instant of `performance.now` on. */
  isNoneSince(began: number): boolean {
    return !this.isAny && this.#ended < began;
  }
}
