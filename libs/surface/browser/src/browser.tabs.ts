import { basename, join } from 'node:path';
import type { Log } from '@pilothouse/core';
import type { BrowserContext, CDPSession, Dialog, Download, Page } from 'playwright-core';
import { Tab } from './browser.tab.ts';
import { pause, left, type Bound } from './wait.ts';

/** How long a window that opens may take to become a page, in milliseconds. */
const OPENING = 2000;

interface Listeners {
  /** A page crashed. */
  crashed(): void;
  /** The last page closed. */
  empty(): void;
  log(): Log;
}

/** A place that another surface can be brought to: the address of the page, cookies and storage say all there is to know. */
export interface SafePoint {
  readonly page: Page;
  readonly wire: CDPSession;
  /** Whether nothing was sent and nothing came since. */
  holds(): boolean;
}

/** The pages of one surface. The newest is the current one; when it closes, the one before is. */
export class Tabs {
  readonly #tabs: Tab[] = [];
  readonly #folder: string;
  readonly #on: Listeners;
  #opening: number | null = null;
  /** When input was last sent, to whichever page. */
  #touched = 0;

  constructor(context: BrowserContext, first: Tab, folder: string, on: Listeners) {
    this.#folder = folder;
    this.#on = on;
    this.#adopt(first);
    context.on('page', (page) => {
      this.#opening = null;
      const tab = new Tab(page);
      this.#adopt(tab);
      /* A window may close before anybody listens. */
      tab.listen().catch(() => undefined);
    });
  }

  /** The current page. */
  get current(): Tab {
    const tab = this.#tabs.at(-1) ?? this.#first;
    if (!tab) throw new Error('A surface has a page from the beginning');
    return tab;
  }

  #first: Tab | undefined;

  /** To be called in the tick in which input is sent. */
  touched(): void {
    this.#touched = performance.now();
  }

  /**
   * Where the surface is, when it is at a safe point: one page, nothing on its way, its document the answer to a GET, and no input
   * since that was asked for. A page at which nothing was done yet is one, too.
   */
  safePoint(): SafePoint | null {
    const [tab, another] = this.#tabs;
    if (!tab?.wire || another || this.#isOpening() || !tab.isSettled) return null;
    const { page, wire, arrival } = tab;
    const touched = this.#touched;
    const isSafe = arrival.isAnswerToGet(touched) || (touched === 0 && tab === this.#first && arrival.isFresh);
    if (!isSafe) return null;
    const { count } = arrival;
    return { page, wire, holds: () => this.has(page) && this.#touched === touched && arrival.count === count };
  }

  /** Waits for a window on its way, then for its document. */
  async settled(bound: Bound): Promise<void> {
    await this.current.settled(bound);
    while (this.#isOpening() && left(bound) > 0) await pause(5, bound);
    await this.current.settled(bound);
  }

  #isOpening(): boolean {
    return this.#opening !== null && performance.now() - this.#opening < OPENING;
  }

  #adopt(tab: Tab): void {
    this.#first ??= tab;
    this.#tabs.push(tab);
    tab.onWindowOpen = () => (this.#opening = performance.now());
    const { page } = tab;
    page.on('crash', () => this.#on.crashed());
    page.on('close', () => {
      this.#tabs.splice(this.#tabs.indexOf(tab), 1);
      if (this.#tabs.length === 0) this.#on.empty();
    });
    page.on('dialog', (dialog) => void this.#answer(dialog));
    page.on('download', (download) => void this.#keep(download));
    page.on('pageerror', (error) =>
      this.#on.log().debug({ page: page.url() }, `The page threw: ${error.message.slice(0, 500)}`),
    );
  }

  /** A dialog stops the page until it is answered: an alert is accepted, a question is declined, leaving a page is allowed. */
  async #answer(dialog: Dialog): Promise<void> {
    const type = dialog.type();
    const accept = type === 'alert' || type === 'beforeunload';
    this.#on.log().info({ dialog: type, accept }, `The page asked: ${dialog.message().slice(0, 500)}`);
    await (accept ? dialog.accept() : dialog.dismiss()).catch(() => undefined);
  }

  async #keep(download: Download): Promise<void> {
    /* The name comes from the site. */
    const name =
      basename(download.suggestedFilename())
        .replace(/[^\p{L}\p{N}._ -]/gu, '_')
        .replace(/^\.+/, '_') || 'download';
    const log = this.#on.log();
    await download.saveAs(join(this.#folder, name)).then(
      () => log.info({ download: name }, `Downloaded ${name}`),
      (thrown: unknown) =>
        log.warn({ download: name }, `The download of ${name} failed: ${String(thrown).slice(0, 300)}`),
    );
  }

  /** Whether this page is still one of the surface. */
  has(page: Page): boolean {
    return this.#tabs.some((tab) => tab.page === page);
  }
}
