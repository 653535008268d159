import {
  truncateElementName,
  type DialogInput,
  type PageInput,
  type PageQuery,
} from '@pilothouse/contract/control/control.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import type { StepPosition } from '@pilothouse/core/interpreter/interpreter-state';
import { stepRef } from '@pilothouse/core/interpreter/step-path';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { InputTarget } from '@pilothouse/core/ports/surface-action.port';
import type { AnsweredDialog, DialogReply, OpenDialog } from '@pilothouse/core/ports/surface-recorders.port';
import { isPageSurface, type FileChooser, type Surface } from '@pilothouse/core/ports/surface.port';
import type { Masker } from '@pilothouse/core/secret/secret-masker';
import { settlesWithin } from '@pilothouse/core/time/deadlines';
import type { AttemptLink, ControlInput, InspectionResult } from '@pilothouse/infra-link';
import { runGuarded } from '../actions/run-action.ts';
import type { PersonTurns } from '../turns/person-turns.ts';
import { requireControl } from '../surface/surface-capabilities.ts';
import { ActionRecorder, type ControlSession, type RecorderContext } from './action-recorder.ts';
import { Dialogs, type Control } from './dialog-answers.ts';
import { FileChoosers } from './file-choosers.ts';
import { truncateInspection, inspectPage } from './operator-inspection.ts';

/** Milliseconds for one input. */
const INPUT_TIMEOUT_MS = 5_000;

/** Milliseconds to wait for the last input. The run may learn that it continues before it learns that control was released. */
const LAST_INPUT_MS = 500;

/** Maximum dialogs that are reported as dismissed: a page may open them without end. */
const MAX_REPORTED_DIALOGS = 50;

/** Maximum characters of a dialog's question in a report. */
const MAX_QUESTION_CHARS = 500;

/** Maximum inputs that wait for a slow page. Further inputs are dropped. */
const MAX_PENDING_INPUTS = 1_000;

export interface ManualControlContext extends RecorderContext {
  readonly link: Pick<AttemptLink, 'onControlInput' | 'sendInspection'>;
  readonly masker: Pick<Masker, 'add' | 'strings' | 'text'>;
}

/**
 * Manual control of an attempt. The newest control token identifies the person in control. Input is accepted only during a control session,
 * while the run waits for a person.
 */
export class ManualControl {
  private readonly context: ManualControlContext;
  private readonly turns: PersonTurns | null;
  private token = 0;
  private operator = '';
  /** Number of the last batch. */
  private lastSequence = 0;
  /** Monotonic milliseconds at which control expires. */
  private expiresAtMs = 0;
  /** The last token whose control was released. A later message with it is a repetition. */
  private releasedToken = 0;
  /** The last token for which the run stopped. */
  private servedToken = 0;
  private session: ControlSession | undefined;
  private readonly pendingInputs: PageInput[] = [];
  private queue: Promise<void> = Promise.resolve();
  private readonly dialogs: Dialogs;
  private readonly fileChoosers: FileChoosers;
  private readonly recorder: ActionRecorder;
  private reportedDialogs = 0;
  /** Listeners that wait for a person to take control. */
  private readonly takeoverListeners = new Set<() => void>();
  /** Resolves the wait for the release of control. */
  private resolveRelease: (() => void) | undefined;

  constructor(context: ManualControlContext, turns: PersonTurns | null = null) {
    this.context = context;
    this.turns = turns;
    const { events, masker, timers } = context;
    this.dialogs = new Dialogs(context);
    this.fileChoosers = new FileChoosers({
      events,
      masker,
      timers,
      enqueue: (work) => this.enqueueWithoutDialog(work),
    });
    this.recorder = new ActionRecorder(context, {
      isDialogOpen: () => this.dialogs.isOpen,
      onActions: (actions) => this.turns?.onActions(actions, this.recorder.operator),
      enqueue: (session, work) => this.runSequentially(session, work),
    });
    context.link.onControlInput((input) => this.onInput(input));
  }

  /** True while a person has control. */
  get isActive(): boolean {
    return this.context.timers.monotonic() < this.expiresAtMs;
  }

  /** True while a person has control for whom the run has not stopped yet. */
  private get hasPendingRequest(): boolean {
    return this.isActive && this.servedToken < this.token;
  }

  /** Descriptions of the actions of the last session, without secrets. */
  get recordedActions(): readonly string[] {
    return this.recorder.actionTitles;
  }

  /** Calls `stop` when a person takes control for whom the run has not stopped; at once if one already has. @returns removes the callback */
  onControlTaken(stop: () => void): () => void {
    this.takeoverListeners.add(stop);
    if (this.hasPendingRequest) stop();
    return () => this.takeoverListeners.delete(stop);
  }

  /** The pending request for control, for which the run stops before it continues; null: no request since the last release. */
  pendingQuestion(position: StepPosition): RunQuestion | null {
    if (!this.hasPendingRequest) return null;
    const { token, operator } = this;
    return {
      ...stepRef(position),
      id: position.step.id ?? null,
      controlToken: token,
      reason: `${operator} has control`.slice(0, 2000),
      choices: [{ choice: 'continue', title: 'Release control: the run continues' }],
    };
  }

  /** Asks the person in control about a dialog of the page. @returns as `Dialogs.requestReply`; null at once: no person is in control */
  requestDialogReply(dialog: OpenDialog): Promise<DialogReply | null> | null {
    const control = this.currentControl();
    return control && this.dialogs.requestReply(dialog, control);
  }

  /** Control of the person who may be asked; null: none. */
  private currentControl(): Control | null {
    const { session, operator } = this;
    if (!session || session.scope.signal.aborted || !this.isActive) return null;
    return { operator, step: session.step, expiresAtMs: () => this.expiresAtMs };
  }

  private registerFileChooser(chooser: FileChooser): void {
    const control = this.currentControl();
    if (control) this.fileChoosers.register(chooser, control);
  }

  /** Reports a dialog that was not answered in time while a person has control. */
  reportDialog({ kind, question, accepted }: AnsweredDialog): void {
    const { session } = this;
    if (!session || !this.isActive || this.reportedDialogs >= MAX_REPORTED_DIALOGS) return;
    this.reportedDialogs += 1;
    const { events } = this.context;
    const message = `A dialog of the page was ${accepted ? 'accepted' : 'dismissed'}`;
    events.add('run.log', question ? `${message}: ${question.slice(0, MAX_QUESTION_CHARS)}` : message, {
      facts: { dialog: kind, accepted },
    });
    this.runSequentially(session, () => events.flush().catch(() => undefined));
  }

  /** Starts a control session, which accepts input. @returns ends it; resolves when pending actions are complete and reported */
  startSession(session: ControlSession): () => Promise<void> {
    this.session = session;
    this.recorder.reset();
    this.turns?.start(session.scope, session.step);
    const { surface } = session.scope;
    const stopChoosers = isPageSurface(surface)
      ? surface.onFileChooser((chooser) => this.registerFileChooser(chooser))
      : undefined;
    return async () => {
      // The message that the run continues may arrive before the last input.
      if (!session.scope.signal.aborted && this.isActive)
        await settlesWithin(this.waitForRelease(), LAST_INPUT_MS, this.context.timers);
      // Input that opened a dialog waits for it.
      this.release();
      stopChoosers?.();
      this.recorder.stopTimer();
      await this.queue;
      this.recorder.stopTimer();
      this.session = undefined;
      // The run continues, for whatever reason it waited, and does not stop for this token again.
      this.servedToken = this.token;
      this.expiresAtMs = 0;
      await this.recorder.flush(session);
      this.turns?.end();
    };
  }

  private waitForRelease(): Promise<void> {
    return new Promise((resolve) => (this.resolveRelease = resolve));
  }

  private onInput({ token, operator, validMs, sequence, inputs, inspect: query }: ControlInput): void {
    if (token < this.token || (token <= this.releasedToken && validMs > 0)) return;
    if (token > this.token) {
      this.token = token;
      this.operator = operator;
      this.recorder.operator = operator;
      this.lastSequence = 0;
      this.pendingInputs.length = 0;
      this.release();
    }
    this.expiresAtMs = this.context.timers.monotonic() + validMs;
    if (validMs === 0) {
      this.servedToken = this.releasedToken = token;
      this.release();
      this.resolveRelease?.();
    }
    if (this.hasPendingRequest) for (const stop of this.takeoverListeners) stop();
    if (sequence <= this.lastSequence) return;
    this.lastSequence = sequence;
    if (!this.session) return;
    for (const input of inputs) {
      if (input.kind === 'dialog') this.answerDialog(input, this.session);
      // Drops further input while a dialog is open. It would reach the page after the dialog.
      else if (!this.dialogs.isOpen && this.pendingInputs.length < MAX_PENDING_INPUTS) this.pendingInputs.push(input);
    }
    this.runSequentially(this.session, () => this.processInputs());
    if (query) this.runSequentially(this.session, () => this.inspect(query));
  }

  /** Dismisses the pending dialogs and the file chooser: control ended. */
  private release(): void {
    this.dialogs.release();
    this.fileChoosers.release();
  }

  /** Answers a dialog or a file chooser while the attempt may act. */
  private answerDialog(input: DialogInput, { scope }: ControlSession): void {
    try {
      scope.assertCanAct();
      scope.lease.assertHeld();
    } catch (thrown) {
      scope.log.warn({ error: String(thrown) }, 'answer to a dialog rejected');
      return;
    }
    if (this.fileChoosers.has(input.dialog)) this.fileChoosers.answer(input, scope);
    else this.dialogs.answer(input);
  }

  /** Sends an inspection of the page to the person who requested it. */
  private async inspect(query: PageQuery): Promise<void> {
    const { session } = this;
    if (!session || session.scope.signal.aborted) return;
    const { link, masker } = this.context;
    const result = (
      this.dialogs.isOpen ? { error: dialogOpenError().view() } : await inspectPage(query, session.scope)
    ) as Json;
    link.sendInspection({
      id: query.id,
      result: truncateInspection(masker.strings(result) as InspectionResult['result']),
    });
  }

  /** Runs work sequentially. An error in one item does not affect the next. */
  private runSequentially({ scope }: ControlSession, work: () => Promise<void>): void {
    this.queue = this.queue
      .then(work)
      .catch((error: unknown) => scope.log.error({ error: String(error) }, 'manual control work failed'));
  }

  /** Queues work on the page, to run when no dialog is open. */
  private enqueueWithoutDialog(work: () => Promise<void>): void {
    const { session } = this;
    if (session) this.runSequentially(session, () => this.dialogs.waitUntilClosed().then(work));
  }

  private async processInputs(): Promise<void> {
    for (let input = this.pendingInputs.shift(); input; input = this.pendingInputs.shift()) {
      await this.dialogs.waitUntilClosed();
      const { session } = this;
      if (!session || session.scope.signal.aborted) return;
      // Skips an outdated pointer position, except while a button is down: the path may be a curve.
      if (input.kind === 'move' && this.pendingInputs[0]?.kind === 'move' && !this.recorder.isButtonHeld) continue;
      await this.apply(input, session);
    }
  }

  private async apply(input: PageInput, session: ControlSession): Promise<void> {
    const { scope } = session;
    let target: InputTarget | null = null;
    await this.recorder.beforeInput(input, session);
    if (input.kind !== 'move') this.turns?.beforeInput();
    try {
      await runGuarded('manual input', INPUT_TIMEOUT_MS, scope, async (context) => {
        const resolved = await this.resolveOptionLabel(input, scope.surface, context);
        target = await requireControl(scope.surface).sendControlInput(resolved, context);
        return { located: null, effect: 'unverifiable' };
      });
    } catch (thrown) {
      // The person in control sees that the input had no effect.
      scope.log.warn({ input: input.kind, error: String(thrown) }, 'manual input failed');
      return;
    }
    await this.recorder.record(input, target, session);
  }

  /** Translates an input for the page: a masked option label is resolved to the original one. */
  private async resolveOptionLabel(input: PageInput, surface: Surface, context: Context): Promise<PageInput> {
    if (input.kind !== 'selectOption' || !isPageSurface(surface)) return input;
    const label = (await surface.readDropdown(context))?.options[input.index]?.label;
    const isMatch = label !== undefined && truncateElementName(this.context.masker.text(label)) === input.label;
    return isMatch ? { ...input, label } : input;
  }
}

const dialogOpenError = () =>
  new PilothouseError('TARGET_NOT_ACTIONABLE', 'The page shows a dialog. Answer it, then inspect the page.');
