import type { PageInput } from '@pilothouse/contract/control/control.schema';
import type { RunQuestion } from '@pilothouse/contract/run/run-question.schema';
import {
  flushPendingInput,
  NO_PENDING_INPUT,
  recordInput,
  type RecordedAction,
  type RecordedInput,
} from '@pilothouse/core/control/recorded-actions';
import type { InputTarget } from '@pilothouse/core/ports/surface-action.port';
import type { Anchors } from '@pilothouse/core/ports/surface.port';
import type { Masker } from '@pilothouse/core/secret/secret-masker';
import type { Timer, Timers } from '@pilothouse/core/time/timers';
import { stepTitle } from '@pilothouse/core/workflow/step-titles';
import type { ActionScope } from '../actions/action-scope.ts';
import { currentAnchors } from '../actions/surface-reads.ts';
import type { EventBuffer } from '../attempt/event-buffer.ts';

/** Milliseconds without input after which a pending action counts as complete: a click may be the first of two. */
const QUIET_MS = 1_500;

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
  /** Receives the completed actions, and URL and title afterwards; null: unknown. */
  onActions?(actions: readonly RecordedAction[], page: Pick<Anchors, 'url' | 'title'> | null): void;
  /** Queues work after earlier manual input. */
  enqueue(session: ControlSession, work: () => Promise<void>): void;
}

/** Combines the inputs of a person into actions, and reports each action as an event. */
export class ActionRecorder {
  /** Name of the person in control. */
  operator = '';
  private readonly context: RecorderContext;
  private readonly options: RecorderOptions;
  private pendingInput = NO_PENDING_INPUT;
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

  /** Records an input that the page received. @param target element that received it; null: none */
  async record(input: PageInput, target: InputTarget | null, session: ControlSession): Promise<void> {
    await this.save(recordInput(this.pendingInput, input, target), session);
    this.stopTimer();
    // Parts of a secret would be masked individually.
    if (this.pendingInput.typing?.isSecret) return;
    this.quietTimer = this.context.timers.setTimeout(() => {
      this.options.enqueue(session, () => this.flush(session));
    }, QUIET_MS);
  }

  /** Completes and reports the pending action. */
  async flush(session: ControlSession): Promise<void> {
    await this.save(flushPendingInput(this.pendingInput), session);
  }

  stopTimer(): void {
    this.context.timers.clearTimeout(this.quietTimer);
  }

  private async save({ pending, actions }: RecordedInput, session: ControlSession): Promise<void> {
    this.pendingInput = pending;
    await this.report(actions, session);
  }

  private async report(actions: readonly RecordedAction[], { scope, step }: ControlSession): Promise<void> {
    if (actions.length === 0) return;
    const { events, masker } = this.context;
    const page = this.options.isDialogOpen() ? null : await currentAnchors(scope.surface, scope);
    for (const { action, secret } of actions) {
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
        page: page && { url: page.url, title: page.title },
      };
      events.add('control.action', `${this.operator}: ${title}`, data);
    }
    this.options.onActions?.(actions, page);
    await events.flush().catch(() => undefined);
  }
}
