import { wildcard } from '@pilothouse/core';
import type { Page, Request } from 'playwright-core';

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
