import type { BrowserContext, Request } from 'playwright-core';

/** What a page may show once it is there. Beacons, streams and images are not waited for. */
const kinds: ReadonlySet<string> = new Set(['document', 'fetch', 'xhr', 'script']);

/** What pages asked for since input was last sent, and have not got yet. What was under way before says nothing of the input. */
export class Underway {
  readonly #asked = new Set<Request>();
  /** Ends the listening. */
  readonly close: () => void;

  /** @param isMine whether a request is of a page that the input may have been for */
  constructor(context: BrowserContext, isMine: (request: Request) => boolean) {
    const asked = (request: Request) => {
      if (kinds.has(request.resourceType()) && isMine(request)) this.#asked.add(request);
    };
    const over = (request: Request) => void this.#asked.delete(request);
    context.on('request', asked);
    context.on('requestfinished', over);
    context.on('requestfailed', over);
    this.close = () => {
      context.off('request', asked);
      context.off('requestfinished', over);
      context.off('requestfailed', over);
    };
  }

  /** To be called in the tick in which input is sent. */
  sent(): void {
    this.#asked.clear();
  }

  get isAny(): boolean {
    return this.#asked.size > 0;
  }
}
