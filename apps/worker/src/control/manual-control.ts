import {
  PilothouseError,
  truncateElementName,
  type DialogInput,
  type Json,
  type PageInput,
  type PageQuery,
  type RunQuestion,
} from '@pilothouse/contract';
import {
  recordInput,
  flushPendingInput,
  NO_PENDING_INPUT,
  stepRef,
  stepTitle,
  type AnsweredDialog,
  type Context,
  type DialogReply,
  type FileChooser,
  type RecordedInput,
  type RecordedAction,
  type Masker,
  type OpenDialog,
  type StepPosition,
  type Surface,
  type InputTarget,
  settlesWithin,
  systemTimers,
  type Timer,
} from '@pilothouse/core';
import type { AttemptLink, ControlInput, InspectionResult } from '@pilothouse/infra-link';
import { runGuarded } from '../actions/run-action.ts';
import type { ActionScope } from '../actions/action-scope.ts';
import { currentAnchors } from '../actions/surface-reads.ts';
import { Dialogs, type Control } from './dialog-answers.ts';
import { FileChoosers } from './file-choosers.ts';
import { truncateInspection, inspectPage } from './operator-inspection.ts';
import type { EventBuffer } from '../attempt/event-buffer.ts';

/** Milliseconds for one input. */
const INPUT_MS = 5_000;

/** Milliseconds to wait for the last input: the run may learn that it continues before it learns that control was released. */
const LAST_INPUT_MS = 500;

/** Milliseconds without input after which a pending action counts as complete: a click may be the first of two. */
const QUIET_MS = 1_500;

/** Minimum length of a secret that is masked inside other text. Shorter ones occur everywhere. */
const MASKED_FROM = 4;

/** Maximum dialogs that are reported as dismissed: a page may open them without end. */
const MAX_NOTES = 50;

/** Maximum characters of a dialog's question in a report. */
const MAX_QUESTION = 500;

/** Maximum inputs that wait for a slow page. Further inputs are dropped. */
const MOST_WAITING = 1_000;

export interface WheelParts {
  readonly link: Pick<AttemptLink, 'onControlInput' | 'sendInspection'>;
  readonly events: Pick<EventBuffer, 'add' | 'flush'>;
  readonly masker: Pick<Masker, 'add' | 'strings' | 'text'>;
}

/** Target of manual input: the surface, and the step that waits. */
export interface ControlSession {
  readonly act: ActionScope;
  readonly step: Pick<RunQuestion, 'step' | 'path' | 'id'>;
}

/**
 * Manual control of an attempt. The newest control token identifies the person in control. Input is accepted only during a control session,
 * while the run waits for a person.
 */
export class ManualControl {
  private readonly parts: WheelParts;
  private token = 0;
  private by = '';
  /** Number of the last batch. */
  private n = 0;
  /** Monotonic milliseconds at which control expires. */
  private until = 0;
  /** The last token for which the run stopped. */
  private served = 0;
  private seat: ControlSession | undefined;
  private readonly waiting: PageInput[] = [];
  private working: Promise<void> = Promise.resolve();
  private readonly dialogs: Dialogs;
  private readonly choosers: FileChoosers;
  private notes = 0;
  private unfinished = NO_PENDING_INPUT;
  private quiet: Timer | undefined;
  /** Listeners that wait for a person to take control. */
  private readonly waiters = new Set<() => void>();
  /** Descriptions of the actions since the session began. */
  private done: string[] = [];
  /** Resolves the wait for the release of control. */
  private wake: (() => void) | undefined;

  constructor(parts: WheelParts) {
    this.parts = parts;
    const { events, masker } = parts;
    this.dialogs = new Dialogs(events, masker);
    this.choosers = new FileChoosers({ events, masker, inTurn: (work) => this.inTurn(work) });
    parts.link.onControlInput((driven) => this.heard(driven));
  }

  /** True while a person has control. */
  get isActive(): boolean {
    return performance.now() < this.until;
  }

  /** True while a person has control for whom the run has not stopped yet. */
  private get isWanted(): boolean {
    return this.isActive && this.served < this.token;
  }

  /** Descriptions of the actions of the last session, without secrets. */
  get recordedActions(): readonly string[] {
    return this.done;
  }

  /** Calls `stop` when a person takes control for whom the run has not stopped; at once if one already has. @returns removes the callback */
  onTaken(stop: () => void): () => void {
    this.waiters.add(stop);
    if (this.isWanted) stop();
    return () => this.waiters.delete(stop);
  }

  /** The pending request for control, for which the run stops before it continues; null: no request since the last release. */
  pendingQuestion(place: StepPosition): RunQuestion | null {
    if (!this.isWanted) return null;
    const { token, by } = this;
    return {
      ...stepRef(place),
      id: place.step.id ?? null,
      controlToken: token,
      reason: `${by} has control`.slice(0, 2000),
      choices: [{ choice: 'continue', title: 'Release control: the run continues' }],
    };
  }

  /** Asks the person in control about a dialog of the page. @returns as `PageDialogs.ask`; null at once: no person is in control */
  askDialog(dialog: OpenDialog): Promise<DialogReply | null> | null {
    const control = this.control();
    return control && this.dialogs.ask(dialog, control);
  }

  /** Control of the person who may be asked; null: none. */
  private control(): Control | null {
    const { seat, by } = this;
    if (!seat || seat.act.signal.aborted || !this.isActive) return null;
    return { by, step: seat.step, until: () => this.until };
  }

  private askFiles(chooser: FileChooser): void {
    const control = this.control();
    if (control) this.choosers.ask(chooser, control);
  }

  /** Reports a dialog that was not answered in time while a person has control. */
  noteDialog({ kind, question, accepted }: AnsweredDialog): void {
    const { seat } = this;
    if (!seat || !this.isActive || this.notes >= MAX_NOTES) return;
    this.notes += 1;
    const { events } = this.parts;
    const what = `A dialog of the page was ${accepted ? 'accepted' : 'dismissed'}`;
    events.add('run.log', question ? `${what}: ${question.slice(0, MAX_QUESTION)}` : what, {
      facts: { dialog: kind, accepted },
    });
    this.next(seat, () => events.flush().catch(() => undefined));
  }

  /** Starts a control session, which accepts input. @returns ends it; resolves when pending actions are complete and reported */
  startSession(seat: ControlSession): () => Promise<void> {
    this.seat = seat;
    this.done = [];
    const stopChoosers = seat.act.surface.onFileChooser((chooser) => this.askFiles(chooser));
    return async () => {
      // The message that the run continues may arrive before the last input.
      if (!seat.act.signal.aborted && this.isActive) await settlesWithin(this.returned(), LAST_INPUT_MS);
      // Input that opened a dialog waits for it.
      this.release();
      stopChoosers();
      systemTimers.clearTimeout(this.quiet);
      await this.working;
      systemTimers.clearTimeout(this.quiet);
      this.seat = undefined;
      // The run continues, for whatever reason it waited, and does not stop for this token again.
      this.served = this.token;
      this.until = 0;
      await this.take(flushPendingInput(this.unfinished), seat);
    };
  }

  private returned(): Promise<void> {
    return new Promise((resolve) => (this.wake = resolve));
  }

  private heard({ token, operator, validMs, sequence, inputs, inspect: asked }: ControlInput): void {
    if (token < this.token) return;
    if (token > this.token) {
      Object.assign(this, { token, by: operator, n: 0 });
      this.waiting.length = 0;
      this.release();
    }
    this.until = performance.now() + validMs;
    if (validMs === 0) {
      this.served = token;
      this.release();
      this.wake?.();
    }
    if (this.isWanted) for (const stop of this.waiters) stop();
    if (sequence <= this.n) return;
    this.n = sequence;
    if (!this.seat) return;
    for (const input of inputs) {
      if (input.kind === 'dialog') this.answerDialog(input, this.seat);
      // A page with a dialog accepts no other input, and that input does not apply to the page after the dialog.
      else if (!this.dialogs.isOpen && this.waiting.length < MOST_WAITING) this.waiting.push(input);
    }
    this.next(this.seat, () => this.carryOut());
    if (asked) this.next(this.seat, () => this.see(asked));
  }

  /** Dismisses the waiting dialogs and the file chooser: control ended. */
  private release(): void {
    this.dialogs.release();
    this.choosers.release();
  }

  /** Answers a dialog or a file chooser while the attempt may act. */
  private answerDialog(input: DialogInput, { act }: ControlSession): void {
    try {
      act.assertCanAct();
      act.lease.assertHeld();
    } catch (thrown) {
      act.log.warn({ error: String(thrown) }, 'the answer to a dialog was not taken');
      return;
    }
    if (this.choosers.has(input.dialog)) this.choosers.answer(input, act);
    else this.dialogs.answer(input);
  }

  /** Sends an inspection of the page to the person who requested it. */
  private async see(asked: PageQuery): Promise<void> {
    const { seat } = this;
    if (!seat || seat.act.signal.aborted) return;
    const { link, masker } = this.parts;
    const seen = (this.dialogs.isOpen ? { error: dialogOpen().view() } : await inspectPage(asked, seat.act)) as Json;
    link.sendInspection({
      id: asked.id,
      result: truncateInspection(masker.strings(seen) as InspectionResult['result']),
    });
  }

  /** Runs work sequentially. An error in one item does not affect the next. */
  private next({ act }: ControlSession, work: () => Promise<void>): void {
    this.working = this.working
      .then(work)
      .catch((error: unknown) => act.log.error({ error: String(error) }, 'what a person did was not told'));
  }

  /** Queues work on the page, to run when no dialog is open. */
  private inTurn(work: () => Promise<void>): void {
    const { seat } = this;
    if (seat) this.next(seat, () => this.dialogs.closed().then(work));
  }

  private async carryOut(): Promise<void> {
    for (let input = this.waiting.shift(); input; input = this.waiting.shift()) {
      await this.dialogs.closed();
      const { seat } = this;
      if (!seat || seat.act.signal.aborted) return;
      // Skips an outdated pointer position, except while a button is down: the path may be a curve.
      if (input.kind === 'move' && this.waiting[0]?.kind === 'move' && !this.unfinished.heldButton) continue;
      await this.apply(input, seat);
    }
  }

  private async apply(input: PageInput, seat: ControlSession): Promise<void> {
    const { act } = seat;
    let touched: InputTarget | null = null;
    try {
      await runGuarded('drive', INPUT_MS, act, async (context) => {
        touched = await act.surface.sendControlInput(await this.meant(input, act.surface, context), context);
        return { located: null };
      });
    } catch (thrown) {
      // The person in control sees that the input had no effect.
      act.log.warn({ input: input.kind, error: String(thrown) }, 'an input of a person was not taken');
      return;
    }
    await this.take(recordInput(this.unfinished, input, touched), seat);
    systemTimers.clearTimeout(this.quiet);
    // Parts of a secret would be masked individually.
    if (this.unfinished.typing?.isSecret) return;
    this.quiet = systemTimers.setTimeout(() => {
      this.next(seat, () => this.take(flushPendingInput(this.unfinished), seat));
    }, QUIET_MS);
  }

  /** Translates an input for the page: a masked option label is resolved to the original one. */
  private async meant(input: PageInput, surface: Pick<Surface, 'readDropdown'>, context: Context): Promise<PageInput> {
    if (input.kind !== 'selectOption') return input;
    const label = (await surface.readDropdown(context))?.options[input.index]?.label;
    const isIt = label !== undefined && truncateElementName(this.parts.masker.text(label)) === input.label;
    return isIt ? { ...input, label } : input;
  }

  private async take({ unfinished, actions: deeds }: RecordedInput, seat: ControlSession): Promise<void> {
    this.unfinished = unfinished;
    await this.tell(deeds, seat);
  }

  private async tell(deeds: readonly RecordedAction[], { act, step }: ControlSession): Promise<void> {
    if (deeds.length === 0) return;
    const { events, masker } = this.parts;
    const page = this.dialogs.isOpen ? null : await currentAnchors(act.surface, act);
    for (const { move, secret } of deeds) {
      // Debug artifacts and later events may contain it.
      if (secret !== null && secret.length >= MASKED_FROM) masker.add(secret);
      const title = stepTitle(move);
      this.done.push(masker.text(title));
      const data = {
        ...step,
        operator: this.by,
        action: move,
        title,
        secret: secret !== null,
        page: page && { url: page.url, title: page.title },
      };
      events.add('control.action', `${this.by}: ${title}`, data);
    }
    await events.flush().catch(() => undefined);
  }
}

const dialogOpen = () =>
  new PilothouseError('TARGET_NOT_ACTIONABLE', 'The page shows a dialog: answer it, then ask what is on the page');
