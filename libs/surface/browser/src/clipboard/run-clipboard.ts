import { randomUUID } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract';
import { raceDeadline, poll, type Deadline } from '@pilothouse/core';
import type { BrowserContext, Page } from 'playwright-core';
import type { ClipboardContent, SharedClipboard } from './shared-clipboard.ts';
import { clipboardOverrideSource, type ClipboardRequest } from '../injected/clipboard-override.ts';

/** Most characters that a clipboard takes, text and HTML together. */
const MAX_COPIED = 1_000_000;

/** How long a page may take to close, in milliseconds. */
const CLOSING = 2000;

/** What a key does with the clipboard. */
type ClipboardUse = 'copies' | 'pastes';

/** What a key or a chord does with the clipboard where Chromium runs on Linux and Windows, on a Mac by `Meta`; null when nothing. */
export function clipboardUse(key: string): ClipboardUse | null {
  const parts = key.toLowerCase().split('+');
  const last = parts.pop()?.replace(/^key/, '');
  const holds = (modifier: RegExp) => parts.some((part) => modifier.test(part));
  const isCommand = holds(/^(?:control|meta)/);
  const isShift = holds(/^shift/);
  if ((isCommand && last === 'v') || (isShift && last === 'insert')) return 'pastes';
  if ((isCommand && /^(?:c|x|insert)$/.test(last ?? '')) || (isShift && last === 'delete')) return 'copies';
  return null;
}

/** What is kept of a clipboard. */
export interface ClipboardState extends ClipboardContent {
  /** Whether no step read it yet. */
  readonly isNew: boolean;
}

/** The clipboard of one run: what its keys and its pages copied, or its workflow put there. Nobody else sees it. */
export class RunClipboard {
  readonly #shared: SharedClipboard;
  #state: ClipboardState | null = null;

  constructor(shared: SharedClipboard) {
    this.#shared = shared;
  }

  /** What is there; null when nothing is. It may hold secrets of the run. */
  get state(): ClipboardState | null {
    return this.#state;
  }

  set state(state: ClipboardState | null) {
    this.#state = state;
  }

  /** Puts a text there: nothing that was copied. */
  put(text: string): void {
    this.#state = { text, isNew: false };
  }

  /** The text that was copied since it was last asked for, or put there; null when nothing is in time. @throws the reason of the signal */
  async copied(bound: Deadline): Promise<string | null> {
    const found = await poll(async () => (this.#state?.isNew ? this.#state : undefined), bound);
    if (!found) return null;
    this.#state = { ...found, isNew: false };
    return found.text;
  }

  /**
   * Leads scripts of all pages of a context here.
   * @param mayRead whether they may read what is here, too
   */
  async route(context: BrowserContext, mayRead: boolean): Promise<void> {
    const binding = `clipboard${randomUUID()}`;
    /* Pages can say whatever they like. */
    await context.exposeBinding(binding, (_, asked: ClipboardRequest) => {
      if (asked === 'read') return mayRead ? this.#content : null;
      this.#keep({ text: String(asked.copied.text), ...(asked.copied.html && { html: String(asked.copied.html) }) });
      return null;
    });
    await context.addInitScript(clipboardOverrideSource({ binding, mayRead }));
  }

  /**
   * Presses a key that copies, cuts or pastes, with the clipboard of the browser made this one for so long. A page that does not take the
   * key in time is closed: later it would paste what is another run's.
   * @param press sends the key by the function it gets
   * @throws PilothouseError STEP_TIMED_OUT; as `press`
   */
  async press(
    page: Page,
    key: string,
    use: ClipboardUse,
    press: (input: () => Promise<void>, until: Deadline) => Promise<void>,
    bound: Deadline,
  ): Promise<void> {
    await this.#shared.hold(bound, async (held, until) => {
      await held.put((use === 'pastes' && this.#content) || { text: '' });
      let underWay = 0;
      const input = async () => {
        underWay += 1;
        await page.keyboard.press(key).finally(() => (underWay -= 1));
      };
      try {
        await press(input, until);
      } catch (thrown) {
        if (underWay > 0) await closed(page);
        throw thrown;
      }
      const copied = use === 'copies' ? await held.take() : null;
      if (copied) this.#keep(copied);
    });
  }

  get #content(): ClipboardContent | null {
    if (!this.#state) return null;
    const { isNew: _isNew, ...content } = this.#state;
    return content;
  }

  #keep(copied: ClipboardContent): void {
    if (copied.text.length + (copied.html?.length ?? 0) > MAX_COPIED)
      throw new PilothouseError('ACTION_UNSUPPORTED', `More than ${MAX_COPIED} characters are not copied`);
    this.#state = { ...copied, isNew: true };
  }
}

/** Closes a page that does not answer. Never throws. */
async function closed(page: Page): Promise<void> {
  const until = { signal: new AbortController().signal, deadline: performance.now() + CLOSING };
  await raceDeadline(page.close(), until, 'The closing of the page').catch(() => undefined);
}
