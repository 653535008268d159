/// <reference lib="dom" />
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import type { MissingFile } from '@pilothouse/core/ports/surface.port';
import type { ScreencastSink, OpenDialog, SurfaceRecorders } from '@pilothouse/core/ports/surface-recorders.port';
import { limitDeadline, remainingMs, delayWithin, poll, type Deadline } from '@pilothouse/core/time/deadlines';
import type { Timers } from '@pilothouse/core/time/timers';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { playwrightMessage } from '../playwright-errors.ts';
import type { BrowserContext, CDPSession, Dialog, FileChooser, Page } from 'playwright-core';
import { recordConsole, recordNetwork } from './network-recorder.ts';
import { PendingDownloads, type SurfaceFiles } from './downloads.ts';
import { PageDialogs, type DialogAnswer, type DeclinedDialog } from './page-dialogs.ts';
import { Screencast } from '../browser.screencast.ts';
import type { ResponseLog } from './network-activity.ts';
import { TrackedPage } from './tracked-page.ts';
import type { SecretRedactor } from './secret-redaction.ts';
import type { PageOwner, PageOwnership } from './page-ownership.ts';

/** Maximum time from the request for a window to its page. */
const WINDOW_TIMEOUT_MS = 2000;

/** Maximum time until a download begins. */
const DOWNLOAD_START_TIMEOUT_MS = 10_000;

interface PageEvents {
  /** A page crashed. */
  crashed(): void;
  /** The last page closed. */
  empty(): void;
  log(): Log;
}

/** Recorders, secret redaction, page ownership and clock of a surface. */
interface PageServices {
  readonly watch?: SurfaceRecorders | undefined;
  readonly redactor: SecretRedactor;
  readonly ownership: PageOwnership;
  readonly clock: Clock;
}

/** State that can be restored on another surface: URL, cookies and storage describe it completely. */
export interface SafePoint {
  readonly page: Page;
  readonly cdp: CDPSession;
  readonly tab: TrackedPage;
  /** True if nothing was sent and no document came since. */
  isCurrent(): boolean;
}

/** Pages of one surface. A new page becomes current. When it closes, the previous one does. */
export class SurfacePages implements PageOwner {
  /** In opening order. */
  readonly #tabs: TrackedPage[] = [];
  /** In order of use, the current page last. */
  readonly #recent: TrackedPage[] = [];
  readonly #dialogs = new PageDialogs();
  readonly files: SurfaceFiles;
  /** Timers of the surface. */
  readonly timers: Timers;
  readonly #clock: Clock;
  /** Requests of the pages; null if they are not recorded. */
  readonly responses: ResponseLog | null;
  readonly #events: PageEvents;
  readonly #watch: SurfaceRecorders;
  readonly #screencasts = new Set<Screencast>();
  readonly #choosers = new Set<(chooser: FileChooser) => void>();
  readonly #redactor: SecretRedactor;
  readonly #downloads: PendingDownloads;
  readonly #ownership: PageOwnership;
  #windowOpeningAt: number | null = null;
  /** Time of the last input to any page. */
  #inputAt = 0;

  constructor(
    context: BrowserContext,
    first: TrackedPage,
    {
      files,
      responses,
      watch = {},
      redactor,
      ownership,
      clock,
    }: Pick<SurfacePages, 'files' | 'responses'> & PageServices,
    events: PageEvents,
  ) {
    this.timers = first.timers;
    this.#clock = clock;
    this.#watch = watch;
    this.#redactor = redactor;
    if (watch.screencast) this.#screencasts.add(new Screencast(watch.screencast, redactor, this.timers));
    this.files = files;
    this.responses = responses;
    this.#events = events;
    this.#ownership = ownership;
    this.#downloads = new PendingDownloads(context, (request) => !ownership.isOfAnother(request, this), this.timers);
    this.#adopt(first);
    ownership.addOwner(this);
  }

  /** A window opened from one of these pages. */
  adopt(page: Page): void {
    this.#windowOpeningAt = null;
    const tab = new TrackedPage(page, this.timers);
    this.#adopt(tab);
    // A window may close before listening starts.
    tab.listen().catch(() => undefined);
  }

  /** The current page. */
  get current(): TrackedPage {
    const tab = this.#recent.at(-1) ?? this.#first;
    if (!tab) throw new Error('A surface has a page from the beginning');
    return tab;
  }

  /** All pages in opening order. */
  get tabs(): readonly TrackedPage[] {
    return this.#tabs;
  }

  /** Makes a page current. */
  makeCurrent(tab: TrackedPage): void {
    removeTab(this.#recent, tab);
    this.#recent.push(tab);
    this.#attachScreencasts(tab);
  }

  /** Starts a screencast that follows the current page. @returns a function that ends it */
  startScreencast(sink: ScreencastSink): () => void {
    const screencast = new Screencast(sink, this.#redactor, this.timers);
    this.#screencasts.add(screencast);
    screencast.attach(this.current);
    return () => {
      this.#screencasts.delete(screencast);
      screencast.end();
    };
  }

  /** Calls `onOpen` with each file chooser of a page from now on. @returns a function that removes the listener */
  onFileChooser(onOpen: (chooser: FileChooser) => void): () => void {
    this.#choosers.add(onOpen);
    for (const { page } of this.#tabs) page.on('filechooser', onOpen);
    return () => {
      this.#choosers.delete(onOpen);
      for (const { page } of this.#tabs) page.off('filechooser', onOpen);
    };
  }

  /** Runs work until it ends or a dialog waits for a person. @returns null if a dialog waits */
  untilDialogWaits<Value>(work: Promise<Value>): Promise<Value | null> {
    return this.#dialogs.untilDialogWaits(work);
  }

  /** Calls the listener when `beforeunload` is answered with Cancel. @returns a function that stops it */
  onLeaveRefused(listener: () => void): () => void {
    return this.#dialogs.onLeaveRefused(listener);
  }

  #answerDialog(dialog: Dialog): Promise<void> {
    const watch = this.#watch.dialogs;
    const onOpen = (open: OpenDialog) => {
      const reply = watch?.onOpen(open) ?? null;
      // The answer is input, so the page may react to it.
      void reply?.then(() => this.inputSent());
      return reply;
    };
    return this.#dialogs.answer(
      dialog,
      this.#events.log(),
      watch && { onOpen, onAnswered: (dialog) => watch.onAnswered(dialog) },
    );
  }

  #attachScreencasts(tab: TrackedPage): void {
    for (const screencast of this.#screencasts) screencast.attach(tab);
  }

  /** Sets the answer for the next dialog. */
  answerNext(answer: DialogAnswer): void {
    this.#dialogs.answerNext(answer);
  }

  /** Returns and clears the dialog that was declined. */
  popDeclinedDialog(): DeclinedDialog | null {
    return this.#dialogs.popDeclined();
  }

  #first: TrackedPage | undefined;

  /**
   * Call in the tick in which input is sent.
   * @returns a function that reverts the call if the page stopped all input
   */
  inputSent(): () => void {
    const previousInputAt = this.#inputAt;
    this.#inputAt = this.timers.monotonic();
    const undo = this.#downloads.inputSent();
    return () => {
      this.#inputAt = previousInputAt;
      undo();
    };
  }

  /** Call when the clicked element requests a file. */
  expectFile(): void {
    this.#downloads.expectFile();
  }

  /**
   * Waits for downloads caused by input: until none may begin any more, then until they are complete.
   * @returns those that failed, and those that are incomplete at the deadline
   */
  async waitForFiles(deadline: Deadline): Promise<MissingFile[]> {
    const startDeadline = limitDeadline(deadline, DOWNLOAD_START_TIMEOUT_MS);
    for (;;) {
      await poll(async () => (this.#downloads.isPending ? undefined : true), startDeadline);
      const missingFiles = await this.files.waitUntilComplete(deadline);
      // Another download may have begun meanwhile.
      if (!this.#downloads.isPending || remainingMs(startDeadline) === 0) return missingFiles;
    }
  }

  /**
   * Returns the safe point of the surface, or null. A safe point is one page without pending navigation, whose document
   * is the response to a GET, and no input since that request. A page without any navigation is one as well. While an
   * answer waits for its dialog, no safe point exists.
   */
  safePoint(): SafePoint | null {
    const [tab, secondTab] = this.#tabs;
    if (!tab?.cdp || secondTab || this.#isWindowOpening() || !tab.isSettled || this.#dialogs.isExpecting) return null;
    const { page, cdp, navigation } = tab;
    const inputSent = this.#inputAt;
    const isSafe =
      navigation.isAnswerToGet(inputSent) || (inputSent === 0 && tab === this.#first && navigation.isUntouched);
    if (!isSafe) return null;
    const { count } = navigation;
    return {
      page,
      cdp,
      tab,
      isCurrent: () => this.has(page) && this.#inputAt === inputSent && navigation.count === count,
    };
  }

  /** True if something requested since the last input is pending. */
  get isWaiting(): boolean {
    const { network, isSettled } = this.current;
    return network.hasPendingSince(this.#inputAt) || this.#isWindowOpening() || !isSettled;
  }

  /** Waits for a window that is opening, then for its document. */
  async waitUntilSettled(deadline: Deadline): Promise<void> {
    await this.current.waitUntilSettled(deadline);
    while (this.#isWindowOpening() && remainingMs(deadline) > 0) await delayWithin(5, deadline);
    await this.current.waitUntilSettled(deadline);
  }

  #isWindowOpening(): boolean {
    return this.#windowOpeningAt !== null && this.timers.monotonic() - this.#windowOpeningAt < WINDOW_TIMEOUT_MS;
  }

  #adopt(tab: TrackedPage): void {
    this.#first ??= tab;
    this.#tabs.push(tab);
    this.#recent.push(tab);
    tab.onWindowOpen = () => (this.#windowOpeningAt = this.timers.monotonic());
    const { page } = tab;
    this.responses?.listen(page);
    if (this.#watch.console) recordConsole(page, this.#watch.console, this.#clock);
    if (this.#watch.exchanges) recordNetwork(page, this.#watch.exchanges, this.#clock);
    this.#attachScreencasts(tab);
    page.on('crash', () => this.#events.crashed());
    page.on('close', () => {
      removeTab(this.#tabs, tab);
      removeTab(this.#recent, tab);
      if (this.#tabs.length === 0) this.#events.empty();
      else this.#attachScreencasts(this.current);
    });
    page.on('dialog', (dialog) => {
      const stopListening = this.#dialogs.onLeaveRefused(() => tab.leaveRefused());
      void this.#answerDialog(dialog).finally(stopListening);
    });
    for (const onOpen of this.#choosers) page.on('filechooser', onOpen);
    tab.onDocument = () => this.#downloads.documentReplaced();
    page.on('download', (download) => {
      this.#downloads.downloadStarted(download);
      this.files.save(download, this.#events.log());
    });
    let shownUrl = '';
    const saveShown = () => {
      if (page.url() !== shownUrl) this.#saveShownFile(tab);
      shownUrl = page.url();
    };
    page.on('framenavigated', (frame) => void (frame === page.mainFrame() && saveShown()));
    saveShown();
    page.on('pageerror', (error) =>
      this.#events.log().debug({ page: page.url() }, `The page threw: ${error.message.slice(0, 500)}`),
    );
  }

  /** Saves a PDF that a script created and the page shows in the viewer of the browser. */
  #saveShownFile({ page, interceptors }: TrackedPage): void {
    const url = page.url();
    if (!url.startsWith('blob:')) return;
    // The URL of a file that replaced the page of its script is no longer valid.
    const body = interceptors.popCreatedFile(url);
    const log = this.#events.log();
    const isPdf = page.evaluate(() => document.contentType === 'application/pdf').catch(() => false);
    void isPdf.then((isShown) => {
      if (isShown) this.files.saveShown('document.pdf', log, async () => body ?? (await readShownFile(page, url)));
    });
  }

  /** Stops all screencasts and listeners. */
  close(): void {
    for (const screencast of this.#screencasts) screencast.end();
    this.#screencasts.clear();
    this.#downloads.close();
    this.#ownership.removeOwner(this);
  }

  /** True if the page belongs to the surface. */
  has(page: Page): boolean {
    return this.#tabs.some((tab) => tab.page === page);
  }
}

/** Returns the content of a file that a page shows. @throws PilothouseError NAVIGATION_FAILED */
async function readShownFile(page: Page, url: string): Promise<Uint8Array> {
  try {
    const base64 = await page.evaluate(async () => {
      const bytes = new Uint8Array(await (await fetch(location.href)).arrayBuffer());
      let text = '';
      for (let start = 0; start < bytes.length; start += 32_768)
        text += String.fromCharCode(...bytes.subarray(start, start + 32_768));
      return btoa(text);
    });
    return Buffer.from(base64, 'base64');
  } catch (error) {
    throw new PilothouseError(
      'NAVIGATION_FAILED',
      `A page with ${url} shows a PDF that a script created, and it cannot be read: ${playwrightMessage(error)}; no file was downloaded`,
      { details: { url } },
    );
  }
}

/** Removes a page from a list. */
function removeTab(list: TrackedPage[], tab: TrackedPage): void {
  const index = list.indexOf(tab);
  if (index >= 0) list.splice(index, 1);
}
