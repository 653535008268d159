import type { BrowserContext, Page, Request } from 'playwright-core';

/** Whoever has pages of a context. */
export interface PageOwner {
  /** Whether this page is one of its own. */
  has(page: Page): boolean;
  /** Takes a page that opened. */
  adopt(page: Page): void;
}

/** The pages of one context, and whose each of them is: that of who has the page it opened from, or else of the first. */
export class PageOwnership {
  readonly #context: BrowserContext;
  readonly #owners: PageOwner[] = [];
  #making = 0;

  constructor(context: BrowserContext) {
    this.#context = context;
    context.on('page', (page) => this.#came(page));
  }

  /** Somebody has pages from now on. The first gets what belongs to nobody. */
  join(owner: PageOwner): void {
    this.#owners.push(owner);
  }

  leave(owner: PageOwner): void {
    const index = this.#owners.indexOf(owner);
    if (index > 0) this.#owners.splice(index, 1);
  }

  /** Opens an empty page that nobody has yet. */
  async make(): Promise<Page> {
    this.#making += 1;
    try {
      return await this.#context.newPage();
    } finally {
      this.#making -= 1;
    }
  }

  /** Whether a request is of a page that somebody else has. */
  isOfAnother(request: Request, owner: PageOwner): boolean {
    if (this.#owners.length < 2) return false;
    const page = pageOf(request);
    return page !== null && this.#owners.some((one) => one !== owner && one.has(page));
  }

  #came(page: Page): void {
    const [first, ...others] = this.#owners;
    if (others.length === 0 && this.#making === 0) return first?.adopt(page);
    const mayBeMade = this.#making > 0;
    void page.opener().then((opener) => {
      if (!opener && mayBeMade) return;
      const owner = others.find((one) => opener !== null && one.has(opener)) ?? first;
      owner?.adopt(page);
    });
  }
}

/** The page of a request; null for that of a worker, or of a page that is only about to be one. */
function pageOf(request: Request): Page | null {
  try {
    return request.frame().page();
  } catch {
    return null;
  }
}
