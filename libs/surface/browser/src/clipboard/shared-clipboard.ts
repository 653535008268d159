import { limitDeadline, raceDeadline, type Deadline } from '@pilothouse/core';
import type { Browser, Page } from 'playwright-core';
import { elementFunction } from '../injected/evaluate-functions.ts';
import type { Mutex } from './clipboard-queue.ts';

/** What a run copied. */
export interface ClipboardContent {
  readonly text: string;
  readonly html?: string;
}

/** How long one run may have the clipboard of the browser, in milliseconds: others wait for it. */
const HOLDING = 5000;

/** How long the clipboard may take to be emptied, in milliseconds. */
const EMPTYING = 2000;

/** While it is held. */
interface Held {
  /** Puts this there, in place of all that was. */
  put(copied: ClipboardContent): Promise<void>;
  /** What is there; null when nothing is. */
  take(): Promise<ClipboardContent | null>;
}

/** What the blank page keeps: what it copies next, and what was pasted last. */
interface DeskWorld {
  put: ClipboardContent;
  got: ClipboardContent;
}

const listen = elementFunction((_: Element) => {
  const world = globalThis as unknown as DeskWorld;
  addEventListener('copy', (event) => {
    event.preventDefault();
    /* An empty text empties the clipboard; no data at all leaves it as it is. */
    event.clipboardData?.setData('text/plain', world.put.text);
    if (world.put.html) event.clipboardData?.setData('text/html', world.put.html);
  });
  addEventListener('paste', (event) => {
    event.preventDefault();
    const data = event.clipboardData;
    const html = data?.getData('text/html') ?? '';
    world.got = { text: data?.getData('text/plain') ?? '', ...(html !== '' && { html }) };
  });
});

const toPut = elementFunction(
  (_: Element, put: ClipboardContent) => void ((globalThis as unknown as DeskWorld).put = put),
);
const forget = elementFunction((_: Element) => void ((globalThis as unknown as DeskWorld).got = { text: '' }));
const got = elementFunction((_: Element) => (globalThis as unknown as DeskWorld).got);

const rootOf = (page: Page) => page.locator('css=:root');

async function put(page: Page, copied: ClipboardContent): Promise<void> {
  await rootOf(page).evaluateAll(toPut, copied);
  await page.keyboard.press('ControlOrMeta+C');
}

async function take(page: Page): Promise<ClipboardContent | null> {
  await rootOf(page).evaluateAll(forget, undefined);
  await page.keyboard.press('ControlOrMeta+V');
  const found = (await rootOf(page).evaluateAll(got, undefined))?.value;
  return found && (found.text !== '' || found.html !== undefined) ? found : null;
}

/**
 * The one clipboard that Chromium has for all its pages. A run has it for as long as a key takes, and leaves nothing there. A blank page
 * of nobody's puts things there and takes them, by keys as well: it is made when a run copies or pastes for the first time.
 */
export class SharedClipboard {
  readonly #browser: Pick<Browser, 'newContext'>;
  readonly #turn: Mutex;
  #page: Promise<Page> | null = null;

  /** @param turn of all that share a screen: where there is one, they share its clipboard */
  constructor(browser: Pick<Browser, 'newContext'>, turn: Mutex) {
    this.#browser = browser;
    this.#turn = turn;
  }

  /**
   * Has the clipboard for itself, empty afterwards.
   * @param work gets at most `HOLDING`; what it sent may not come to an effect later
   * @throws PilothouseError STEP_TIMED_OUT; as `work`
   */
  async hold<Value>(bound: Deadline, work: (held: Held, until: Deadline) => Promise<Value>): Promise<Value> {
    return this.#turn.take(bound, 'The wait for the clipboard', async () => {
      const page = await raceDeadline(this.#desk(), bound, 'The clipboard');
      const until = limitDeadline(bound, HOLDING);
      try {
        const held: Held = {
          put: (copied) => raceDeadline(put(page, copied), until, 'The clipboard'),
          take: () => raceDeadline(take(page), until, 'The clipboard'),
        };
        return await work(held, until);
      } finally {
        await this.#empty(page);
      }
    });
  }

  /** A page that does not empty it is given up: whoever comes next puts something there first, with another. Never throws. */
  async #empty(page: Page): Promise<void> {
    const until = { signal: new AbortController().signal, deadline: performance.now() + EMPTYING };
    await raceDeadline(put(page, { text: '' }), until, 'The clipboard').catch(() => {
      this.#page = null;
      page
        .context()
        .close()
        .catch(() => undefined);
    });
  }

  #desk(): Promise<Page> {
    if (this.#page) return this.#page;
    const making = this.#make();
    const gone = () => void (this.#page === making && (this.#page = null));
    making.then((page) => page.once('close', gone).once('crash', gone), gone);
    this.#page = making;
    return making;
  }

  async #make(): Promise<Page> {
    const context = await this.#browser.newContext({ offline: true });
    const page = await context.newPage();
    await rootOf(page).evaluateAll(listen, undefined);
    return page;
  }
}
