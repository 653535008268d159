import { limitDeadline, raceDeadline, remainingMs, type Deadline } from '@pilothouse/core/time/deadlines';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { CDPSession, Page } from 'playwright-core';
import { DocumentNavigation, NavigationHistory } from './navigation-history.ts';
import { InterceptorRegistry } from './interceptor-registry.ts';
import { NetworkActivity } from './network-activity.ts';

/** Maximum time after input until the page reports a navigation. */
const ECHO_TIMEOUT_MS = 250;

/** A requested navigation that does not start within this time counts as dropped. */
const NAVIGATION_START_MS = 1000;

/**
 * Page with its navigation state. On the same CDP session, Chromium reports a requested navigation before it answers
 * a later call. Playwright's own events come too late for the next step.
 */
export class TrackedPage {
  readonly page: Page;
  readonly timers: Timers;
  readonly navigation: DocumentNavigation;
  readonly history = new NavigationHistory();
  readonly network: NetworkActivity;
  readonly interceptors: InterceptorRegistry;
  /** Called when a window opens from this page. */
  onWindowOpen = () => {};
  /** Called when the document of this page was replaced. */
  onDocument = () => {};
  #cdp: CDPSession | null = null;
  #mainFrameId = '';
  #scheduledAt: number | null = null;
  #requestedAt: number | null = null;
  #isNavigating = false;
  #echo: Promise<unknown> | null = null;
  readonly #waiters = new Set<() => void>();

  constructor(page: Page, timers: Timers = systemTimers) {
    this.page = page;
    this.timers = timers;
    this.navigation = new DocumentNavigation(page, timers);
    this.network = new NetworkActivity(page, timers);
    this.interceptors = new InterceptorRegistry(page);
    page.on('close', () => this.#onSettled());
    page.on('crash', () => this.#onSettled());
  }

  /** Starts listening. Until then the page counts as settled. */
  async listen(): Promise<void> {
    const cdp = await this.page.context().newCDPSession(this.page);
    const isMainFrame = ({ frameId }: { frameId: string }) => frameId === this.#mainFrameId;
    cdp.on(
      'Page.frameScheduledNavigation',
      (event) => void (isMainFrame(event) && (this.#scheduledAt = this.timers.monotonic())),
    );
    cdp.on('Page.frameRequestedNavigation', (event) => {
      if (isMainFrame(event) && event.disposition === 'currentTab') this.#requestedAt = this.timers.monotonic();
    });
    // It was dropped or has become a request.
    cdp.on('Page.frameClearedScheduledNavigation', (event) => {
      if (!isMainFrame(event)) return;
      this.#scheduledAt = null;
      this.#notify();
    });
    cdp.on('Page.frameStartedNavigating', (event) => {
      if (!isMainFrame(event) || event.navigationType.endsWith('ameDocument')) return;
      this.#isNavigating = true;
      this.navigation.navigationStarted(/^(?:history|reload|restore)/.test(event.navigationType));
      this.#notify();
    });
    cdp.on('Page.frameNavigated', ({ frame }) => {
      if (frame.id !== this.#mainFrameId) return;
      this.navigation.documentCommitted(frame.url);
      this.onDocument();
      this.#onSettled();
    });
    cdp.on('Page.navigatedWithinDocument', (event) => void (isMainFrame(event) && this.#onSettled()));
    cdp.on('Page.frameStoppedLoading', (event) => void (isMainFrame(event) && this.#onSettled()));
    cdp.on('Page.windowOpen', () => this.onWindowOpen());
    const interceptorsReady = this.interceptors.add(cdp).catch(() => undefined);
    await cdp.send('Page.enable');
    const { frameTree } = await cdp.send('Page.getFrameTree');
    await interceptorsReady;
    this.#mainFrameId = frameTree.frame.id;
    this.#cdp = cdp;
  }

  /** CDP session of the page; null before `listen`. */
  get cdp(): CDPSession | null {
    return this.#cdp;
  }

  /** Returns the browser history of this page. */
  async browserHistory(): Promise<{ currentIndex: number; entries: { id: number; url: string }[] }> {
    return (await this.#cdp?.send('Page.getNavigationHistory')) ?? { currentIndex: 0, entries: [] };
  }

  /** Returns the URL of a previous (-1) or next (1) page that Chromium does not know. */
  storedUrl(direction: -1 | 1): string | undefined {
    return this.history.storedUrl(direction);
  }

  /** Records that a stored page was opened. */
  async openedStored(direction: -1 | 1, url: string): Promise<void> {
    if (this.#cdp) await this.history.openedStored(this.#cdp, direction, url);
  }

  /** True if no navigation is known to be pending. */
  get isSettled(): boolean {
    return this.#echo === null && !this.#isNavigationPending();
  }

  /** Resolves when a navigation is pending or the signal aborts. */
  async waitForNavigation(signal: AbortSignal): Promise<void> {
    while (!this.#isNavigationPending() && !signal.aborted) await this.#stateChange(() => this.#isNavigationPending());
  }

  /** Asks the page for an answer. Navigations started by the input are known when it arrives. */
  inputSent(): void {
    const timer = new Promise<void>((resolve) => this.timers.setTimeout(resolve, ECHO_TIMEOUT_MS).unref());
    const answer = this.#cdp
      ?.send('Runtime.evaluate', { expression: 'new Promise((done) => setTimeout(done, 0))', awaitPromise: true })
      .catch(() => undefined);
    this.#echo = Promise.race([timer, answer ?? Promise.resolve(), this.#stateChange(() => this.#isNavigating)]);
  }

  /**
   * Waits until no navigation is pending. For the content of the document it waits at most half of the time, because
   * a hanging script may not matter.
   * @throws PilothouseError STEP_TIMED_OUT if a navigation does not end
   */
  async waitUntilSettled(deadline: Deadline): Promise<void> {
    const subject = `Loading the page after ${this.page.url()}`;
    if (this.#echo) {
      await raceDeadline(this.#echo, deadline, subject);
      this.#echo = null;
    }
    while (this.#isNavigationPending()) {
      await raceDeadline(
        this.#stateChange(() => !this.#isNavigationPending()),
        deadline,
        subject,
      );
    }
    if (this.page.isClosed()) return;
    const contentLoaded = this.page.waitForLoadState('domcontentloaded', { timeout: remainingMs(deadline) + 100 });
    await raceDeadline(contentLoaded, limitDeadline(deadline, remainingMs(deadline) / 2), subject).catch(() =>
      deadline.signal.throwIfAborted(),
    );
  }

  /** Call when the page stays because it was asked before leaving. */
  leaveRefused(): void {
    this.#onSettled();
  }

  #isNavigationPending(): boolean {
    if (this.page.isClosed()) return false;
    const recent = (since: number | null) => since !== null && this.timers.monotonic() - since < NAVIGATION_START_MS;
    return this.#isNavigating || recent(this.#requestedAt) || recent(this.#scheduledAt);
  }

  #onSettled(): void {
    this.#scheduledAt = null;
    this.#requestedAt = null;
    this.#isNavigating = false;
    this.#notify();
  }

  #notify(): void {
    for (const wake of this.#waiters) wake();
  }

  /** Resolves when the state may have changed, or when a navigation that never starts times out. */
  async #stateChange(isReached: () => boolean): Promise<void> {
    if (isReached()) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        this.timers.clearTimeout(timer);
        this.#waiters.delete(end);
        resolve();
      };
      const timer = this.timers.setTimeout(end, NAVIGATION_START_MS);
      timer.unref();
      this.#waiters.add(end);
    });
  }
}

/**
 * Returns the title of a page; empty if it has none or does not answer. Playwright returns `Loading <address>` while
 * another document loads, which a condition must not mistake for a title.
 */
export async function documentTitle(page: Page): Promise<string> {
  const title = await page.title();
  return title.startsWith('Loading ') && URL.canParse(title.slice('Loading '.length)) ? '' : title;
}
