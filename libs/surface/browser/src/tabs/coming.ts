import type { BrowserContext, Download, Request } from 'playwright-core';

/** A request that begins so soon after input is one that the input asked for, in milliseconds. */
const SOON = 3000;

/** For so long nothing must come of input before nothing more is expected, in milliseconds: a script that makes a file says nothing before. */
const QUIET = 500;

/** What may become a file: documents, of which Chromium finds out with the answer, and what scripts make files of. */
const kinds: ReadonlySet<string> = new Set(['document', 'fetch', 'xhr']);

/** What input asked for that may still become a download. */
export class PendingDownloads {
  readonly #asked = new Set<Request>();
  /** Addresses of documents that became files, and of downloads that began, since input was last sent. */
  readonly #due = new Set<string>();
  readonly #begun = new Set<string>();
  /** Whether an element was clicked that asks for a file. */
  #wanted = false;
  #sentAt = -Infinity;
  #heardAt = -Infinity;

  /** Ends the listening. */
  readonly close: () => void;

  /** @param isMine whether a request is of a page that the input may have been for */
  constructor(context: BrowserContext, isMine: (request: Request) => boolean) {
    const asked = (request: Request) => {
      const isSoon = performance.now() - this.#sentAt < SOON;
      if (isSoon && kinds.has(request.resourceType()) && isMine(request)) this.#asked.add(request);
    };
    const finished = (request: Request) => this.#over(request);
    const failed = (request: Request) => {
      if (isMine(request)) void this.#failed(request);
    };
    context.on('request', asked);
    context.on('requestfinished', finished);
    context.on('requestfailed', failed);
    this.close = () => {
      context.off('request', asked);
      context.off('requestfinished', finished);
      context.off('requestfailed', failed);
    };
  }

  /** To be called in the tick in which input is sent. @returns takes that back */
  sent(): () => void {
    const before = { sentAt: this.#sentAt, isWanted: this.#wanted };
    const undo = () => {
      this.#sentAt = before.sentAt;
      this.#wanted = before.isWanted;
    };
    this.#sentAt = performance.now();
    this.#begun.clear();
    return undo;
  }

  /** To be called when what is clicked asks for a file. */
  want(): void {
    this.#wanted = true;
  }

  /** A download began. */
  began(download: Download): void {
    const address = addressOf(download);
    this.#wanted = false;
    this.#begun.add(address);
    this.#due.delete(address);
  }

  /** Another document came: what the one before asked for comes to nothing. */
  left(): void {
    this.#wanted = false;
    this.#asked.clear();
    this.#sentAt = -Infinity;
    this.#heardAt = -Infinity;
  }

  /** Whether a download may still begin. */
  get isAny(): boolean {
    const last = Math.max(this.#sentAt, this.#heardAt);
    return this.#wanted || this.#due.size > 0 || this.#asked.size > 0 || performance.now() - last < QUIET;
  }

  #over(request: Request): void {
    if (this.#asked.delete(request)) this.#heardAt = performance.now();
  }

  /** Chromium breaks off the request of a document when its answer is a file. */
  async #failed(request: Request): Promise<void> {
    const response = request.isNavigationRequest() ? await request.response().catch(() => null) : null;
    const address = addressOf(request);
    if (response && !noContent.has(response.status()) && !this.#begun.has(address)) this.#due.add(address);
    this.#over(request);
  }
}

/** Answers that leave the page as it is. */
const noContent: ReadonlySet<number> = new Set([204, 205]);

const addressOf = (of: Pick<Request, 'url'>) => of.url().replace(/#.*$/, '');
