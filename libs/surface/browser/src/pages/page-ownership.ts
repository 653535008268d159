import type { BrowserContext, Page, Request } from 'playwright-core';

/** Owner of some of a context's pages. */
export interface PageOwner {
  /** True if it owns the page. */
  has(page: Page): boolean;
  /** Takes over a page that opened. */
  adopt(page: Page): void;
}

/**
 * Assigns the pages of a context to owners. A page belongs to the owner of its opener, otherwise to the first owner.
 */
export class PageOwnership {
  readonly #context: BrowserContext;
  readonly #owners: PageOwner[] = [];
  #opening = 0;

  constructor(context: BrowserContext) {
    this.#context = context;
    context.on('page', (page) => this.#onPage(page));
  }

  /** Adds an owner. The first one gets all pages without an owner. */
  addOwner(owner: PageOwner): void {
    this.#owners.push(owner);
  }

  removeOwner(owner: PageOwner): void {
    const index = this.#owners.indexOf(owner);
    if (index > 0) this.#owners.splice(index, 1);
  }

  /** Opens a blank page without an owner. */
  async openPage(): Promise<Page> {
    this.#opening += 1;
    try {
      return await this.#context.newPage();
    } finally {
      this.#opening -= 1;
    }
  }

  /** True if a request belongs to a page of another owner. */
  isOfAnother(request: Request, owner: PageOwner): boolean {
    if (this.#owners.length < 2) return false;
    const page = pageOf(request);
    return page !== null && this.#owners.some((candidate) => candidate !== owner && candidate.has(page));
  }

  #onPage(page: Page): void {
    const [first, ...laterOwners] = this.#owners;
    if (laterOwners.length === 0 && this.#opening === 0) return first?.adopt(page);
    const isOpening = this.#opening > 0;
    void page.opener().then((opener) => {
      if (!opener && isOpening) return;
      const owner = laterOwners.find((candidate) => opener !== null && candidate.has(opener)) ?? first;
      owner?.adopt(page);
    });
  }
}

/** Returns the page of a request; null for workers and for pages that are still opening. */
function pageOf(request: Request): Page | null {
  try {
    return request.frame().page();
  } catch {
    return null;
  }
}
