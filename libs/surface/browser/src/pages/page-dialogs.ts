import { PilothouseError } from '@pilothouse/contract';
import { ellipsize, type DialogReply, type DialogWatch, type Log, type OpenDialog } from '@pilothouse/core';
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
export interface DeclinedDialog {
  readonly question: string;
  /** What it was to get. */
  readonly text: string | null;
}

export const dialogApprovalRequired = ({ question, text }: DeclinedDialog): PilothouseError =>
  new PilothouseError('APPROVAL_REQUIRED', `The page asks “${ellipsize(question, 200)}”: it was declined`, {
    details: { question: question.slice(0, 500), text },
  });

/**
 * Answers the dialogs of a surface; each stops its page until then. One that no step has an
 * answer for waits for the person in control. Without one, an alert is accepted, a question is declined, and leaving a page is allowed.
 */
export class PageDialogs {
  #next: DialogAnswer | null = null;
  #refused: DeclinedDialog | null = null;
  /** Dialogs that wait for a person. */
  #waiting = 0;
  readonly #asked = new Set<() => void>();

  /** Whether an answer waits for its dialog. */
  get isExpecting(): boolean {
    return this.#next !== null;
  }

  answerNext(answer: DialogAnswer): void {
    this.#next = answer;
  }

  /** The dialog that was refused since it was asked for last. */
  takeRefused(): DeclinedDialog | null {
    const refused = this.#refused;
    this.#refused = null;
    return refused;
  }

  /** Does work, at most until a dialog waits for a person, also one that waits already. @returns null then */
  async unlessAsked<Value>(work: Promise<Value>): Promise<Value | null> {
    work.catch(() => undefined);
    if (this.#waiting > 0) return null;
    const { promise, resolve } = Promise.withResolvers<null>();
    const tell = () => resolve(null);
    this.#asked.add(tell);
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.#asked.delete(tell);
    }
  }

  /** @param watch answers a dialog that no step has an answer for */
  async answer(dialog: Dialog, log: Log, watch?: DialogWatch): Promise<void> {
    const kind = dialog.type() as OpenDialog['kind'];
    const question = dialog.message();
    const told = this.#next;
    this.#next = null;
    const text = kind === 'prompt' ? dialog.defaultValue() : null;
    const asked = told === null ? (watch?.opened({ kind, question, text }) ?? null) : null;
    const reply = asked && (await this.#wait(asked));
    const isRefused = told?.accept === true && told.mayAccept !== null && !told.mayAccept(question);
    if (isRefused) this.#refused = { question, text: told.text };
    const unasked = asked === null && (kind === 'alert' || kind === 'beforeunload');
    const accept = !isRefused && (told?.accept ?? reply?.accept ?? unasked);
    log.info({ dialog: kind, accept, told: told !== null }, `The page asked: ${question.slice(0, 500)}`);
    const answer = kind === 'prompt' ? (told?.text ?? reply?.text ?? dialog.defaultValue()) : undefined;
    await (accept ? dialog.accept(answer) : dialog.dismiss()).catch(() => undefined);
    if (told === null && reply === null) watch?.answered({ kind, question, accepted: accept });
  }

  async #wait(asked: Promise<DialogReply | null>): Promise<DialogReply | null> {
    this.#waiting += 1;
    for (const tell of this.#asked) tell();
    try {
      return await asked;
    } finally {
      this.#waiting -= 1;
    }
  }
}
