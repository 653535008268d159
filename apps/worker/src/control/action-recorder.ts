import type { PageInput } from '@pilothouse/contract/control/control.schema';
import type { RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import {
  flushPendingInput,
  NO_PENDING_INPUT,
  recordInput,
  type PageLocation,
  type RecordedAction,
  type ReportedAction,
} from '@pilothouse/core/control/recorded-actions';
import type { InputTarget } from '@pilothouse/core/ports/surface-action.port';
import type { Masker } from '@pilothouse/core/secret/secret-masker';
import type { Timer, Timers } from '@pilothouse/core/time/timers';
import { stepTitle } from '@pilothouse/core/workflow/step-titles';
import type { ActionScope } from '../actions/action-scope.ts';
import { currentAnchors } from '../actions/surface-reads.ts';
import type { EventBuffer } from '../attempt/event-buffer.ts';

/** Milliseconds without input after which a pending action counts as complete: a click may be the first of two. */
const QUIET_MS = 1_500;

/** The same for typed text: a person pauses between words. */
const TYPING_QUIET_MS = 4_000;

/** Minimum length of a secret that is masked inside other text. Shorter ones occur everywhere. */
const MIN_MASKED_CHARS = 4;

/** Target of manual input: the surface, and the step that waits. */
export interface ControlSession {
  readonly scope: ActionScope;
  readonly step: Pick<RunQuestion, 'step' | 'path' | 'id'>;
}

export interface RecorderContext {
  readonly events: Pick<EventBuffer, 'add' | 'flush'>;
  readonly masker: Pick<Masker, 'add' | 'text'>;
  readonly timers: Timers;
}

export interface RecorderOptions {
  isDialogOpen(): boolean;
  /** Receives the completed actions. */
  onActions?(actions: readonly ReportedAction[]): void;
  /** Queues work after earlier manual input. */
  enqueue(session: ControlSession, work: () => Promise<void>): void;
}

type CompletedAction = Omit<ReportedAction, 'page'> & Partial<Pick<ReportedAction, 'page'>>;

const locationOf = (page: PageLocation | null): PageLocation | null => page && { url: page.url, title: page.title };

/** Combines the inputs of a person into actions, and reports each action as an event. */
export class ActionRecorder {
  /** Name of the person in control. */
  operator = '';
  private readonly context: RecorderContext;
  private readonly options: RecorderOptions;
  private pendingInput = NO_PENDING_INPUT;
  /** Page before the first input of the pending action; null: unknown. */
  private startPage: PageLocation | null = null;
  /** Page before the current input; null: unknown, or the input continues an action. */
  private inputPage: PageLocation | null = null;
  private quietTimer: Timer | undefined;
  private titles: string[] = [];

  constructor(context: RecorderContext, options: RecorderOptions) {
    this.context = context;
    this.options = options;
  }

  /** Descriptions of the actions since `reset`, without secrets. */
  get actionTitles(): readonly string[] {
    return this.titles;
  }

  get isButtonHeld(): boolean {
    return Boolean(this.pendingInput.heldButton);
  }

  /** Called when a session starts. */
  reset(): void {
    this.titles = [];
    // The run may have changed the window meanwhile.
    this.pendingInput = { ...this.pendingInput, window: null };
  }

  /** Reads the page before an input that may begin an action: the address may have changed late, by the action before. */
  async beforeInput({ kind }: PageInput, { scope }: ControlSession): Promise<void> {
    this.inputPage = null;
    const { typing, scroll } = this.pendingInput;
    const isContinued = kind === 'text' || kind === 'paste' ? typing !== null : kind === 'scroll' && scroll !== null;
    if (kind === 'move' || kind === 'up' || isContinued || this.options.isDialogOpen()) return;
    this.inputPage = locationOf(await currentAnchors(scope.surface, scope));
  }

  /** Records an input that the page received. @param target element that received it; null: none */
  async record(input: PageInput, target: InputTarget | null, session: ControlSession): Promise<void> {
    const { inputPage, startPage } = this;
    const { actions: unfinished } = flushPendingInput(this.pendingInput);
    const { pending, actions } = recordInput(this.pendingInput, input, target);
    this.pendingInput = pending;
    const isContinued = actions.length === 0 && unfinished.length > 0;
    const isStart = !isContinued && input.kind !== 'move' && input.kind !== 'up';
    if (isStart) this.startPage = inputPage;
    const isUnfinished = (action: RecordedAction, index: number) =>
      inputPage !== null && JSON.stringify(action) === JSON.stringify(unfinished[index]);
    await this.report(
      actions.map((action, index) =>
        isUnfinished(action, index)
          ? { ...action, pageBefore: startPage, page: inputPage }
          : { ...action, pageBefore: inputPage ?? startPage },
      ),
      session,
    );
    this.stopTimer();
    // Parts of a secret would be masked individually.
    if (this.pendingInput.typing?.isSecret) return;
    const quietMs = this.pendingInput.typing ? TYPING_QUIET_MS : QUIET_MS;
    const timer = this.context.timers.setTimeout(() => {
      // Further input may have waited in the queue: a slow application is no pause of the person.
      this.options.enqueue(session, async () => {
        if (this.quietTimer === timer) await this.flush(session);
      });
    }, quietMs);
    this.quietTimer = timer;
  }

  /** Completes and reports the pending action. */
  async flush(session: ControlSession): Promise<void> {
    const { pending, actions } = flushPendingInput(this.pendingInput);
    this.pendingInput = pending;
    await this.report(
      actions.map((action) => ({ ...action, pageBefore: this.startPage })),
      session,
    );
  }

  stopTimer(): void {
    this.context.timers.clearTimeout(this.quietTimer);
    // Its work may wait in the queue.
    this.quietTimer = undefined;
  }

  /** @param completed actions; those without `page` ended now */
  private async report(completed: readonly CompletedAction[], { scope, step }: ControlSession): Promise<void> {
    if (completed.length === 0) return;
    const { events, masker } = this.context;
    const isEnding = completed.some(({ page }) => page === undefined) && !this.options.isDialogOpen();
    const currentPage = isEnding ? locationOf(await currentAnchors(scope.surface, scope)) : null;
    const actions = completed.map((action) => ({ ...action, page: action.page ?? currentPage }));
    for (const { action, secret, pageBefore, page } of actions) {
      // Debug artifacts and later events may contain it.
      if (secret !== null && secret.length >= MIN_MASKED_CHARS) masker.add(secret);
      const title = stepTitle(action);
      this.titles.push(masker.text(title));
      const data = {
        ...step,
        operator: this.operator,
        action,
        title,
        secret: secret !== null,
        ...(pageBefore && { pageBefore }),
        page,
      };
      events.add('control.action', `${this.operator}: ${title}`, data);
    }
    this.options.onActions?.(actions);
    await events.flush().catch(() => undefined);
  }
}
