import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { Expectation } from '@pilothouse/contract/agent/agent.schema';
import type { NativeRecord } from '@pilothouse/contract/model/native-turn.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { ApprovalEffect } from '@pilothouse/contract/workflow/goal.schema';
import type { ModelScreenshot } from '../observation/annotated-screenshot.ts';
import type { AgentGoal } from './agent-goal.ts';
import type { EnteredValue, GoalClaim, PlannedAction } from './planned-action.ts';
import type { ApprovalNeeded } from './approval/approval-policy.ts';
import { uriOriginIdOf } from '../origin/uri-origin.ts';
import { INITIAL_ESCALATION, type Escalation } from './escalation-tiers.ts';
import type { ViewportPoint } from './page-queries.ts';

/** State of an agent. It never changes: `reduce` returns a new one. */
export interface AgentState {
  readonly goal: AgentGoal;
  readonly phase: AgentPhase;
  readonly escalation: Escalation;
  readonly page: ObservedPages;
  readonly plan: {
    /** Plan of the supervisor; null: none. */
    readonly text: string | null;
    /** Finished and next sub-goals, as the model last reported them. */
    readonly subGoals: string | null;
  };
  readonly history: {
    readonly turns: readonly AgentTurn[];
    readonly notes: readonly AgentNote[];
    /** Pages with the actions that were tried on them. */
    readonly attempted: ReadonlySet<string>;
    /** Values that the page must still have when the goal is met. */
    readonly enteredValues: readonly EnteredValue[];
  };
  /** Answers of models since the start of the goal. */
  readonly answers: ModelAnswers;
  readonly origins: Origins;
  readonly counters: AgentCounters;
  readonly lastRejectedClaim: GoalClaim | null;
  /** Last action that a person approved, until the page asked to confirm it. */
  readonly lastApproval: ApprovedAction | null;
}

/** Each phase owns the data that is valid only in it. */
export type AgentPhase =
  /** @property turn actions that are left, or the finished turn that the page has to show; null: none */
  | { readonly kind: 'observing'; readonly turn: TurnInProgress | null }
  /** The expected result of a finished turn may still appear. */
  | { readonly kind: 'waiting'; readonly depth: 'anchors' | 'page'; readonly expectation: PendingExpectation }
  /** The page changed and does not show whether the turn worked. */
  | { readonly kind: 'verifyingTurn'; readonly expectation: Expectation; readonly detail: string }
  | { readonly kind: 'thinking' }
  /** The first action of the turn is next. Its approval, if it has one, is part of it. */
  | { readonly kind: 'acting'; readonly turn: TurnInProgress }
  /** The page has no name for the point of the next action. */
  | { readonly kind: 'identifyingCanvas'; readonly turn: TurnInProgress; readonly point: ViewportPoint }
  | { readonly kind: 'describingScreenshot'; readonly question: string | null }
  /** @property page the page that the request is about */
  | {
      readonly kind: 'awaitingApproval';
      readonly turn: TurnInProgress;
      readonly request: ApprovalNeeded;
      readonly page: Observation;
    }
  | { readonly kind: 'awaitingHuman'; readonly question: string }
  /** @property isEarly the page suggests that the goal is met; the model did not claim it */
  | { readonly kind: 'checkingClaim'; readonly claim: GoalClaim; readonly isEarly: boolean }
  | { readonly kind: 'verifyingClaim'; readonly claim: GoalClaim; readonly detail: string }
  | { readonly kind: 'replanning'; readonly reason: string }
  | { readonly kind: 'done'; readonly answer: Json }
  /** @property code error of the step, if it is not that the goal was not reached */
  | { readonly kind: 'failed'; readonly reason: string; readonly code?: 'MODEL_INVALID' };

/** A turn whose actions are not finished, or whose result is not verified. */
export interface TurnInProgress {
  /** Remaining actions. */
  readonly actions: readonly PlannedAction[];
  /** Set while an overlay may have interrupted the turn. */
  readonly overlay: OverlayCheck | null;
  /** Expected result of the turn, once all actions are done. */
  readonly expectation: PendingExpectation | null;
  /** An action of the turn succeeded. */
  readonly hasActed: boolean;
}

/** Expected result of a finished turn. */
export interface PendingExpectation extends Expectation {
  /** The page already had time to show it. */
  readonly hasWaited: boolean;
}

/** An unfinished turn that an overlay may have interrupted. */
export interface OverlayCheck {
  /** The page that the turn was decided on. */
  readonly observation: Observation;
  /** Actions of a turn that was stopped because the overlay blocked it. */
  readonly interrupted: readonly PlannedAction[];
  /** Indexes of the elements that were clicked to close overlays. */
  readonly closedIndexes: readonly number[];
}

/**
 * Effect of the last successful action on the texts in view. `navigation`: it shows another page or window. `link`: it shows another page if
 * the address has changed since the action. `change`: the texts may be an effect of the action.
 */
export type ActionEffect =
  { readonly kind: 'none' | 'navigation' | 'change' } | { readonly kind: 'link'; readonly url: string };

export interface ObservedPages {
  readonly current: Observation | null;
  /** Pages that turns were decided on, the newest last. One per document. */
  readonly previous: readonly Observation[];
  readonly screenshots: readonly ScreenshotFrame[];
  /** Normalized texts of all pages before the first action; null: unknown. */
  readonly initialText: string | null;
  /** Normalized page texts seen before the first change or shown by a navigation. null: unknown. */
  readonly knownText: string | null;
  /** Effect of the last successful action, also of people who had control. */
  readonly effect: ActionEffect;
  /** Evidence texts of the pages that the agent saw, the newest last. */
  readonly seenTexts: readonly string[];
  /** The last observation found no change of the page. */
  readonly unchanged: boolean;
}

/** A screenshot that the agent saw. */
export interface ScreenshotFrame {
  readonly screenshot: ModelScreenshot;
  /** Enlarged regions of it that the last turn asked for, in order. */
  readonly zooms?: readonly ModelScreenshot[];
  /** Number of turns before it. */
  readonly turn: number;
}

/** Places of a goal, by id: an origin or `app://<application>`. */
export interface Origins {
  /** Id of the origin of the first address, before redirects; null: none yet. */
  readonly start: string | null;
  /** Places that may receive secrets. */
  readonly trusted: ReadonlySet<string>;
  /** Rules for the applications of the goal, its home first; empty: only `start`. */
  readonly apps: readonly string[];
  /** Numbers of the documents that a secret was typed into. */
  readonly secretDocuments: ReadonlySet<number>;
}

export interface ModelAnswers {
  readonly readable: number;
  readonly unreadable: number;
  /** Dialect for the rest of the goal, because the model did not call functions; null: that of the model. */
  readonly dialect: 'aura' | null;
}

export interface AgentCounters {
  readonly turns: number;
  readonly actions: number;
  /** Successful actions of the agent, and actions of people who had control. */
  readonly succeededActions: number;
  /** Questions to people. */
  readonly questions: number;
}

/** One turn: the thought of the model and the results of its actions. */
export interface AgentTurn {
  /** From 1. */
  readonly number: number;
  readonly pageTitle: string;
  readonly thought: string;
  /** One line per action. */
  readonly results: readonly string[];
  /** Set if the model used its computer tool. */
  readonly native?: NativeAgentTurn;
}

/** A turn with a computer tool, and what became of its actions. */
export interface NativeAgentTurn {
  readonly record: NativeRecord;
  readonly outcomes: readonly NativeOutcome[];
}

/**
 * Outcome of one action of a call. An action with a check of the provider is executed only after a person, or the project, accepted the
 * check, so its outcome acknowledges it.
 */
export interface NativeOutcome {
  /** Index of the call. */
  readonly call: number;
  readonly text: string;
  readonly isError: boolean;
}

export type AgentNoteKind =
  | 'problem'
  | 'repeated_turn'
  | 'page_changed'
  | 'approval_needed'
  | 'unverified'
  | 'verified'
  | 'approval_decision'
  | 'answer'
  | 'human_asked'
  | 'screenshot_described'
  | 'data_stored'
  | 'escalated'
  | 'replanned';

/** Fact that the agent learns from elsewhere than the page. */
export interface AgentNote {
  readonly kind: AgentNoteKind;
  readonly turn: number;
  readonly note: string;
  /** Part of an expectation that the turn made true. */
  readonly newlyMet?: Expectation;
  /** Question that an `answer` replies to. */
  readonly question?: string;
  /** The whole goal was verified, not a turn. */
  readonly isGoalMet?: true;
}

/** An action that a person approved. */
export interface ApprovedAction {
  readonly effect: ApprovalEffect;
  readonly action: Action;
  /** The page on which it was approved. */
  readonly page: Observation;
}

/** A new observation is due. @param turn turn that continues, or waits for its verification */
export const observing = (turn: TurnInProgress | null = null): AgentPhase => ({ kind: 'observing', turn });

export const turnOf = (
  actions: readonly PlannedAction[],
  fields: Partial<Omit<TurnInProgress, 'actions'>> = {},
): TurnInProgress => ({ actions, overlay: null, expectation: null, hasActed: false, ...fields });

/** A turn without remaining actions. */
export const finishedTurn = (expectation: PendingExpectation | null): TurnInProgress =>
  turnOf([], { expectation, hasActed: true });

export const isEnded = ({ phase }: AgentState): boolean => phase.kind === 'done' || phase.kind === 'failed';

/** @param question question that the note answers */
export const withNote = (state: AgentState, kind: AgentNoteKind, note: string, question?: string): AgentState =>
  appendNote(state, { kind, turn: state.counters.turns, note, ...(question !== undefined && { question }) });

export const appendNote = (state: AgentState, note: AgentNote): AgentState => ({
  ...state,
  history: { ...state.history, notes: [...state.history.notes, note] },
});

/** Adds the outcome of an action to the current turn. Without effect if the turn used no computer tool. */
export function appendOutcome(state: AgentState, outcome: NativeOutcome): AgentState {
  const { turns } = state.history;
  const lastTurn = turns.at(-1);
  if (!lastTurn?.native) return state;
  const native = { ...lastTurn.native, outcomes: [...lastTurn.native.outcomes, outcome] };
  return { ...state, history: { ...state.history, turns: [...turns.slice(0, -1), { ...lastTurn, native }] } };
}

/** Known origins once the address of the start is known. @param origin id of its origin; null: unknown */
export const originsFrom = (origin: string | null): Pick<Origins, 'start' | 'trusted'> => ({
  start: origin,
  trusted: new Set(origin === null ? [] : [origin]),
});

/**
 * State before the first observation.
 * @param answer what a person answered before the goal started; null: nothing
 * @param openedUrl address that the workflow opened last; null: the first page of the goal counts
 */
export const initialAgentState = (
  goal: AgentGoal,
  answer: string | null = null,
  openedUrl: string | null = null,
): AgentState => ({
  goal,
  phase: observing(),
  escalation: goal.isAlwaysVision
    ? { ...INITIAL_ESCALATION, tier: 'vision', isAlwaysVision: true }
    : INITIAL_ESCALATION,
  page: {
    ...{ current: null, previous: [], screenshots: [], seenTexts: [], unchanged: false },
    ...{ initialText: null, knownText: null, effect: { kind: 'none' } },
  },
  plan: { text: null, subGoals: null },
  history: {
    turns: [],
    notes: answer === null ? [] : [{ kind: 'answer', turn: 0, note: answer }],
    attempted: new Set(),
    enteredValues: [],
  },
  answers: { readable: 0, unreadable: 0, dialect: null },
  origins: { ...originsFrom(uriOriginIdOf(openedUrl ?? '')), apps: goal.limits.apps ?? [], secretDocuments: new Set() },
  counters: { turns: 0, actions: 0, succeededActions: 0, questions: 0 },
  lastRejectedClaim: null,
  lastApproval: null,
});
