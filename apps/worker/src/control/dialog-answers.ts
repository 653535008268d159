import { randomUUID } from 'node:crypto';
import { MAX_DIALOG_TEXT, type DialogInput, type EventData } from '@pilothouse/contract';
import { type DialogReply, type Masker, type OpenDialog, systemTimers, type Timer } from '@pilothouse/core';
import type { EventBuffer } from '../attempt/event-buffer.ts';

/** Milliseconds that a dialog waits for its answer. */
export const DIALOG_MS = 30_000;

/** Maximum dialogs of an attempt that wait for a person: a page may open them without end. */
const MAX_DIALOGS = 50;

/** Maximum characters of a question in the message of its event. */
const MAX_MESSAGE = 500;

/** A period in which a person has control of a run. */
export interface Control {
  readonly by: string;
  readonly step: Pick<EventData<'dialog.opened'>, 'step' | 'path' | 'id'>;
  /** Monotonic milliseconds at which control expires without input. */
  readonly until: () => number;
}

interface Waiting {
  readonly step: Control['step'];
  readonly resolve: (reply: DialogReply | null) => void;
  readonly closed: Promise<unknown>;
  stopTimer: () => void;
}

/** Calls `ended` after this many milliseconds, or when control ends. @returns stops the timer */
export function startControlTimer(
  waitMs: number,
  { until }: Pick<Control, 'until'>,
  ended: (why: 'expired' | 'released') => void,
): () => void {
  const end = performance.now() + waitMs;
  let timer: Timer | undefined;
  const check = () => {
    const now = performance.now();
    const left = Math.min(end, until()) - now;
    if (left > 0) timer = systemTimers.setTimeout(check, left);
    else ended(now >= end ? 'expired' : 'released');
  };
  check();
  return () => systemTimers.clearTimeout(timer);
}

/** Dialogs of a page that wait for the person in control. */
export class Dialogs {
  private readonly events: Pick<EventBuffer, 'add' | 'flush'>;
  private readonly masker: Pick<Masker, 'text'>;
  private readonly waitMs: number;
  private readonly waiting = new Map<string, Waiting>();
  private count = 0;

  /** @param waitMs milliseconds that a dialog waits for its answer */
  constructor(events: Pick<EventBuffer, 'add' | 'flush'>, masker: Pick<Masker, 'text'>, waitMs = DIALOG_MS) {
    this.events = events;
    this.masker = masker;
    this.waitMs = waitMs;
  }

  /** True while a dialog waits. The page accepts no input then. */
  get isOpen(): boolean {
    return this.waiting.size > 0;
  }

  /** Resolves when every dialog that waits now is closed. */
  async closed(): Promise<void> {
    await Promise.all([...this.waiting.values()].map(({ closed }) => closed));
  }

  /**
   * Reports a dialog and waits for its answer.
   * @returns null when it is not answered in time or control ends; null at once when the attempt reached the limit
   */
  ask({ kind, question, text }: OpenDialog, { by, step, until }: Control): Promise<DialogReply | null> | null {
    if (this.count >= MAX_DIALOGS) return null;
    this.count += 1;
    const dialog = randomUUID();
    const { promise, resolve } = Promise.withResolvers<DialogReply | null>();
    const waiting: Waiting = { step, resolve, closed: promise, stopTimer: () => undefined };
    this.waiting.set(dialog, waiting);
    const shown = this.shown(question);
    this.report(
      'dialog.opened',
      shown ? `The page asks ${by}: ${shown.slice(0, MAX_MESSAGE)}` : `The page asks ${by} to confirm a dialog`,
      {
        ...step,
        dialog,
        kind,
        question: shown,
        text: text === null ? null : this.shown(text),
        operator: by,
        timeoutMs: this.waitMs,
      },
    );
    waiting.stopTimer = startControlTimer(this.waitMs, { until }, (why) => this.close(dialog, null, why));
    return promise;
  }

  /** Answers a dialog. Has no effect on a closed one. */
  answer({ dialog, accept, text }: DialogInput): void {
    this.close(dialog, { accept, text: text ?? null }, 'answered');
  }

  /** Dismisses all dialogs: control ended. */
  release(): void {
    for (const dialog of [...this.waiting.keys()]) this.close(dialog, null, 'released');
  }

  private close(dialog: string, reply: DialogReply | null, why: EventData<'dialog.closed'>['reason']): void {
    const waiting = this.waiting.get(dialog);
    if (!waiting) return;
    this.waiting.delete(dialog);
    waiting.stopTimer();
    const accepted = reply?.accept ?? false;
    const message = `The dialog of the page was ${accepted ? 'accepted' : 'dismissed'}`;
    this.report('dialog.closed', message, { ...waiting.step, dialog, accepted, reason: why });
    waiting.resolve(reply);
  }

  /** Masked before truncation: a truncated secret would not be recognized. */
  private shown(text: string): string {
    return this.masker.text(text).slice(0, MAX_DIALOG_TEXT);
  }

  private report(...event: Parameters<EventBuffer['add']>): void {
    this.events.add(...event);
    void this.events.flush().catch(() => undefined);
  }
}
