import {
  type Action,
  type ErrorView,
  type Expectation,
  type Json,
  type Observation,
  assertNever,
} from '@pilothouse/contract';
import type { ModelScreenshot } from '../observation/annotated-screenshot.ts';
import { describeElement } from '../observation/observation-text.ts';
import type { Anchors } from '../ports/surface.port.ts';
import { actionSummary } from '../workflow/step-titles.ts';
import type { Approval } from './approval/approval.ts';
import type { ApprovalNeeded, ModelDescription } from './approval/approval-policy.ts';
import type { GoalVerdict } from './goal-verification.ts';
import { actionPoint, type ViewportPoint } from './page-queries.ts';

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

/** One action that the model wants, independent of the dialect. */
export type PlannedAction =
  /**
   * @property what description by the model, if it saw a screenshot: the element list may not contain the target
   * @property drawn description by a model that was asked for that alone
   * @property approval the approval of this action, if a person gave one
   * @property expects expected result of the turn; only its last action has it
   */
  | {
      readonly kind: 'act';
      readonly action: Action;
      readonly what?: string;
      readonly drawn?: CanvasTarget;
      readonly approval?: Approval;
      readonly expects?: Expectation | undefined;
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
  readonly moves: readonly PlannedAction[];
  /** Finished and next sub-goals, if the model reported them. */
  readonly subGoals?: string | undefined;
  /** Sentences for the model about unusable parts of its answer. */
  readonly problems: readonly string[];
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

/** Question to a person. */
export type AgentQuestion =
  { readonly kind: 'confirm'; readonly request: ApprovalNeeded } | { readonly kind: 'text'; readonly question: string };

/** Depth of an observation: URL and title; elements in view; those and the text of the whole page; a screenshot. */
export type ObservationDepth = 'anchors' | 'view' | 'page' | 'screenshot';

/** Result of a command, or an event that the agent did not ask for. */
export type AgentInput =
  | { readonly kind: 'observed'; readonly observation: Observation; readonly screenshot?: ModelScreenshot }
  /** Result of an observation of depth `anchors`. */
  | { readonly kind: 'located'; readonly anchors: Anchors }
  /**
   * @property isCached the actions come from the cache, not from a model
   * @property isLate the observation is so old that the page may have changed
   */
  | {
      readonly kind: 'modelAnswered';
      readonly answer: ParsedAnswer;
      readonly isCached?: true;
      readonly isLate?: boolean;
    }
  /** The answer of the model is unusable. */
  | { readonly kind: 'modelFailed'; readonly reason: string }
  /** No vision model is configured, or the model takes no images. */
  | { readonly kind: 'visionUnavailable'; readonly reason: string }
  | { readonly kind: 'screenshotDescribed'; readonly description: string }
  | { readonly kind: 'replanned'; readonly replan: ReplanDecision }
  /** @property target null: no model could identify it */
  | { readonly kind: 'canvasIdentified'; readonly target: CanvasTarget | null }
  /**
   * @property anchors URL and title after the action; null: unknown
   * @property origin origin that was about to receive a secret; set with APPROVAL_REQUIRED
   * @property dialog question of a dialog that was not accepted, and the text for it; set with APPROVAL_REQUIRED
   */
  | {
      readonly kind: 'acted';
      readonly error: Pick<ErrorView, 'code' | 'message'> | null;
      readonly anchors?: Anchors | null;
      readonly origin?: string;
      readonly dialog?: { readonly question: string; readonly text: string | null };
    }
  | { readonly kind: 'claimChecked'; readonly verdict: GoalVerdict }
  | { readonly kind: 'turnVerified'; readonly verdict: GoalVerdict }
  | {
      readonly kind: 'humanAnswered';
      readonly choice: 'continue' | 'decline' | 'fail';
      readonly text: string | null;
      readonly by: string;
    }
  /** @property actions titles of the actions that the person did, in order */
  | { readonly kind: 'manualControlEnded'; readonly by: string; readonly actions: readonly string[] };

/** Next step of the agent. */
export type AgentCommand =
  /**
   * @property until repeats the observation until the page shows this; left out: one observation
   * @property isMidTurn the observation decides whether the turn goes on
   */
  | {
      readonly kind: 'observe';
      readonly depth: ObservationDepth;
      readonly until?: Expectation;
      readonly isMidTurn?: boolean;
    }
  | { readonly kind: 'think'; readonly tier: 'text' | 'vision' }
  /** Asks a model, with screenshots from before and after the turn, whether the turn worked. */
  | { readonly kind: 'verifyTurn'; readonly expectation: Expectation; readonly detail: string }
  /** @property question null: describe the whole screenshot */
  | { readonly kind: 'describeScreenshot'; readonly question: string | null }
  | { readonly kind: 'replan'; readonly reason: string }
  | { readonly kind: 'identifyCanvas'; readonly point: ViewportPoint }
  | ActCommand
  /** Checks a claim against the page. */
  | { readonly kind: 'checkClaim'; readonly claim: GoalClaim; readonly early: boolean }
  /** Asks a model whether a claim holds. */
  | { readonly kind: 'verifyClaim'; readonly claim: GoalClaim; readonly detail: string }
  | { readonly kind: 'askHuman'; readonly question: AgentQuestion; readonly number: number; readonly reason: string }
  | { readonly kind: 'done'; readonly answer: Json }
  | { readonly kind: 'fail'; readonly reason: string };

export interface ActCommand {
  readonly kind: 'act';
  readonly action: Action;
  /** Number of the action in the goal, from 1. */
  readonly number: number;
  readonly title: string;
  readonly approval: Approval | null;
  readonly description: ModelDescription;
  /** No action of the turn succeeded before. */
  readonly isFirstOfTurn: boolean;
}

export const MAX_ACTIONS_PER_TURN = 8;

/** Expected result of a turn: the last one that its actions name. */
export const turnExpectation = (actions: readonly PlannedAction[]): Expectation | undefined =>
  actions.map((action) => (action.kind === 'act' ? action.expects : undefined)).findLast((one) => one !== undefined);

/** The action without the identification of its target, because the page may have changed. */
export function withoutIdentification(planned: PlannedAction): PlannedAction {
  if (planned.kind !== 'act') return planned;
  const { drawn: _drawn, ...rest } = planned;
  return rest;
}

/** The action without its approval and identification: it was tried once. */
export function withoutPermission(planned: PlannedAction): PlannedAction {
  if (planned.kind !== 'act') return planned;
  const { drawn: _drawn, approval: _approval, ...rest } = planned;
  return rest;
}

/** Title of an action, with the name of its element. */
export function actionTitle(action: Action, page: Observation | null): string {
  return actionSummary(action).replace(/\belement (\d+)\b/g, (whole, index: string) => {
    const element = page?.elements.find((one) => one.index === Number(index));
    return element ? `[${index}] ${describeElement(element)}` : whole;
  });
}

export function plannedActionTitle(planned: PlannedAction, page: Observation | null): string {
  switch (planned.kind) {
    case 'act':
      return `${actionTitle(planned.action, page)}${planned.what && actionPoint(planned.action) ? ` (“${planned.what}”)` : ''}`;
    case 'read':
      return 'Read the whole page';
    case 'see':
      return 'Look at a picture of the page';
    case 'analyse':
      return planned.question === null ? 'Have a picture described' : `Look at a picture: ${planned.question}`;
    case 'store':
      return `Keep ${planned.key}`;
    case 'replan':
      return `Look for another way: ${planned.reason}`;
    case 'done':
      return 'Say that the goal is met';
    case 'fail':
      return `Give up: ${planned.reason}`;
    case 'ask':
      return `Ask: ${planned.question}`;
    default:
      return assertNever(planned);
  }
}
