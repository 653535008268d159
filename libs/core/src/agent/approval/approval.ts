import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { Approval, CanvasTarget, PlannedAction } from '../planned-action.ts';
import { appendOutcome, withNote, type AgentState, type TurnInProgress } from '../agent-state.ts';
import { requestReplan } from '../escalation.ts';
import { listChanged } from '../page-queries.ts';
import { requiredApproval, type ApprovalNeeded, type ApprovalPolicy } from './approval-policy.ts';
import { canvasPointToIdentify } from './canvas-effects.ts';
import { confirms } from './confirmation-texts.ts';

/* Approval of one action on one page, and the early request for it. */

type ActAction = Extract<PlannedAction, { kind: 'act' }>;

/** Needed for a canvas that no model could identify. */
const UNIDENTIFIED_CANVAS: ApprovalNeeded = {
  kind: 'canvas',
  description: 'use canvas content that no model could identify',
};

export const approvalPolicyOf = ({ goal, origins }: AgentState): ApprovalPolicy => ({
  ...goal.limits,
  apps: origins.apps,
  home: origins.start,
  trusted: origins.trusted,
  secretDocuments: origins.secretDocuments,
});

/** True if the approval is for this action on this page: same document, same URL, same controls. */
export const isApproved = ({ action, approval }: ActAction, page: Observation): boolean =>
  approval !== undefined &&
  JSON.stringify(approval.action) === JSON.stringify(action) &&
  approval.page.url === page.url &&
  !listChanged(approval.page, page);

/**
 * Approval that an action lacks on the current page; null: it may be done. This is the final check: `nextCommand` applies it to every action
 * that it returns.
 */
export function missingApproval(state: AgentState, plannedAction: ActAction): ApprovalNeeded | null {
  const page = state.page.current;
  if (!page || isApproved(plannedAction, page)) return null;
  const policy = approvalPolicyOf(state);
  const neededApproval = approvalOfTurn(plannedAction, page, policy);
  if (neededApproval) return neededApproval;
  return !plannedAction.identification && canvasPointToIdentify(plannedAction.action, page, policy)
    ? UNIDENTIFIED_CANVAS
    : null;
}

/** Approval by the effect of an action, and because its provider asks for one. */
function approvalOfTurn(planned: ActAction, page: Observation, policy: ApprovalPolicy): ApprovalNeeded | null {
  const needed = requiredApproval(planned.action, page, policy, planned);
  if (!hasOpenCheck(planned, policy)) return needed;
  return needed
    ? {
        ...needed,
        description: `${needed.description}. The provider of the model wants it confirmed: ${planned.check}`,
      }
    : { kind: 'providerCheck', description: `do what the provider of the model wants confirmed: ${planned.check}` };
}

/** True if a person has to see the check of the provider. */
const hasOpenCheck = ({ check }: ActAction, { autoApprove }: ApprovalPolicy): boolean =>
  check !== undefined && !autoApprove.has('providerCheck');

/** Starts the first action of a turn, or requests a prerequisite: an approval, the identification of a canvas, another observation. */
export function startNextAction(decidedState: AgentState, turn: TurnInProgress): AgentState {
  const [next, ...rest] = turn.actions;
  const state = withDecisionOutcome(decidedState, next);
  switch (next?.kind) {
    case undefined:
      return { ...state, phase: { kind: 'thinking' } };
    case 'store':
      return startNextAction(withNote(state, 'data_stored', `${next.key}: ${next.value}`), { ...turn, actions: rest });
    case 'replan':
      return requestReplan(withNote(state, 'problem', next.reason), next.reason);
    case 'read':
    case 'see':
      return { ...state, phase: { kind: 'observing', turn } };
    case 'analyse':
      return { ...state, phase: { kind: 'describingScreenshot', question: next.question } };
    case 'done':
      return { ...state, phase: { kind: 'checkingClaim', claim: next.claim, isEarly: false } };
    case 'fail':
      return { ...state, phase: { kind: 'failed', reason: next.reason } };
    case 'ask':
      return { ...state, phase: { kind: 'awaitingHuman', question: `The agent asks: ${next.question}` } };
    case 'act':
      return startAction(state, turn, next);
  }
}

/** Records that a call of a computer tool that is no input was started. Its result is a note of the turn, except for stored data. */
const withDecisionOutcome = (state: AgentState, planned: PlannedAction | undefined): AgentState =>
  planned?.call === undefined || planned.kind === 'act'
    ? state
    : appendOutcome(state, { call: planned.call, text: planned.kind === 'store' ? 'Stored.' : '', isError: false });

function startAction(state: AgentState, turn: TurnInProgress, plannedAction: ActAction): AgentState {
  const page = state.page.current;
  const actingState: AgentState = { ...state, phase: { kind: 'acting', turn } };
  if (!page || isApproved(plannedAction, page)) return actingState;
  const policy = approvalPolicyOf(state);
  const neededApproval = approvalOfTurn(plannedAction, page, policy);
  if (
    neededApproval &&
    state.lastApproval &&
    !hasOpenCheck(plannedAction, policy) &&
    confirms(plannedAction.action, neededApproval, page, state.lastApproval)
  )
    return actOnConfirmation(state, turn, neededApproval, page);
  if (neededApproval) return requestApproval(state, turn, neededApproval);
  const point = plannedAction.identification ? null : canvasPointToIdentify(plannedAction.action, page, policy);
  return point ? { ...state, phase: { kind: 'identifyingCanvas', turn, point } } : actingState;
}

/** Acts without a question: the page only asks to confirm what a person approved. */
export function actOnConfirmation(
  state: AgentState,
  turn: TurnInProgress,
  needed: ApprovalNeeded,
  page: Observation,
): AgentState {
  const withDecision = withNote(state, 'approval_decision', `Confirms what a person approved: ${needed.description}`);
  return {
    ...withDecision,
    lastApproval: null,
    phase: { kind: 'acting', turn: approveNext(turn, needed, page, 'confirmation') },
  };
}

/** The turn with an approval of its first action. */
export function approveNext(
  turn: TurnInProgress,
  { kind: effect, description }: ApprovalNeeded,
  page: Observation,
  source: Approval['source'],
): TurnInProgress {
  const [next, ...rest] = turn.actions;
  if (next?.kind !== 'act') return turn;
  return {
    ...turn,
    actions: [{ ...next, approval: { action: next.action, page, effect, description, source } }, ...rest],
  };
}

/** @param target null: no model could identify it */
export function applyCanvasTarget(state: AgentState, target: CanvasTarget | null): AgentState {
  if (state.phase.kind !== 'identifyingCanvas') return state;
  const { turn } = state.phase;
  const [next, ...rest] = turn.actions;
  if (next?.kind !== 'act') return state;
  if (!target) return requestApproval(state, turn, UNIDENTIFIED_CANVAS);
  const withDecision = withNote(
    state,
    'screenshot_described',
    `Canvas target identified as ${target.what || 'nothing'} (${target.kind})`,
  );
  return startNextAction(withDecision, { ...turn, actions: [{ ...next, identification: target }, ...rest] });
}

export function requestApproval(state: AgentState, turn: TurnInProgress, request: ApprovalNeeded): AgentState {
  const withDecision = withNote(
    state,
    'approval_needed',
    `Approval required: ${request.description} (${request.kind})`,
  );
  const page = state.page.current;
  return page ? { ...withDecision, phase: { kind: 'awaitingApproval', turn, request, page } } : withDecision;
}
