import type { Log } from '@pilothouse/core';
import type { Dialog } from 'playwright-core';

/** What a dialog gets. */
export interface DialogAnswer {
  readonly accept: boolean;
  /** For a dialog that asks for a text; null keeps what it proposes. */
  readonly text: string | null;
}

/**
 * Answers the dialogs of a surface; each stops its page until then. Unless somebody said what the next one gets, an alert is
 * accepted, a question is declined, and leaving a page is allowed.
 */
export class Dialogs {
  #next: DialogAnswer | null = null;

  /** Whether an answer waits for its dialog. */
  get isExpecting(): boolean {
    return this.#next !== null;
  }

  answerNext(answer: DialogAnswer): void {
    this.#next = answer;
  }

  async answer(dialog: Dialog, log: Log): Promise<void> {
    const type = dialog.type();
    const told = this.#next;
    this.#next = null;
    const accept = told?.accept ?? (type === 'alert' || type === 'beforeunload');
    log.info({ dialog: type, accept, told: told !== null }, `The page asked: ${dialog.message().slice(0, 500)}`);
    const text = told?.text ?? dialog.defaultValue();
    await (accept ? dialog.accept(type === 'prompt' ? text : undefined) : dialog.dismiss()).catch(() => undefined);
  }
}
