import { randomUUID } from 'node:crypto';
import { MAX_DIALOG_TEXT, type DialogInput } from '@pilothouse/contract/control/control.schema';
import type { EventData } from '@pilothouse/contract/events/event-log.schema';
import type { DialogReply, OpenDialog } from '@pilothouse/core/ports/surface-recorders.port';
import type { Masker } from '@pilothouse/core/secret/secret-masker';
import type { Timer, Timers } from '@pilothouse/core/time/timers';
import type { EventBuffer } from '../attempt/event-buffer.ts';

/** Milliseconds that a dialog waits for its answer. */
export const DIALOG_MS = 30_000;

/** Maximum dialogs of an attempt that wait for a person: a page may open them without end. */
const MAX_DIALOGS = 50;

/** Maximum characters of a question in the message of its event. */
const MAX_MESSAGE_CHARS = 500;

/** A period in which a person has control of a run. */
export interface Control {
  readonly operator: string;
  readonly step: Pick<EventData<'dialog.opened'>, 'step' | 'path' | 'id'>;
  /** Monotonic milliseconds at which control expires without input. */
  readonly expiresAtMs: () => number;
}

interface PendingDialog {
  readonly step: Control['step'];
  readonly resolve: (reply: DialogReply | null) => void;
  readonly reply: Promise<unknown>;
  stopTimer: () => void;
}

/** Calls `onEnd` after `timeoutMs`, or when control ends. @returns stops the timer */
export function startControlTimer(
  timeoutMs: number,
  { expiresAtMs }: Pick<Control, 'expiresAtMs'>,
  timers: Timers,
  onEnd: (reason: 'expired' | 'released') => void,
): () => void {
  const endMs = timers.monotonic() + timeoutMs;
  let timer: Timer | undefined;
  const check = () => {
    const nowMs = timers.monotonic();
    const remainingMs = Math.min(endMs, expiresAtMs()) - nowMs;
    if (remainingMs > 0) timer = timers.setTimeout(check, remainingMs);
    else onEnd(nowMs >= endMs ? 'expired' : 'released');
  };
  check();
  return () => timers.clearTimeout(timer);
}

/** Services that report dialogs. */
export interface DialogContext {
  readonly events: Pick<EventBuffer, 'add' | 'flush'>;
  readonly masker: Pick<Masker, 'text'>;
  readonly timers: Timers;
}

/** Dialogs of a page that wait for the person in control. */
export class Dialogs {
  private readonly context: DialogContext;
  private readonly timeoutMs: number;
  private readonly pending = new Map<string, PendingDialog>();
  private count = 0;

  /** @param timeoutMs milliseconds that a dialog waits for its answer */
  constructor(context: DialogContext, timeoutMs = DIALOG_MS) {
    this.context = context;
    this.timeoutMs = timeoutMs;
  }

  /** True while a dialog waits. The page accepts no input then. */
  get isOpen(): boolean {
    return this.pending.size > 0;
  }

  /** Resolves when every dialog that waits now is closed. */
  async waitUntilClosed(): Promise<void> {
    await Promise.all([...this.pending.values()].map(({ reply }) => reply));
  }

  /**
   * Reports a dialog and waits for its answer.
   * @returns null when it is not answered in time or control ends; null at once when the attempt reached the limit
   */
  requestReply(
    { kind, question, text }: OpenDialog,
    { operator, step, expiresAtMs }: Control,
  ): Promise<DialogReply | null> | null {
    if (this.count >= MAX_DIALOGS) return null;
    this.count += 1;
    const dialog = randomUUID();
    const { promise, resolve } = Promise.withResolvers<DialogReply | null>();
    const entry: PendingDialog = { step, resolve, reply: promise, stopTimer: () => undefined };
    this.pending.set(dialog, entry);
    const maskedQuestion = this.maskText(question);
    this.report(
      'dialog.opened',
      maskedQuestion
        ? `The page asks ${operator}: ${maskedQuestion.slice(0, MAX_MESSAGE_CHARS)}`
        : `The page asks ${operator} to confirm a dialog`,
      {
        ...step,
        dialog,
        kind,
        question: maskedQuestion,
        text: text === null ? null : this.maskText(text),
        operator,
        timeoutMs: this.timeoutMs,
      },
    );
    entry.stopTimer = startControlTimer(this.timeoutMs, { expiresAtMs }, this.context.timers, (reason) =>
      this.close(dialog, null, reason),
    );
    return promise;
  }

  /** Answers a dialog. Has no effect on a closed one. */
  answer({ dialog, accept, text }: DialogInput): void {
    this.close(dialog, { accept, text: text ?? null }, 'answered');
  }

  /** Dismisses all dialogs: control ended. */
  release(): void {
    for (const dialog of [...this.pending.keys()]) this.close(dialog, null, 'released');
  }

  private close(dialog: string, reply: DialogReply | null, reason: EventData<'dialog.closed'>['reason']): void {
    const entry = this.pending.get(dialog);
    if (!entry) return;
    this.pending.delete(dialog);
    entry.stopTimer();
    const accepted = reply?.accept ?? false;
    const message = `The dialog of the page was ${accepted ? 'accepted' : 'dismissed'}`;
    this.report('dialog.closed', message, { ...entry.step, dialog, accepted, reason });
    entry.resolve(reply);
  }

  /** Masked before truncation: a truncated secret would not be recognized. */
  private maskText(text: string): string {
    return this.context.masker.text(text).slice(0, MAX_DIALOG_TEXT);
  }

  private report(...event: Parameters<EventBuffer['add']>): void {
    this.context.events.add(...event);
    void this.context.events.flush().catch(() => undefined);
  }
}
