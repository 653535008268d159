import type { Action } from '@pilothouse/contract';
import { secretNamesIn } from '../secret/secret-placeholders.ts';
import { type AgentInput } from './agent-protocol.ts';
import { plannedActionTitle, withoutPermission, type PlannedAction } from './planned-action.ts';
import { observing, originsFrom, turnOf, type AgentState, type Origins, type TurnInProgress } from './agent-state.ts';
import { requiredDialogApproval, secretToOtherOrigin } from './approval/approval-policy.ts';
import { actOnConfirmation, isApproved, requestApproval } from './approval/approval.ts';
import { enteredAfter } from './entered-values.ts';
import { creditTurn, recordFailure } from './escalation.ts';
import { appendActionResult, noteDroppedActions } from './model-turn.ts';
import { endsTurn, isTextEntry, webOrigin } from './page-queries.ts';
import { startWaiting } from './turn-verification.ts';

/* Result of an action. */

type ActionResultInput = Extract<AgentInput, { kind: 'acted' }>;
type ActAction = Extract<PlannedAction, { kind: 'act' }>;

export function applyActionResult(state: AgentState, result: ActionResultInput): AgentState {
  if (state.phase.kind !== 'acting') return state;
  const { turn } = state.phase;
  const [planned] = turn.actions;
  if (planned?.kind !== 'act') return state;
  const { error, dialog, origin = null } = result;
  if (error?.code === 'APPROVAL_REQUIRED')
    return dialog
      ? askBeforeAcceptingDialog(state, turn, dialog)
      : requestApproval(state, turn, secretToOtherOrigin(origin));
  const title = plannedActionTitle(planned, state.page.current);
  const counted: AgentState = {
    ...appendActionResult(state, error ? `${title}: ${error.message}` : title),
    counters: { ...state.counters, actions: state.counters.actions + 1 },
    origins: originsAfterAction(state, planned.action, error === null),
  };
  return error
    ? applyActionError(counted, turn, `${title} did not work: ${error.message}`, error.code)
    : applyActionSuccess(counted, turn, planned, result);
}

function applyActionError(state: AgentState, turn: TurnInProgress, note: string, code: string): AgentState {
  const failed = recordFailure(creditTurn(state, turn.hasActed), 'problem', note);
  const before = state.page.current;
  const mayBeCovered =
    code === 'TARGET_NOT_ACTIONABLE' && failed.escalation.tier === 'text' && failed.phase.kind === 'observing';
  if (!mayBeCovered || !before) return failed;
  const overlay = { before, interrupted: turn.actions.map(withoutPermission), closed: [] };
  return { ...failed, phase: observing(turnOf([], { overlay })) };
}

function applyActionSuccess(
  state: AgentState,
  turn: TurnInProgress,
  { action, expects }: ActAction,
  { anchors = null }: ActionResultInput,
): AgentState {
  const { current } = state.page;
  const isTextTier = state.escalation.tier === 'text';
  const rest: TurnInProgress = { ...turn, actions: turn.actions.slice(1), hasActed: true };
  const enteredValues = enteredAfter(state.history.enteredValues, action, current);
  const entered: AgentState = { ...state, history: { ...state.history, enteredValues } };
  if (rest.actions.length === 0 && expects && isTextTier) return startWaiting(entered, expects, anchors);
  if (!isTextTier || current === null || !endsTurn(action, current)) return { ...entered, phase: observing(rest) };
  return {
    ...noteDroppedActions(entered, rest, 'what comes after it has to be seen first'),
    phase: observing({ ...rest, actions: [] }),
  };
}

/** The first address sets the start of the goal. A document may contain a secret even if typing it failed. */
function originsAfterAction({ origins, page, goal }: AgentState, action: Action, isDone: boolean): Origins {
  if (action.action === 'navigate' && origins.start === null && isDone)
    return { ...origins, ...originsFrom(webOrigin(action.url)) };
  const hasSecret = isTextEntry(action) && secretNamesIn(action.text, goal.limits.secrets).length > 0;
  return hasSecret && page.current
    ? { ...origins, secretDocuments: new Set([...origins.secretDocuments, page.current.document]) }
    : origins;
}

/**
 * The surface dismissed a dialog because of its question. After an approval the dialog is set to be accepted, and the action that opens it is
 * done again.
 */
function askBeforeAcceptingDialog(
  state: AgentState,
  turn: TurnInProgress,
  { question, text }: NonNullable<ActionResultInput['dialog']>,
): AgentState {
  const needed = requiredDialogApproval(question, state.goal.limits);
  if (!needed) return recordFailure(state, 'problem', `The dialog “${question}” was declined`);
  const { lastApproval } = state;
  const page = state.page.current;
  const [opener] = turn.actions;
  const accept: PlannedAction = {
    kind: 'act',
    action: { action: 'handleDialog', accept: true, ...(text !== null && { text }) },
  };
  const retried = { ...turn, actions: [accept, ...turn.actions] };
  const isOpenerApproved =
    opener?.kind === 'act' &&
    opener.action.action !== 'handleDialog' &&
    lastApproval?.action === opener.action &&
    page !== null &&
    isApproved(opener, page);
  // A question about another effect needs its own approval.
  return isOpenerApproved && lastApproval.effect === needed.kind
    ? actOnConfirmation(state, retried, needed, page)
    : requestApproval(state, retried, needed);
}
