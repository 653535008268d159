import { truncateWithLength } from '../observation/observation-text.ts';
import { applicationUri, matchesApplication, uriOriginIdOf, uriOriginOf } from '../origin/uri-origin.ts';
import { secretNamesIn } from '../workflow/secret-placeholders.ts';
import { type AgentInput } from './agent-protocol.ts';
import { isNativeAction, plannedActionTitle, withoutPermission, type PlannedAction } from './planned-action.ts';
import { observing, originsFrom, turnOf, type AgentState, type Origins, type TurnInProgress } from './agent-state.ts';
import { credentialsApproval, requiredDialogApproval } from './approval/approval-policy.ts';
import { actOnConfirmation, isApproved, requestApproval } from './approval/approval.ts';
import { enteredValuesAfter } from './entered-values.ts';
import { effectAfter } from './known-text.ts';
import { creditTurn, recordFailure } from './escalation.ts';
import { appendActionResult, noteDroppedActions } from './model-turn.ts';
import { endsTurn, isTextEntry } from './page-queries.ts';
import { resultLine } from './result-line.ts';
import { startWaiting } from './turn-verification.ts';

/* Result of an action. */

type ActionResultInput = Extract<AgentInput, { kind: 'acted' }>;
type ActAction = Extract<PlannedAction, { kind: 'act' }>;

export function applyActionResult(state: AgentState, result: ActionResultInput): AgentState {
  if (state.phase.kind !== 'acting') return state;
  const { turn } = state.phase;
  const [plannedAction] = turn.actions;
  if (plannedAction?.kind !== 'act') return state;
  const { error, value, dialog, origin = '' } = result;
  if (error?.code === 'APPROVAL_REQUIRED')
    return dialog
      ? requestDialogApproval(state, turn, dialog)
      : requestApproval(state, turn, credentialsApproval(origin));
  const title = plannedActionTitle(plannedAction, state.page.current);
  const line =
    resultLine(title, result.result, error?.message ?? null) + (error ? '' : valueNote(plannedAction, value));
  const { call } = plannedAction;
  const outcome = call === undefined ? undefined : { call, text: line, isError: error !== null };
  const updated: AgentState = {
    ...appendActionResult(state, line, outcome),
    counters: {
      ...state.counters,
      actions: state.counters.actions + 1,
      succeededActions: state.counters.succeededActions + (error ? 0 : 1),
    },
    origins: originsAfterAction(state, plannedAction, result),
    ...(!error && {
      page: { ...state.page, effect: effectAfter(state.page.effect, plannedAction.action, state.page.current) },
    }),
  };
  return error
    ? applyActionError(updated, turn, `${title} failed: ${error.message}`, error.code)
    : applyActionSuccess(updated, turn, plannedAction, result);
}

/** Actions whose value the model cannot see in the element list. */
const ACTIONS_WITH_VALUE: ReadonlySet<string> = new Set(['listWindows', 'setWindow', 'fillFileDialog']);

/** Maximum characters of a value. */
const MAX_VALUE_CHARS = 1000;

/** Reports the value of an action to the model. */
const valueNote = ({ action }: ActAction, value: ActionResultInput['value']): string =>
  value !== undefined && value !== null && ACTIONS_WITH_VALUE.has(action.action)
    ? `: ${truncateWithLength(JSON.stringify(value), MAX_VALUE_CHARS)}`
    : '';

function applyActionError(state: AgentState, turn: TurnInProgress, note: string, code: string): AgentState {
  const afterFailure = recordFailure(creditTurn(state, turn.hasActed), 'problem', note);
  const page = state.page.current;
  const mayBeCovered =
    code === 'TARGET_NOT_ACTIONABLE' &&
    !isNativeAction(turn.actions[0]) &&
    afterFailure.escalation.tier === 'text' &&
    afterFailure.phase.kind === 'observing';
  if (!mayBeCovered || !page) return afterFailure;
  const overlay = { observation: page, interrupted: turn.actions.map(withoutPermission), closedIndexes: [] };
  return { ...afterFailure, phase: observing(turnOf([], { overlay })) };
}

function applyActionSuccess(
  state: AgentState,
  turn: TurnInProgress,
  { action, expects }: ActAction,
  { anchors = null }: ActionResultInput,
): AgentState {
  const { current } = state.page;
  const isTextTier = state.escalation.tier === 'text';
  const remainingTurn: TurnInProgress = { ...turn, actions: turn.actions.slice(1), hasActed: true };
  const enteredValues = enteredValuesAfter(state.history.enteredValues, action, current);
  const withEnteredValues: AgentState = { ...state, history: { ...state.history, enteredValues } };
  if (remainingTurn.actions.length === 0 && expects && isTextTier)
    return startWaiting(withEnteredValues, expects, anchors);
  // A batch of a computer tool continues until an action fails.
  if (!isTextTier || isNativeAction(turn.actions[0]) || current === null || !endsTurn(action, current))
    return { ...withEnteredValues, phase: observing(remainingTurn) };
  return {
    ...noteDroppedActions(withEnteredValues, remainingTurn, 'the page has to be observed first'),
    phase: observing({ ...remainingTurn, actions: [] }),
  };
}

/** The first address or application sets the start of the goal. A document may contain a secret even if typing it failed. */
function originsAfterAction(
  { origins, page, goal }: AgentState,
  { action, approval }: ActAction,
  { error, anchors }: ActionResultInput,
): Origins {
  const hasSucceeded = error === null;
  if (action.action === 'navigate' && origins.start === null && hasSucceeded)
    return { ...origins, ...originsFrom(uriOriginIdOf(action.url)) };
  if (action.action === 'openApp' && approval === undefined && hasSucceeded)
    return { ...origins, apps: allowedAppsAfterOpen(origins, action.app, anchors?.url ?? '') };
  const hasSecret = isTextEntry(action) && secretNamesIn(action.text, goal.limits.secrets).length > 0;
  return hasSecret && page.current
    ? { ...origins, secretDocuments: new Set([...origins.secretDocuments, page.current.document]) }
    : origins;
}

/**
 * Applications of the goal after it opened one that needed no approval. Windows can report a different id than the `.desktop` file. That id
 * is allowed, but gets no secrets.
 * @param uri URI of the opened window
 */
function allowedAppsAfterOpen({ apps, start }: Origins, app: string, uri: string): readonly string[] {
  const home = uriOriginOf(start ?? applicationUri(app));
  const known = apps.length > 0 || home.kind !== 'application' ? apps : [home.name];
  const opened = uriOriginOf(uri);
  return opened.kind !== 'application' || known.some((rule) => matchesApplication(rule, opened))
    ? known
    : [...known, opened.name];
}

/**
 * The surface dismissed a dialog because of its question. After an approval the dialog is set to be accepted, and the action that opens it is
 * done again.
 */
function requestDialogApproval(
  state: AgentState,
  turn: TurnInProgress,
  { question, text }: NonNullable<ActionResultInput['dialog']>,
): AgentState {
  const requiredApproval = requiredDialogApproval(question, state.goal.limits);
  if (!requiredApproval) return recordFailure(state, 'problem', `Dialog “${question}” was dismissed`);
  const { lastApproval } = state;
  const page = state.page.current;
  const [openingAction] = turn.actions;
  const accept: PlannedAction = {
    kind: 'act',
    action: { action: 'handleDialog', accept: true, ...(text !== null && { text }) },
  };
  const retriedTurn = { ...turn, actions: [accept, ...turn.actions] };
  const isOpenerApproved =
    openingAction?.kind === 'act' &&
    openingAction.action.action !== 'handleDialog' &&
    lastApproval?.action === openingAction.action &&
    page !== null &&
    isApproved(openingAction, page);
  // A question about another effect needs its own approval.
  return isOpenerApproved && lastApproval.effect === requiredApproval.kind
    ? actOnConfirmation(state, retriedTurn, requiredApproval, page)
    : requestApproval(state, retriedTurn, requiredApproval);
}
