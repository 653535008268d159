import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Expectation } from '@pilothouse/contract/agent/agent.schema';
import type { NativeRecord } from '@pilothouse/contract/model/native-turn.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import { type Json, assertNever } from '@pilothouse/contract/primitives.schema';
import type { ApprovalEffect } from '@pilothouse/contract/workflow/goal.schema';
import { describeElement } from '../observation/observation-text.ts';
import { actionSummary } from '../workflow/step-titles.ts';
import { actionPoint } from './page-queries.ts';

/** Approval of one action on one page. */
export interface Approval {
  readonly action: Action;
  readonly page: Observation;
  readonly effect: ApprovalEffect;
  /** The approved effect, as the person read it. */
  readonly description: string;
  /** `confirmation`: the page only asks to confirm an action that a person approved. */
  readonly source: 'human' | 'confirmation';
}

/** Claim of the model that the goal is met, with evidence that the page can show. */
export interface GoalClaim {
  /** Answer of the goal; null: none was asked for. */
  readonly answer: Json;
  /** Part of the title or URL of the page; null: not given. */
  readonly anchor: string | null;
  /** Texts that the page shows because the goal is met. */
  readonly indicators: readonly string[];
}

/** Possible effects of a click on a canvas. */
export const canvasEffects = ['pay', 'delete', 'send', 'none'] as const;

/** Description of a point on a canvas by a model that was asked for that alone. */
export interface CanvasTarget {
  readonly what: string;
  readonly kind: (typeof canvasEffects)[number];
}

/**
 * One action that the model wants, independent of the dialect.
 * @property call index of the call of a computer tool that the action belongs to.
 */
export type PlannedAction = PlannedKind & { readonly call?: number };

type PlannedKind =
  /**
   * @property what description by the model. Set if it saw a screenshot: the element list may not contain the target.
   * @property identification description by a model that was asked for it alone.
   * @property approval approval of this action by a person, if any.
   * @property expects expected result of the turn; only its last action has it.
   * @property check reason of the provider to ask a person first.
   */
  | {
      readonly kind: 'act';
      readonly action: Action;
      readonly what?: string;
      readonly identification?: CanvasTarget;
      readonly approval?: Approval;
      readonly expects?: Expectation | undefined;
      readonly check?: string;
    }
  /** Read the text of the whole page. */
  | { readonly kind: 'read' }
  /** Continue with a screenshot. */
  | { readonly kind: 'see' }
  /** Ask a model about a screenshot. @property question null: describe all of it */
  | { readonly kind: 'analyse'; readonly question: string | null }
  /** Keep a value for later turns. */
  | { readonly kind: 'store'; readonly key: string; readonly value: string }
  /** The goal cannot be reached from this page. */
  | { readonly kind: 'replan'; readonly reason: string }
  | { readonly kind: 'done'; readonly claim: GoalClaim }
  | { readonly kind: 'fail'; readonly reason: string }
  | { readonly kind: 'ask'; readonly question: string };

/** Answer of a model, parsed. A part that cannot be parsed becomes a problem, never an action. */
export interface ParsedAnswer {
  readonly thought: string;
  readonly actions: readonly PlannedAction[];
  /** Finished and next sub-goals, if the model reported them. */
  readonly subGoals?: string | undefined;
  /** Sentences for the model about unusable parts of its answer. */
  readonly problems: readonly string[];
  /** Set if the answer has no action in a known form. `other-dialect`: the model may do better with another dialect. */
  readonly unreadable?: 'same-dialect' | 'other-dialect';
  /** The turn, if the model used its computer tool. */
  readonly native?: NativeRecord;
}

/** A value that an action entered. */
export interface EnteredValue {
  readonly document: number;
  /** Index of the element; null: at the caret. */
  readonly index: number | null;
  readonly value: { readonly text: string } | { readonly checked: boolean };
  /** A later key or click may have submitted and cleared the field. */
  readonly isFollowed: boolean;
}

/** Decision of a supervisor. */
export interface ReplanDecision {
  readonly decision: 'retry' | 'skip' | 'replan' | 'wait' | 'ask' | 'abort';
  readonly why: string;
  /** Empty: keeps the plan. */
  readonly plan: string;
  /** Seconds, for `wait`. */
  readonly seconds?: number;
}

export const MAX_ACTIONS_PER_TURN = 8;

/** Expected result of a turn: the last one that its actions name. */
export const turnExpectation = (actions: readonly PlannedAction[]): Expectation | undefined =>
  actions
    .map((action) => (action.kind === 'act' ? action.expects : undefined))
    .findLast((expectation) => expectation !== undefined);

/** True for an action of a computer tool. */
export const isNativeAction = (planned: PlannedAction | undefined): boolean =>
  planned?.kind === 'act' && planned.call !== undefined;

/** The action without the description of its point by a model, because the page may have changed. */
export function withoutIdentification(plannedAction: PlannedAction): PlannedAction {
  if (plannedAction.kind !== 'act') return plannedAction;
  const { identification: _identification, ...rest } = plannedAction;
  return rest;
}

/** The action without its approval and identification: it was tried once. */
export function withoutPermission(plannedAction: PlannedAction): PlannedAction {
  if (plannedAction.kind !== 'act') return plannedAction;
  const { identification: _identification, approval: _approval, ...rest } = plannedAction;
  return rest;
}

/** Title of an action, with the name of its element. */
export function actionTitle(action: Action, page: Observation | null): string {
  return actionSummary(action).replace(/\belement (\d+)\b/g, (match, index: string) => {
    const element = page?.elements.find((candidate) => candidate.index === Number(index));
    return element ? `[${index}] ${describeElement(element)}` : match;
  });
}

export function plannedActionTitle(plannedAction: PlannedAction, page: Observation | null): string {
  switch (plannedAction.kind) {
    case 'act':
      return `${actionTitle(plannedAction.action, page)}${plannedAction.what && actionPoint(plannedAction.action) ? ` (“${plannedAction.what}”)` : ''}`;
    case 'read':
      return 'Read the whole page';
    case 'see':
      return 'Take a screenshot';
    case 'analyse':
      return plannedAction.question === null
        ? 'Describe the screenshot'
        : `Ask about the screenshot: ${plannedAction.question}`;
    case 'store':
      return `Store ${plannedAction.key}`;
    case 'replan':
      return `Change the plan: ${plannedAction.reason}`;
    case 'done':
      return 'Report that the goal is met';
    case 'fail':
      return `Fail: ${plannedAction.reason}`;
    case 'ask':
      return `Ask a person: ${plannedAction.question}`;
    default:
      return assertNever(plannedAction);
  }
}
