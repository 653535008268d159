import {
  type ScreencastSink,
  type Log,
  type OpenDialog,
  type SurfaceRecorders,
  limitDeadline,
  remainingMs,
  delayWithin,
  poll,
  type Deadline,
} from '@pilothouse/core';
import type { BrowserContext, CDPSession, Dialog, FileChooser, Page } from 'playwright-core';
import { recordConsole, recordNetwork } from './network-recorder.ts';
import { PendingDownloads, type SurfaceFiles } from './downloads.ts';
import { PageDialogs, type DialogAnswer, type DeclinedDialog } from './page-dialogs.ts';
import { Screencast } from '../browser.screencast.ts';
import type { ResponseLog } from './network-activity.ts';
import { TrackedPage } from './tracked-page.ts';
import type { SecretRedactor } from './secret-redaction.ts';
import type { PageOwner, PageOwnership } from './page-ownership.ts';

/** How long a window that opens may take to become a page, in milliseconds. */
const OPENING = 2000;

/** How long a download may take to begin after what asked for it, in milliseconds. */
const BEGINNING = 10_000;

interface Listeners {
  /** A page crashed. */
  crashed(): void;
  /** The last page closed. */
  empty(): void;
  log(): Log;
}

/** Who looks on, what keeps secrets from them, and whose pages others are. */
interface Seen {
  readonly watch?: SurfaceRecorders | undefined;
  readonly veil: SecretRedactor;
  readonly windows: PageOwnership;
}

/** A place that another surface can be brought to: the address of the page, cookies and storage say all there is to know. */
export interface SafePoint {
  readonly page: Page;
  readonly wire: CDPSession;
  readonly tab: TrackedPage;
  /** Whether nothing was sent and nothing came since. */
  holds(): boolean;
}

/** The pages of one surface. A new one is the current one; when it closes, the one that was before is. */
export class SurfacePages implements PageOwner {
  /** In the order in which they were opened. */
  readonly #tabs: TrackedPage[] = [];
  /** The one that was current last is the last. */
  readonly #used: TrackedPage[] = [];
  readonly #dialogs = new PageDialogs();
  readonly files: SurfaceFiles;
  /** What pages asked for; null when nobody wants to know. */
  readonly responses: ResponseLog | null;
  readonly #on: Listeners;
  readonly #watch: SurfaceRecorders;
  readonly #films = new Set<Screencast>();
  readonly #choosers = new Set<(chooser: FileChooser) => void>();
  readonly #veil: SecretRedactor;
  readonly #coming: PendingDownloads;
  readonly #windows: PageOwnership;
  #opening: number | null = null;
  /** When input was last sent, to whichever page. */
  #touched = 0;

  constructor(
    context: BrowserContext,
    first: TrackedPage,
    { files, responses, watch = {}, veil, windows }: Pick<SurfacePages, 'files' | 'responses'> & Seen,
    on: Listeners,
  ) {
    this.#watch = watch;
    this.#veil = veil;
    if (watch.screencast) this.#films.add(new Screencast(watch.screencast, veil));
    this.files = files;
    this.responses = responses;
    this.#on = on;
    this.#windows = windows;
    this.#coming = new PendingDownloads(context, (request) => !windows.isOfAnother(request, this));
    this.#adopt(first);
    windows.join(this);
  }

  /** A window opened from one of these pages. */
  adopt(page: Page): void {
    this.#opening = null;
    const tab = new TrackedPage(page);
    this.#adopt(tab);
    /* A window may close before anybody listens. */
    tab.listen().catch(() => undefined);
  }

  /** The current page. */
  get current(): TrackedPage {
    const tab = this.#used.at(-1) ?? this.#first;
    if (!tab) throw new Error('A surface has a page from the beginning');
    return tab;
  }

  /** All of them, in the order in which they were opened. */
  get all(): readonly TrackedPage[] {
    return this.#tabs;
  }

  /** Makes a page the current one. */
  goTo(tab: TrackedPage): void {
    drop(this.#used, tab);
    this.#used.push(tab);
    this.#show(tab);
  }

  /** Films whatever page is current from now on. @returns ends that */
  film(film: ScreencastSink): () => void {
    const filming = new Screencast(film, this.#veil);
    this.#films.add(filming);
    filming.show(this.current);
    return () => {
      this.#films.delete(filming);
      filming.end();
    };
  }

  /** Calls `opened` with each file chooser of a page from now on. @returns a function that removes the listener */
  onFileChooser(opened: (chooser: FileChooser) => void): () => void {
    this.#choosers.add(opened);
    for (const { page } of this.#tabs) page.on('filechooser', opened);
    return () => {
      this.#choosers.delete(opened);
      for (const { page } of this.#tabs) page.off('filechooser', opened);
    };
  }

  /** Does work, at most until a dialog waits for a person. @returns null then */
  unlessAsked<Value>(work: Promise<Value>): Promise<Value | null> {
    return this.#dialogs.unlessAsked(work);
  }

  #answer(dialog: Dialog): Promise<void> {
    const watch = this.#watch.dialogs;
    const opened = (open: OpenDialog) => {
      const reply = watch?.opened(open) ?? null;
      // The answer is input: the page may do anything with it.
      void reply?.then(() => this.touched());
      return reply;
    };
    return this.#dialogs.answer(
      dialog,
      this.#on.log(),
      watch && { opened, answered: (answered) => watch.answered(answered) },
    );
  }

  #show(tab: TrackedPage): void {
    for (const filming of this.#films) filming.show(tab);
  }

  /** Says what the next dialog gets. */
  answerNext(answer: DialogAnswer): void {
    this.#dialogs.answerNext(answer);
  }

  /** The dialog that was refused since it was asked for last. */
  takeRefused(): DeclinedDialog | null {
    return this.#dialogs.takeRefused();
  }

  #first: TrackedPage | undefined;

  /** To be called in the tick in which input is sent. @returns takes that back, where the page let none of it through */
  touched(): () => void {
    const before = this.#touched;
    this.#touched = performance.now();
    const undo = this.#coming.sent();
    return () => {
      this.#touched = before;
      undo();
    };
  }

  /** To be called when what is clicked asks for a file. */
  wantsFile(): void {
    this.#coming.want();
  }

  /**
   * Waits for the downloads that input asked for: first until none may begin any more, then until they are whole.
   * @returns names of those that are not at the deadline
   */
  async filesKept(bound: Deadline): Promise<string[]> {
    await poll(async () => (this.#coming.isAny ? undefined : true), limitDeadline(bound, BEGINNING));
    return this.files.whole(bound);
  }

  /**
   * Where the surface is, when it is at a safe point: one page, nothing on its way, its document the answer to a GET, and no input
   * since that was asked for. A page at which nothing was done yet is one, too. While an answer waits for its dialog there is none.
   */
  safePoint(): SafePoint | null {
    const [tab, another] = this.#tabs;
    if (!tab?.wire || another || this.#isOpening() || !tab.isSettled || this.#dialogs.isExpecting) return null;
    const { page, wire, arrival } = tab;
    const touched = this.#touched;
    const isSafe = arrival.isAnswerToGet(touched) || (touched === 0 && tab === this.#first && arrival.isFresh);
    if (!isSafe) return null;
    const { count } = arrival;
    return { page, wire, tab, holds: () => this.has(page) && this.#touched === touched && arrival.count === count };
  }

  /** Whether something that was asked for since input was last sent is still on its way. */
  get isWaiting(): boolean {
    const { traffic, isSettled } = this.current;
    return traffic.isAskedSince(this.#touched) || this.#isOpening() || !isSettled;
  }

  /** Waits for a window on its way, then for its document. */
  async settled(bound: Deadline): Promise<void> {
    await this.current.settled(bound);
    while (this.#isOpening() && remainingMs(bound) > 0) await delayWithin(5, bound);
    await this.current.settled(bound);
  }

  #isOpening(): boolean {
    return this.#opening !== null && performance.now() - this.#opening < OPENING;
  }

  #adopt(tab: TrackedPage): void {
    this.#first ??= tab;
    this.#tabs.push(tab);
    this.#used.push(tab);
    tab.onWindowOpen = () => (this.#opening = performance.now());
    const { page } = tab;
    this.responses?.listen(page);
    if (this.#watch.console) recordConsole(page, this.#watch.console);
    if (this.#watch.exchanges) recordNetwork(page, this.#watch.exchanges);
    this.#show(tab);
    page.on('crash', () => this.#on.crashed());
    page.on('close', () => {
      drop(this.#tabs, tab);
      drop(this.#used, tab);
      if (this.#tabs.length === 0) this.#on.empty();
      else this.#show(this.current);
    });
    page.on('dialog', (dialog) => void this.#answer(dialog));
    for (const opened of this.#choosers) page.on('filechooser', opened);
    tab.onDocument = () => this.#coming.left();
    page.on('download', (download) => {
      this.#coming.began(download);
      this.files.keep(download, this.#on.log());
    });
    page.on('pageerror', (error) =>
      this.#on.log().debug({ page: page.url() }, `The page threw: ${error.message.slice(0, 500)}`),
    );
  }

  /** Nobody looks any more. */
  close(): void {
    for (const filming of this.#films) filming.end();
    this.#films.clear();
    this.#coming.close();
    this.#windows.leave(this);
  }

  /** Whether this page is still one of the surface. */
  has(page: Page): boolean {
    return this.#tabs.some((tab) => tab.page === page);
  }
}

/** Takes one out of a list. */
function drop(list: TrackedPage[], tab: TrackedPage): void {
  const index = list.indexOf(tab);
  if (index >= 0) list.splice(index, 1);
}
