import { PilothouseError } from '@pilothouse/contract';
import { shortened, type AnsweredDialog, type Log } from '@pilothouse/core';
import type { Dialog } from 'playwright-core';

/** What a dialog gets. */
export interface DialogAnswer {
  readonly accept: boolean;
  /** For a dialog that asks for a text; null keeps what it proposes. */
  readonly text: string | null;
  /** Whether it is accepted, by what it asks; null: whatever that is. */
  readonly mayAccept: ((question: string) => boolean) | null;
}

/** A dialog that was to be accepted, and was not because of what it asks. */
export interface RefusedDialog {
  readonly question: string;
  /** What it was to get. */
  readonly text: string | null;
}

export const guardedDialog = ({ question, text }: RefusedDialog): PilothouseError =>
  new PilothouseError('ACTION_GUARDED', `The page asks “${shortened(question, 200)}”: it was declined`, {
    details: { question: question.slice(0, 500), text },
  });

/**
 * Answers the dialogs of a surface; each stops its page until then. Unless somebody said what the next one gets, an alert is
 * accepted, a question is declined, and leaving a page is allowed.
 */
export class Dialogs {
  #next: DialogAnswer | null = null;
  #refused: RefusedDialog | null = null;

  /** Whether an answer waits for its dialog. */
  get isExpecting(): boolean {
    return this.#next !== null;
  }

  answerNext(answer: DialogAnswer): void {
    this.#next = answer;
  }

  /** The dialog that was refused since it was asked for last. */
  takeRefused(): RefusedDialog | null {
    const refused = this.#refused;
    this.#refused = null;
    return refused;
  }

  /** @param unexpected called with a dialog that no step had an answer for */
  async answer(dialog: Dialog, log: Log, unexpected?: (answered: AnsweredDialog) => void): Promise<void> {
    const type = dialog.type();
    const told = this.#next;
    this.#next = null;
    const isRefused = told?.accept === true && told.mayAccept !== null && !told.mayAccept(dialog.message());
    if (isRefused) this.#refused = { question: dialog.message(), text: told.text };
    const accept = !isRefused && (told?.accept ?? (type === 'alert' || type === 'beforeunload'));
    log.info({ dialog: type, accept, told: told !== null }, `The page asked: ${dialog.message().slice(0, 500)}`);
    const text = told?.text ?? dialog.defaultValue();
    await (accept ? dialog.accept(type === 'prompt' ? text : undefined) : dialog.dismiss()).catch(() => undefined);
    if (told === null)
      unexpected?.({ kind: type as AnsweredDialog['kind'], question: dialog.message(), accepted: accept });
  }
}
