import { limitDeadline, raceDeadline, remainingMs, type Deadline, systemTimers } from '@pilothouse/core';
import type { CDPSession, Page } from 'playwright-core';
import { DocumentNavigation, NavigationHistory } from './navigation-history.ts';
import { Interceptors } from './interceptor-registry.ts';
import { NetworkActivity } from './network-activity.ts';

/** How long after input a page may take to say that it starts a navigation, in milliseconds. */
const ECHO = 250;

/** How long a navigation that was asked for may take to start before it counts as dropped, in milliseconds. */
const START = 1000;

/**
 * One page, and whether it is between two documents. Chromium says that a navigation was asked for before it answers what comes
 * after the input on the same wire; Playwright's own events come too late for the next step.
 */
export class TrackedPage {
  readonly page: Page;
  readonly arrival: DocumentNavigation;
  readonly past = new NavigationHistory();
  readonly traffic: NetworkActivity;
  readonly interceptors: Interceptors;
  /** Calls back when a window opens from this page. */
  onWindowOpen = () => {};
  /** Calls back when the document of this page is another one. */
  onDocument = () => {};
  #wire: CDPSession | null = null;
  #main = '';
  #scheduled: number | null = null;
  #asked: number | null = null;
  #moving = false;
  #echo: Promise<unknown> | null = null;
  readonly #waiting = new Set<() => void>();

  constructor(page: Page) {
    this.page = page;
    this.arrival = new DocumentNavigation(page);
    this.traffic = new NetworkActivity(page);
    this.interceptors = new Interceptors(page);
    page.on('close', () => this.#rest());
    page.on('crash', () => this.#rest());
  }

  /** Begins to listen; until then the page counts as at rest. */
  async listen(): Promise<void> {
    const wire = await this.page.context().newCDPSession(this.page);
    const ofMain = ({ frameId }: { frameId: string }) => frameId === this.#main;
    wire.on('Page.frameScheduledNavigation', (event) => void (ofMain(event) && (this.#scheduled = performance.now())));
    wire.on('Page.frameRequestedNavigation', (event) => {
      if (ofMain(event) && event.disposition === 'currentTab') this.#asked = performance.now();
    });
    /* Cleared is what was dropped, but also what has become a request. */
    wire.on('Page.frameClearedScheduledNavigation', (event) => {
      if (!ofMain(event)) return;
      this.#scheduled = null;
      this.#wake();
    });
    wire.on('Page.frameStartedNavigating', (event) => {
      if (!ofMain(event) || event.navigationType.endsWith('ameDocument')) return;
      this.#moving = true;
      this.arrival.begins(/^(?:history|reload|restore)/.test(event.navigationType));
      this.#wake();
    });
    wire.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id !== this.#main) return;
      this.arrival.ends(frame.url);
      this.onDocument();
      this.#rest();
    });
    wire.on('Page.navigatedWithinDocument', (event) => void (ofMain(event) && this.#rest()));
    wire.on('Page.frameStoppedLoading', (event) => void (ofMain(event) && this.#rest()));
    wire.on('Page.windowOpen', () => this.onWindowOpen());
    const added = this.interceptors.add(wire).catch(() => undefined);
    await wire.send('Page.enable');
    const { frameTree } = await wire.send('Page.getFrameTree');
    await added;
    this.#main = frameTree.frame.id;
    this.#wire = wire;
  }

  /** The line to Chromium on which all that is known of this page came; null before `listen`. */
  get wire(): CDPSession | null {
    return this.#wire;
  }

  /** The pages that this one can go back and forward to. */
  async history(): Promise<{ currentIndex: number; entries: { url: string }[] }> {
    return (await this.#wire?.send('Page.getNavigationHistory')) ?? { currentIndex: 0, entries: [] };
  }

  /** The address of a page before (-1) or after (1) that Chromium does not know. */
  kept(way: -1 | 1): string | undefined {
    return this.past.kept(way);
  }

  /** A page that was kept is shown now. */
  async cameTo(way: -1 | 1, from: string): Promise<void> {
    if (this.#wire) await this.past.cameTo(this.#wire, way, from);
  }

  /** Whether no document is on its way, as far as is known now. */
  get isSettled(): boolean {
    return this.#echo === null && !this.#busy();
  }

  /** Ends when a document is on its way, or with the signal. */
  async leaves(signal: AbortSignal): Promise<void> {
    while (!this.#busy() && !signal.aborted) await this.#change(() => this.#busy());
  }

  /** Asks the page for an answer, so that what the input started is known when it comes. */
  sent(): void {
    const timer = new Promise<void>((resolve) => systemTimers.setTimeout(resolve, ECHO).unref());
    const answer = this.#wire
      ?.send('Runtime.evaluate', { expression: 'new Promise((done) => setTimeout(done, 0))', awaitPromise: true })
      .catch(() => undefined);
    this.#echo = Promise.race([timer, answer ?? Promise.resolve(), this.#change(() => this.#moving)]);
  }

  /**
   * Waits until no document is on its way; for the one that is there to be whole it waits half of the time at most: what a hanging
   * script leaves out may not be needed.
   * @throws PilothouseError STEP_TIMED_OUT when a navigation does not come to its end
   */
  async settled(bound: Deadline): Promise<void> {
    const what = `The loading of the page that follows ${this.page.url()}`;
    if (this.#echo) {
      await raceDeadline(this.#echo, bound, what);
      this.#echo = null;
    }
    while (this.#busy()) {
      await raceDeadline(
        this.#change(() => !this.#busy()),
        bound,
        what,
      );
    }
    if (this.page.isClosed()) return;
    const loaded = this.page.waitForLoadState('domcontentloaded', { timeout: remainingMs(bound) + 100 });
    await raceDeadline(loaded, limitDeadline(bound, remainingMs(bound) / 2), what).catch(() =>
      bound.signal.throwIfAborted(),
    );
  }

  #busy(): boolean {
    if (this.page.isClosed()) return false;
    const recent = (since: number | null) => since !== null && performance.now() - since < START;
    return this.#moving || recent(this.#asked) || recent(this.#scheduled);
  }

  #rest(): void {
    this.#scheduled = null;
    this.#asked = null;
    this.#moving = false;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Ends when the state may have become so, or when a navigation that never starts is given up. */
  async #change(so: () => boolean): Promise<void> {
    if (so()) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        systemTimers.clearTimeout(timer);
        this.#waiting.delete(end);
        resolve();
      };
      const timer = systemTimers.setTimeout(end, START);
      timer.unref();
      this.#waiting.add(end);
    });
  }
}

/**
 * The title of the document of a page; empty when it has none, or does not answer. Playwright says `Loading <address>` of a page that does
 * not answer while another document is on its way, and a condition would take that for a title.
 */
export async function documentTitle(page: Page): Promise<string> {
  const title = await page.title();
  return title.startsWith('Loading ') && URL.canParse(title.slice('Loading '.length)) ? '' : title;
}
