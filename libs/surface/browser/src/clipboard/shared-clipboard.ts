import { limitDeadline, newDeadline, raceDeadline, type Deadline } from '@pilothouse/core/time/deadlines';
import type { Browser, Page } from 'playwright-core';
import { elementFunction } from '../injected/evaluate-functions.ts';
import type { Mutex } from './clipboard-queue.ts';

/** Content that a run copied. */
export interface ClipboardContent {
  readonly text: string;
  readonly html?: string;
}

/** Maximum time that one run owns the clipboard of the browser. */
const MAX_LOCK_MS = 5000;

/** Maximum time for emptying the clipboard. */
const EMPTY_TIMEOUT_MS = 2000;

/** Access to the clipboard while it is locked. */
interface LockedClipboard {
  /** Replaces the content. */
  write(content: ClipboardContent): Promise<void>;
  /** Reads the content; null if empty. */
  read(): Promise<ClipboardContent | null>;
}

/** State of the helper page: the content to copy next, and the content pasted last. */
interface HelperPageState {
  write: ClipboardContent;
  pasted: ClipboardContent;
}

const installListeners = elementFunction((_: Element) => {
  const world = globalThis as unknown as HelperPageState;
  addEventListener('copy', (event) => {
    event.preventDefault();
    // An empty text empties the clipboard. Without data it would stay unchanged.
    event.clipboardData?.setData('text/plain', world.write.text);
    if (world.write.html) event.clipboardData?.setData('text/html', world.write.html);
  });
  addEventListener('paste', (event) => {
    event.preventDefault();
    const data = event.clipboardData;
    const html = data?.getData('text/html') ?? '';
    world.pasted = { text: data?.getData('text/plain') ?? '', ...(html !== '' && { html }) };
  });
});

const setContent = elementFunction(
  (_: Element, write: ClipboardContent) => void ((globalThis as unknown as HelperPageState).write = write),
);
const clearPasted = elementFunction(
  (_: Element) => void ((globalThis as unknown as HelperPageState).pasted = { text: '' }),
);
const got = elementFunction((_: Element) => (globalThis as unknown as HelperPageState).pasted);

const rootOf = (page: Page) => page.locator('css=:root');

async function write(page: Page, content: ClipboardContent): Promise<void> {
  await rootOf(page).evaluateAll(setContent, content);
  await page.keyboard.press('ControlOrMeta+C');
}

async function read(page: Page): Promise<ClipboardContent | null> {
  await rootOf(page).evaluateAll(clearPasted, undefined);
  await page.keyboard.press('ControlOrMeta+V');
  const content = (await rootOf(page).evaluateAll(got, undefined))?.value;
  return content && (content.text !== '' || content.html !== undefined) ? content : null;
}

/**
 * The single clipboard that Chromium has for all pages. A run owns it for the duration of a key and leaves it empty.
 * A blank helper page writes and reads it with keys; it is created when a run first copies or pastes.
 */
export class SharedClipboard {
  readonly #browser: Pick<Browser, 'newContext'>;
  readonly #mutex: Mutex;
  #page: Promise<Page> | null = null;

  /** @param mutex shared by all browsers on one display, because they share its clipboard */
  constructor(browser: Pick<Browser, 'newContext'>, mutex: Mutex) {
    this.#browser = browser;
    this.#mutex = mutex;
  }

  /**
   * Owns the clipboard exclusively and empties it afterwards.
   * @param work is limited to `MAX_LOCK_MS`; its input must have no later effect
   * @throws PilothouseError STEP_TIMED_OUT; as `work`
   */
  async withLock<Value>(
    deadline: Deadline,
    work: (locked: LockedClipboard, lockDeadline: Deadline) => Promise<Value>,
  ): Promise<Value> {
    return this.#mutex.run(deadline, 'Waiting for the clipboard', async () => {
      const page = await raceDeadline(this.#helperPage(), deadline, 'The clipboard');
      const lockDeadline = limitDeadline(deadline, MAX_LOCK_MS);
      try {
        const locked: LockedClipboard = {
          write: (content) => raceDeadline(write(page, content), lockDeadline, 'The clipboard'),
          read: () => raceDeadline(read(page), lockDeadline, 'The clipboard'),
        };
        return await work(locked, lockDeadline);
      } finally {
        await this.#empty(page, deadline);
      }
    });
  }

  /**
   * If the page cannot empty the clipboard, it is closed and replaced. The next owner overwrites the content first.
   * Never throws.
   */
  async #empty(page: Page, { timers }: Deadline): Promise<void> {
    const emptyDeadline = newDeadline({ signal: new AbortController().signal, timers }, EMPTY_TIMEOUT_MS);
    await raceDeadline(write(page, { text: '' }), emptyDeadline, 'The clipboard').catch(() => {
      this.#page = null;
      page
        .context()
        .close()
        .catch(() => undefined);
    });
  }

  #helperPage(): Promise<Page> {
    if (this.#page) return this.#page;
    const opening = this.#openHelperPage();
    const onClose = () => void (this.#page === opening && (this.#page = null));
    opening.then((page) => page.once('close', onClose).once('crash', onClose), onClose);
    this.#page = opening;
    return opening;
  }

  async #openHelperPage(): Promise<Page> {
    const context = await this.#browser.newContext({ offline: true });
    const page = await context.newPage();
    await rootOf(page).evaluateAll(installListeners, undefined);
    return page;
  }
}
