import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Expectation } from '@pilothouse/contract/agent/agent.schema';
import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import type { ScreenRegion } from '@pilothouse/contract/model/native-turn.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { Result } from '@pilothouse/contract/run/outcome';
import type { ModelScreenshot } from '../observation/annotated-screenshot.ts';
import type { Anchors } from '../ports/surface.port.ts';
import type { ApprovalNeeded, ModelDescription } from './approval/approval-policy.ts';
import type { GoalVerdict } from './goal-verification.ts';
import type { ViewportPoint } from './page-queries.ts';
import type { Approval, CanvasTarget, GoalClaim, ParsedAnswer, ReplanDecision } from './planned-action.ts';

/** Question to a person. */
export type AgentQuestion =
  { readonly kind: 'confirm'; readonly request: ApprovalNeeded } | { readonly kind: 'text'; readonly question: string };

/** Depth of an observation: URL and title; elements in view; those and the text of the whole page; a screenshot. */
export type ObservationDepth = 'anchors' | 'view' | 'page' | 'screenshot';

/** Result of a command, or an event that the agent did not ask for. */
export type AgentInput =
  /** @property zooms enlarged regions that the command asked for, in order */
  | {
      readonly kind: 'observed';
      readonly observation: Observation;
      readonly screenshot?: ModelScreenshot;
      readonly zooms?: readonly ModelScreenshot[];
    }
  /** Result of an observation of depth `anchors`. */
  | { readonly kind: 'located'; readonly anchors: Anchors }
  /**
   * @property isCached the actions come from the cache, not from a model.
   * @property isLate the observation is so old that the page may have changed.
   */
  | {
      readonly kind: 'modelAnswered';
      readonly answer: ParsedAnswer;
      readonly isCached?: true;
      readonly isLate?: boolean;
    }
  /** The answer of the model is unusable. */
  | { readonly kind: 'modelFailed'; readonly reason: string; readonly isUnreadable: boolean }
  /** No vision model is configured, or the model takes no images. */
  | { readonly kind: 'visionUnavailable'; readonly reason: string }
  | { readonly kind: 'screenshotDescribed'; readonly description: string }
  | { readonly kind: 'replanned'; readonly replan: ReplanDecision }
  /** @property target null: no model could identify it */
  | { readonly kind: 'canvasIdentified'; readonly target: CanvasTarget | null }
  /**
   * @property anchors URL and title after the action; null: unknown.
   * @property value result of the action.
   * @property result outcome and effect of the action.
   * @property origin origin that was about to receive a secret; set with APPROVAL_REQUIRED.
   * @property dialog question and text of a dialog that was not accepted; set with APPROVAL_REQUIRED.
   */
  | {
      readonly kind: 'acted';
      readonly error: Pick<ErrorView, 'code' | 'message'> | null;
      readonly anchors?: Anchors | null;
      readonly value?: Json;
      readonly result?: Result;
      readonly origin?: string;
      readonly dialog?: { readonly question: string; readonly text: string | null };
    }
  | { readonly kind: 'claimChecked'; readonly verdict: GoalVerdict }
  | { readonly kind: 'turnVerified'; readonly verdict: GoalVerdict }
  | {
      readonly kind: 'humanAnswered';
      readonly choice: 'continue' | 'decline' | 'fail';
      readonly text: string | null;
      readonly actor: string;
    }
  /** @property actions titles of the actions that the person did, in order */
  | { readonly kind: 'manualControlEnded'; readonly actor: string; readonly actions: readonly string[] };

/** Next step of the agent. */
export type AgentCommand =
  /**
   * @property condition repeats the observation until the page shows it; omitted: observes once.
   * @property isMidTurn true: the observation decides if the turn continues.
   * @property zooms regions of the screenshot to enlarge; missing: none.
   */
  | {
      readonly kind: 'observe';
      readonly depth: ObservationDepth;
      readonly condition?: Expectation;
      readonly isMidTurn?: boolean;
      readonly zooms?: readonly ScreenRegion[];
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
  | { readonly kind: 'checkClaim'; readonly claim: GoalClaim; readonly isEarly: boolean }
  /** Asks a model whether a claim holds. */
  | { readonly kind: 'verifyClaim'; readonly claim: GoalClaim; readonly detail: string }
  | { readonly kind: 'askHuman'; readonly question: AgentQuestion; readonly number: number; readonly reason: string }
  | { readonly kind: 'done'; readonly answer: Json }
  | { readonly kind: 'fail'; readonly reason: string; readonly code?: 'MODEL_INVALID' };

export interface ActCommand {
  readonly kind: 'act';
  readonly action: Action;
  /** Number of the action in the goal, from 1. */
  readonly number: number;
  readonly title: string;
  readonly approval: Approval | null;
  readonly description: ModelDescription;
  /** Index of the call of a computer tool; missing: none. */
  readonly call?: number;
  /** No action of the turn succeeded before. */
  readonly isFirstOfTurn: boolean;
}
