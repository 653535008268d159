import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { EventData } from '@pilothouse/contract/events/event-log.schema';
import type { ReportedAction } from '@pilothouse/core/control/recorded-actions';
import { stepTitle } from '@pilothouse/core/workflow/step-titles';
import type { ActionScope } from '../actions/action-scope.ts';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import { capture, type Capture } from '../observation/page-screenshots.ts';
import type { TurnGroup, TurnStore } from './turn-store.ts';

/** The page before the next action of a person. */
interface PageBefore {
  readonly group: TurnGroup;
  readonly scope: ActionScope;
  readonly startedAt: Date;
  /** Null: it is not captured yet, or the capture failed. */
  capture: Capture | null;
  /** An input has changed the page, so that a later capture does not count. */
  hasInput: boolean;
}

type StepRef = Pick<EventData<'control.action'>, 'step' | 'path' | 'id'>;

/**
 * Records the actions of a person in control. It captures the page between two actions, without delaying the person. An
 * action before the end of the capture has no record.
 */
export class PersonTurns {
  private readonly base: Pick<AttemptBase, 'assignment' | 'masker' | 'runningStep' | 'clock'>;
  private readonly store: TurnStore;
  private pageBefore: PageBefore | null = null;

  constructor(base: PersonTurns['base'], store: TurnStore) {
    this.base = base;
    this.store = store;
  }

  /** Called when a control session starts. */
  start(scope: ActionScope, { step, path, id }: StepRef): void {
    this.captureNext(scope, this.store.startGroup({ step, id, ...(path !== undefined && { path }) }, true));
  }

  /** Called before an input other than a movement of the pointer. */
  beforeInput(): void {
    if (this.pageBefore) this.pageBefore.hasInput = true;
  }

  /** Records the actions that the last inputs completed. */
  onActions(actions: readonly ReportedAction[], operator: string): void {
    const { pageBefore } = this;
    if (!pageBefore) return;
    this.captureNext(pageBefore.scope, pageBefore.group);
    const { capture: captured, group } = pageBefore;
    if (!captured) return;
    const { step } = group.origin;
    this.store.add(
      group,
      {
        ...this.store.startTurn(step, this.store.lastTurnOf(step)),
        at: pageBefore.startedAt.toISOString(),
        goal: this.goal,
        ...{ input: null, prompt: null, answer: null, thought: '', problems: [], notes: [], operator },
        ...{ tier: 'human', source: 'person', page: captured.observation },
        planned: actions.map(({ action }) => ({ kind: 'act', action })),
        outcomes: actions.map(({ action, page }, index) => outcomeOf(action, index, page)),
      },
      async () => ({ ...(await captured.renderPlain()), hasMarks: false }),
    );
  }

  /** Called when the session ended. */
  end(): void {
    this.pageBefore = null;
  }

  /** Goal of the agent, or the title of the step. */
  private get goal(): string {
    const { runningStep, assignment } = this.base;
    if (!runningStep) return assignment.definition.title ?? assignment.definition.name;
    const { step } = runningStep;
    return step.action === 'goal' ? step.goal : stepTitle(step);
  }

  private captureNext(scope: ActionScope, group: TurnGroup): void {
    const { masker, clock } = this.base;
    const pageBefore: PageBefore = { group, scope, startedAt: clock.now(), capture: null, hasInput: false };
    this.pageBefore = pageBefore;
    capture({ ...scope, masker }).then(
      (captured) => {
        if (!pageBefore.hasInput) pageBefore.capture = captured;
      },
      () => undefined,
    );
  }
}

const outcomeOf = (action: Action, index: number, page: ReportedAction['page']) => ({
  ...{ sequence: index + 1, planned: index, action, error: null, durationMs: 0 },
  ...{ urlAfter: page?.url ?? null, titleAfter: page?.title ?? null, pageBefore: null, pageAfter: null },
});
