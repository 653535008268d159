import type { Action } from '@pilothouse/contract/actions/action-sets';
import type { NativeRecord } from '@pilothouse/contract/model/native-turn.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { higherTier } from '../model/request-images.ts';
import { parseJsonObject } from '../model/structured-output.ts';
import { checkValue } from '../workflow/json-schema.ts';
import type { AgentGoal } from './agent-goal.ts';
import { turnExpectation, type ParsedAnswer, type PlannedAction } from './planned-action.ts';
import {
  appendOutcome,
  observing,
  turnOf,
  withNote,
  type AgentState,
  type AgentTurn,
  type NativeOutcome,
  type TurnInProgress,
} from './agent-state.ts';
import { startNextAction } from './approval/approval.ts';
import { recordFailure } from './escalation.ts';
import { rejectInfeasible } from './feasibility.ts';
import { resolveFileId } from './file-inputs.ts';
import { dismissOverlayFirst } from './overlays.ts';
import { actionPoint, fingerprintOf } from './page-queries.ts';

/* An answer of the model becomes a turn. */

/** Pages before the current one that a prompt contains. One per document. */
const MAX_PREVIOUS_PAGES = 2;

/** @param native the turn, if the model used its computer tool */
export function startTurn(state: AgentState, thought: string, native?: NativeRecord): AgentState {
  const { page, counters, escalation, history } = state;
  const { current } = page;
  const number = counters.turns + 1;
  const turn: AgentTurn = {
    number,
    pageTitle: current ? current.title || current.url : '',
    thought,
    results: [],
    ...(native && { native: { record: native, outcomes: [] } }),
  };
  return {
    ...state,
    counters: { ...counters, turns: number },
    history: { ...history, turns: [...history.turns, turn] },
    page: { ...page, previous: current ? latestPerDocument([...page.previous, current]) : page.previous },
    escalation: {
      ...escalation,
      highest: higherTier(escalation.highest, escalation.tier),
      visionTurns: escalation.visionTurns + (escalation.tier === 'vision' ? 1 : 0),
    },
  };
}

const latestPerDocument = (pages: readonly Observation[]): Observation[] =>
  pages
    .filter(({ document }, index) => pages.slice(index + 1).every((later) => later.document !== document))
    .slice(-MAX_PREVIOUS_PAGES);

/** @param isLate the page may have changed while the model answered */
export function applyModelAnswer(decidedState: AgentState, answer: ParsedAnswer, isLate = false): AgentState {
  const { goal, escalation } = decidedState;
  const actions = usableActions(answer, escalation.tier).map((planned) => normalize(planned, goal));
  const startedState = countAnswer(startTurn(decidedState, answer.thought, answer.native), answer.unreadable ?? null);
  let state: AgentState = {
    ...startedState,
    plan: { ...startedState.plan, subGoals: answer.subGoals ?? startedState.plan.subGoals },
  };
  for (const problem of answer.problems) state = withNote(state, 'problem', problem);
  const answerMismatch = actions.map((planned) => schemaMismatch(planned, goal)).find((mismatch) => mismatch !== null);
  if (answerMismatch) return recordFailure(state, 'problem', answerMismatch);
  const overlayTurn = closeOverlayBefore(state, decidedState, actions);
  if (overlayTurn) return startNextAction(overlayTurn.state, overlayTurn.turn);
  const rejection = rejectInfeasible(state, actions);
  if (rejection) return rejection;
  if (actions.length === 0)
    return recordFailure(state, 'problem', answer.problems.length > 0 ? null : 'The answer called no function.');
  if (!escalation.visionAvailable && actions.some(({ kind }) => kind === 'see' || kind === 'analyse'))
    return recordFailure(state, 'problem', 'No vision model is available; use the element list.');
  const key = attemptKey(actions, decidedState);
  if (key !== null && decidedState.history.attempted.has(key)) {
    const note = 'You already did exactly this on exactly this page. It was not repeated. Do something else.';
    return recordFailure(state, 'repeated_turn', note, 'repeat');
  }
  if (key !== null)
    state = { ...state, history: { ...state.history, attempted: new Set([...decidedState.history.attempted, key]) } };
  return startPlannedTurn(state, actions, isLate);
}

function startPlannedTurn(state: AgentState, actions: readonly PlannedAction[], isLate: boolean): AgentState {
  const [firstAction] = actions;
  const { current } = state.page;
  if (firstAction?.kind !== 'act') return startNextAction(state, turnOf(actions));
  // The screenshot is older than the page: the approval is decided on a new observation.
  if (actionPoint(firstAction.action)) return { ...state, phase: observing(turnOf(actions)) };
  if (!isLate || !current) return startNextAction(state, turnOf(actions));
  const overlay = { observation: current, interrupted: [], closedIndexes: [] };
  return { ...state, phase: observing(turnOf(actions, { overlay })) };
}

/** Counts an answer. After one that is unreadable, a model without a known dialect writes JSON for the rest of the goal. */
export function countAnswer(state: AgentState, unreadable: 'same-dialect' | 'other-dialect' | null): AgentState {
  const { answers } = state;
  if (unreadable === null) return { ...state, answers: { ...answers, readable: answers.readable + 1 } };
  const dialect = unreadable === 'other-dialect' ? 'aura' : answers.dialect;
  return { ...state, answers: { ...answers, unreadable: answers.unreadable + 1, dialect } };
}

/** Closes an overlay first that came since the turn before. */
function closeOverlayBefore(
  state: AgentState,
  { page, escalation }: AgentState,
  actions: readonly PlannedAction[],
): { state: AgentState; turn: TurnInProgress } | null {
  const previousPage = page.previous.at(-1);
  if (escalation.tier !== 'text' || !previousPage) return null;
  return dismissOverlayFirst(state, turnOf(actions), { observation: previousPage, closedIndexes: [] });
}

/**
 * Actions up to the first that needs another observation. With a screenshot only one, or a text and its Enter; a computer tool is trained for
 * batches.
 */
function usableActions({ actions, native }: ParsedAnswer, tier: 'text' | 'vision'): PlannedAction[] {
  const continuesTurn = ({ kind }: PlannedAction) => kind === 'act' || kind === 'store';
  const usable = actions.slice(0, 1 + actions.findIndex((planned) => !continuesTurn(planned)) || actions.length);
  if (native) return usable;
  if (tier === 'text') return withExpectationLast(usable);
  const actIndex = usable.findIndex(({ kind }) => kind !== 'store');
  const hasEnter =
    (isAction(usable[actIndex], 'fill') || isAction(usable[actIndex], 'type')) &&
    isAction(usable[actIndex + 1], 'press');
  return actIndex < 0 ? usable : usable.slice(0, actIndex + (hasEnter ? 2 : 1));
}

/** Shifts the expected result to the last action. A turn that ends with another kind of action has none. */
function withExpectationLast(actions: readonly PlannedAction[]): PlannedAction[] {
  const expects = turnExpectation(actions);
  const lastIndex = actions.length - 1;
  return actions.map((planned, index) =>
    planned.kind === 'act' ? { ...planned, expects: index === lastIndex ? expects : undefined } : planned,
  );
}

const isAction = (planned: PlannedAction | undefined, name: Action['action']) =>
  planned?.kind === 'act' && planned.action.action === name;

/** Actions that may be repeated on the same page. */
const repeatableActions: ReadonlySet<Action['action']> = new Set(['wait', 'waitFor', 'goBack']);

/** Identifies actions on a page; null: they may be repeated. */
function attemptKey(plannedActions: readonly PlannedAction[], { page, escalation }: AgentState): string | null {
  const actions = plannedActions.flatMap((plannedAction) =>
    plannedAction.kind === 'act' && !repeatableActions.has(plannedAction.action.action) ? [plannedAction.action] : [],
  );
  if (actions.length === 0 || !page.current) return null;
  const fingerprint =
    escalation.tier === 'vision' ? JSON.stringify(page.screenshots.at(-1)?.screenshot.print.map(Math.round)) : '';
  return `${fingerprintOf(page.current)}\n${fingerprint}\n${JSON.stringify(actions)}`;
}

/** Parses an answer that is JSON in a string, and replaces the name of a file with its id. */
function normalize(planned: PlannedAction, { outputSchema, files = [] }: AgentGoal): PlannedAction {
  if (planned.kind === 'act' && (planned.action.action === 'upload' || planned.action.action === 'putFile'))
    return { ...planned, action: { ...planned.action, file: resolveFileId(planned.action.file, files) } };
  if (planned.kind !== 'done' || outputSchema === null || typeof planned.claim.answer !== 'string') return planned;
  if (checkValue(outputSchema, planned.claim.answer).length === 0) return planned;
  const answer = parseJsonObject(planned.claim.answer) as Json | null;
  return answer !== null && checkValue(outputSchema, answer).length === 0
    ? { ...planned, claim: { ...planned.claim, answer } }
    : planned;
}

function schemaMismatch(planned: PlannedAction, { outputSchema }: AgentGoal): string | null {
  if (planned.kind !== 'done' || outputSchema === null) return null;
  const [firstError] = checkValue(outputSchema, planned.claim.answer);
  return firstError
    ? `The answer does not match the schema: ${firstError.pointer || 'the value'} ${firstError.detail}`
    : null;
}

/** Notes that the remaining actions are skipped. */
export function noteDroppedActions(state: AgentState, { actions }: TurnInProgress, reason: string): AgentState {
  const count = actions.filter(({ kind }) => kind === 'act').length;
  return count === 0
    ? state
    : withNote(
        state,
        'page_changed',
        `${count} remaining ${count === 1 ? 'action was' : 'actions were'} skipped: ${reason}`,
      );
}

/**
 * @param line title of the action, with its error if it failed
 * @param outcome outcome for the call of a computer tool; undefined: no such call
 */
export function appendActionResult(state: AgentState, line: string, outcome?: NativeOutcome): AgentState {
  const { turns } = state.history;
  const lastTurn = turns.at(-1);
  if (!lastTurn) return state;
  const turn: AgentTurn = { ...lastTurn, results: [...lastTurn.results, line] };
  const updated = { ...state, history: { ...state.history, turns: [...turns.slice(0, -1), turn] } };
  return outcome ? appendOutcome(updated, outcome) : updated;
}
