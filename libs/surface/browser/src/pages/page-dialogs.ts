import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { ellipsize } from '@pilothouse/core/observation/observation-text';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import type { DialogReply, DialogListener, OpenDialog } from '@pilothouse/core/ports/surface-recorders.port';
import type { Dialog } from 'playwright-core';

export interface DialogAnswer {
  readonly accept: boolean;
  /** For a prompt; null accepts its default. */
  readonly text: string | null;
  /** Decides by its question whether it is accepted; null accepts every dialog. */
  readonly mayAccept: ((question: string) => boolean) | null;
}

/** Dialog that was declined because of its question. */
export interface DeclinedDialog {
  readonly question: string;
  /** Text that it would have received. */
  readonly text: string | null;
}

export const dialogApprovalRequired = ({ question, text }: DeclinedDialog): PilothouseError =>
  new PilothouseError(
    'APPROVAL_REQUIRED',
    `The page asked “${ellipsize(question, 200)}”, and the dialog was dismissed`,
    {
      details: { question: question.slice(0, 500), text },
    },
  );

/** Reason why a page was not left. */
export const LEAVE_REFUSED =
  'the page asked before leaving, and the answer was Cancel; put handleDialog with accept: true before the step to leave it';

/**
 * Answers the dialogs of a surface. A dialog blocks its page until then. One without an answer of a step waits for
 * the person in control. Without a person, an alert is accepted, a question declined, and leaving a page allowed.
 */
export class PageDialogs {
  #nextAnswer: DialogAnswer | null = null;
  #declined: DeclinedDialog | null = null;
  /** Number of dialogs that wait for a person. */
  #waitingCount = 0;
  readonly #listeners = new Set<() => void>();
  readonly #leaveListeners = new Set<() => void>();

  /** True if an answer waits for its dialog. */
  get isExpecting(): boolean {
    return this.#nextAnswer !== null;
  }

  answerNext(answer: DialogAnswer): void {
    this.#nextAnswer = answer;
  }

  /** Returns and clears the dialog that was declined. */
  popDeclined(): DeclinedDialog | null {
    const declined = this.#declined;
    this.#declined = null;
    return declined;
  }

  /** Runs work until it ends or a dialog waits for a person. @returns null if a dialog waits */
  async untilDialogWaits<Value>(work: Promise<Value>): Promise<Value | null> {
    work.catch(() => undefined);
    if (this.#waitingCount > 0) return null;
    const { promise, resolve } = Promise.withResolvers<null>();
    const notify = () => resolve(null);
    this.#listeners.add(notify);
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.#listeners.delete(notify);
    }
  }

  /** Calls the listener when `beforeunload` is answered with Cancel. @returns a function that stops it */
  onLeaveRefused(listener: () => void): () => void {
    this.#leaveListeners.add(listener);
    return () => this.#leaveListeners.delete(listener);
  }

  /** @param watch answers dialogs without an answer of a step */
  async answer(dialog: Dialog, log: Log, watch?: DialogListener): Promise<void> {
    const kind = dialog.type() as OpenDialog['kind'];
    const question = dialog.message();
    const scripted = this.#nextAnswer;
    this.#nextAnswer = null;
    const text = kind === 'prompt' ? dialog.defaultValue() : null;
    const personReply = scripted === null ? (watch?.onOpen({ kind, question, text }) ?? null) : null;
    const reply = personReply && (await this.#waitForPerson(personReply));
    const isDeclined = scripted?.accept === true && scripted.mayAccept !== null && !scripted.mayAccept(question);
    if (isDeclined) this.#declined = { question, text: scripted.text };
    const acceptsByDefault = personReply === null && (kind === 'alert' || kind === 'beforeunload');
    const accept = !isDeclined && (scripted?.accept ?? reply?.accept ?? acceptsByDefault);
    log.info({ dialog: kind, accept, scripted: scripted !== null }, `The page asked: ${question.slice(0, 500)}`);
    const answer = kind === 'prompt' ? (scripted?.text ?? reply?.text ?? dialog.defaultValue()) : undefined;
    const isStaying = kind === 'beforeunload' && !accept;
    if (isStaying) for (const notify of [...this.#leaveListeners]) notify();
    await (accept ? dialog.accept(answer) : dialog.dismiss()).catch(() => undefined);
    if (scripted === null && reply === null) watch?.onAnswered({ kind, question, accepted: accept });
  }

  async #waitForPerson(personReply: Promise<DialogReply | null>): Promise<DialogReply | null> {
    this.#waitingCount += 1;
    for (const notify of this.#listeners) notify();
    try {
      return await personReply;
    } finally {
      this.#waitingCount -= 1;
    }
  }
}
