import { randomUUID } from 'node:crypto';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { newDeadline, raceDeadline, poll, type Deadline } from '@pilothouse/core/time/deadlines';
import type { BrowserContext, Page } from 'playwright-core';
import type { ClipboardContent, SharedClipboard } from './shared-clipboard.ts';
import { clipboardOverrideSource, type ClipboardRequest } from '../injected/clipboard-override.ts';

/** Maximum length of a clipboard, text and HTML together. */
const MAX_CLIPBOARD_CHARS = 1_000_000;

/** Maximum time for closing a page. */
const CLOSE_TIMEOUT_MS = 2000;

/** Effect of a key on the clipboard. */
type ClipboardUse = 'copies' | 'pastes';

/**
 * Returns the effect of a key or chord on the clipboard; null: no effect. The modifier is `Control` on Linux and
 * Windows, `Meta` on macOS.
 */
export function clipboardUse(key: string): ClipboardUse | null {
  const modifiers = key.toLowerCase().split('+');
  const last = modifiers.pop()?.replace(/^key/, '');
  const hasModifier = (modifier: RegExp) => modifiers.some((part) => modifier.test(part));
  const isCommand = hasModifier(/^(?:control|meta)/);
  const isShift = hasModifier(/^shift/);
  if ((isCommand && last === 'v') || (isShift && last === 'insert')) return 'pastes';
  if ((isCommand && /^(?:c|x|insert)$/.test(last ?? '')) || (isShift && last === 'delete')) return 'copies';
  return null;
}

/** Clipboard content of a run. */
export interface ClipboardState extends ClipboardContent {
  /** True until a step reads it. */
  readonly isNew: boolean;
}

/**
 * Clipboard of one run: content copied by its keys and pages, or written by its workflow. Other runs cannot read it.
 */
export class RunClipboard {
  readonly #shared: SharedClipboard;
  #state: ClipboardState | null = null;

  constructor(shared: SharedClipboard) {
    this.#shared = shared;
  }

  /** Current content; null if empty. It may contain secrets of the run. */
  get state(): ClipboardState | null {
    return this.#state;
  }

  set state(state: ClipboardState | null) {
    this.#state = state;
  }

  /** Writes a text. It does not count as copied. */
  write(text: string): void {
    this.#state = { text, isNew: false };
  }

  /**
   * Waits for a text that was copied since the last call or write; null at the deadline.
   * @throws the reason of the signal
   */
  async waitForCopy(deadline: Deadline): Promise<string | null> {
    const state = await poll(async () => (this.#state?.isNew ? this.#state : undefined), deadline);
    if (!state) return null;
    this.#state = { ...state, isNew: false };
    return state.text;
  }

  /** Connects the scripts in all pages of a context to this clipboard. @param mayRead true if pages may read it */
  async connect(context: BrowserContext, mayRead: boolean): Promise<void> {
    const binding = `clipboard${randomUUID()}`;
    // The argument comes from the page and is not trusted.
    await context.exposeBinding(binding, (_, request: ClipboardRequest) => {
      if (request === 'read') return mayRead ? this.#content : null;
      this.#store({
        text: String(request.copied.text),
        ...(request.copied.html && { html: String(request.copied.html) }),
      });
      return null;
    });
    await context.addInitScript(clipboardOverrideSource({ binding, mayRead }));
  }

  /**
   * Presses a key that copies, cuts or pastes while this run owns the clipboard of the browser. A page that does not
   * handle the key in time is closed, because it could paste the content of another run later.
   * @param press sends the key with the function it gets
   * @throws PilothouseError STEP_TIMED_OUT; as `press`
   */
  async press(
    page: Page,
    key: string,
    use: ClipboardUse,
    press: (input: () => Promise<void>, lockDeadline: Deadline) => Promise<void>,
    deadline: Deadline,
  ): Promise<void> {
    await this.#shared.withLock(deadline, async (clipboard, lockDeadline) => {
      await clipboard.write((use === 'pastes' && this.#content) || { text: '' });
      let pendingInputs = 0;
      const input = async () => {
        pendingInputs += 1;
        await page.keyboard.press(key).finally(() => (pendingInputs -= 1));
      };
      try {
        await press(input, lockDeadline);
      } catch (error) {
        if (pendingInputs > 0) await closePage(page, deadline);
        throw error;
      }
      const waitForCopy = use === 'copies' ? await clipboard.read() : null;
      if (waitForCopy) this.#store(waitForCopy);
    });
  }

  get #content(): ClipboardContent | null {
    if (!this.#state) return null;
    const { isNew: _isNew, ...content } = this.#state;
    return content;
  }

  #store(waitForCopy: ClipboardContent): void {
    if (waitForCopy.text.length + (waitForCopy.html?.length ?? 0) > MAX_CLIPBOARD_CHARS)
      throw new PilothouseError(
        'ACTION_UNSUPPORTED',
        `The copied text has more than ${MAX_CLIPBOARD_CHARS} characters; select less`,
      );
    this.#state = { ...waitForCopy, isNew: true };
  }
}

/** Closes a page that does not answer. Never throws. */
async function closePage(page: Page, { timers }: Deadline): Promise<void> {
  const closeDeadline = newDeadline({ signal: new AbortController().signal, timers }, CLOSE_TIMEOUT_MS);
  await raceDeadline(page.close(), closeDeadline, 'Closing the page').catch(() => undefined);
}
