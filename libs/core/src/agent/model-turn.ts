import type { Action, Json, Observation } from '@pilothouse/contract';
import { checkValue } from '../workflow/json-schema.ts';
import { rejectInfeasible } from './feasibility.ts';
import { higherTier } from '../model/request-images.ts';
import { recordFailure, withNote } from './escalation.ts';
import { turnExpectation, type PlannedAction, type ParsedAnswer } from './agent-protocol.ts';
import { fileNamed } from './file-inputs.ts';
import { dismissOverlayFirst } from './overlays.ts';
import { fingerprintOf, actionPoint } from './page-queries.ts';
import { gateNextAction } from './approval/approval.ts';
import { parseJsonObject } from '../model/structured-output.ts';
import type { AgentGoal, AgentState } from './agent-goal.ts';

/* A turn: what of an answer is taken, and what it has come to. */

/** A turn has begun. */
export function startTurn(state: AgentState, thought: string): AgentState {
  const { seen } = state;
  const number = state.turn + 1;
  const turn = { number, where: seen ? seen.title || seen.url : '', thought, did: [] };
  return {
    ...state,
    turn: number,
    turns: [...state.turns, turn],
    earlier: seen ? seenOnce([...state.earlier, seen]) : state.earlier,
    worked: false,
    over: null,
    highest: higherTier(state.highest, state.tier),
    visions: state.tier === 'vision' ? state.visions + 1 : state.visions,
  };
}

/** Pages besides the one that is seen that a turn is told of: of each document how it was last. */
const WINDOW = 2;

const seenOnce = (pages: readonly Observation[]): Observation[] =>
  pages.filter(({ document }, at) => pages.slice(at + 1).every((later) => later.document !== document)).slice(-WINDOW);

/** A model said what it wants. @param late the page may be another by now */
export function applyModelAnswer(state: AgentState, reading: ParsedAnswer, late = false): AgentState {
  const { goal, tier } = state;
  const moves = movesOf(reading, tier).map((move) => inForm(move, goal));
  let now: AgentState = {
    ...startTurn(state, reading.thought),
    subGoals: reading.subGoals ?? state.subGoals,
    queue: moves,
    phase: { kind: 'choose' },
  };
  for (const problem of reading.problems) now = withNote(now, 'problem', problem);
  const misfit = moves.map((move) => misfitOf(move, goal)).find((one) => one !== null);
  if (misfit) return recordFailure(now, 'problem', misfit);
  const before = state.earlier.at(-1);
  const closing = tier === 'text' && before ? dismissOverlayFirst(now, moves, { before, closed: [] }) : null;
  if (closing) return gateNextAction(closing);
  const impossible = rejectInfeasible(now, moves);
  if (impossible) return impossible;
  if (moves.length === 0)
    return recordFailure(now, 'problem', reading.problems.length > 0 ? null : 'Nothing was called');
  if (!state.sees && moves.some(({ kind }) => kind === 'see' || kind === 'analyse'))
    return recordFailure(now, 'problem', 'There is no model that sees pictures: the list has to do');
  const key = keyOf(moves, state);
  if (key !== null && state.tried.has(key)) {
    const again = 'You did exactly this before, on exactly this page: it is not done again. Do something else';
    return recordFailure({ ...now, loops: state.loops + 1 }, 'repeated_turn', again);
  }
  if (key !== null) now = { ...now, tried: new Set([...state.tried, key]) };
  const [first] = moves;
  // Whether it may be done is asked of the page as it is by now: the picture is older.
  if (first?.kind !== 'act') return gateNextAction(now);
  if (actionPoint(first.action)) return { ...now, phase: { kind: 'look' } };
  if (!late || !state.seen) return gateNextAction(now);
  return { ...now, phase: { kind: 'look' }, over: { before: state.seen, left: [], closed: [] } };
}

/** What of an answer is taken: all up to what is for the model to see first; by a picture one thing, with the Enter behind a text. */
function movesOf({ moves }: ParsedAnswer, tier: AgentState['tier']): PlannedAction[] {
  const goesOn = ({ kind }: PlannedAction) => kind === 'act' || kind === 'store';
  const wanted = moves.slice(0, 1 + moves.findIndex((move) => !goesOn(move)) || moves.length);
  if (tier === 'text') return foretold(wanted);
  const at = wanted.findIndex(({ kind }) => kind !== 'store');
  const isTyped = (isAction(wanted[at], 'fill') || isAction(wanted[at], 'type')) && isAction(wanted[at + 1], 'press');
  return at < 0 ? wanted : wanted.slice(0, at + (isTyped ? 2 : 1));
}

/** What a turn is to lead to is of its last action, whichever call said it; what is no action says itself what came of it. */
function foretold(moves: readonly PlannedAction[]): PlannedAction[] {
  const expects = turnExpectation(moves);
  const last = moves.length - 1;
  return moves.map((move, at) =>
    move.kind === 'act' ? { ...move, expects: at === last ? expects : undefined } : move,
  );
}

const isAction = (move: PlannedAction | undefined, name: Action['action']) =>
  move?.kind === 'act' && move.action.action === name;

/** What is done again on the same page leads nowhere; to look, to wait and to end are no deeds. */
function keyOf(moves: readonly PlannedAction[], { seen, tier, frames }: AgentState): string | null {
  const deeds = moves.flatMap((move) => (move.kind === 'act' && !patient.has(move.action.action) ? [move.action] : []));
  if (deeds.length === 0 || !seen) return null;
  const print = tier === 'vision' ? JSON.stringify(frames.at(-1)?.picture.print.map(Math.round)) : '';
  return `${fingerprintOf(seen)}\n${print}\n${JSON.stringify(deeds)}`;
}

const patient: ReadonlySet<Action['action']> = new Set(['wait', 'waitFor', 'goBack']);

/** An answer that was written down as a text, as models do that have no other way, is the value that is wanted where that fits; a file is its id. */
function inForm(move: PlannedAction, { outputSchema, files = [] }: AgentGoal): PlannedAction {
  if (move.kind === 'act' && move.action.action === 'upload')
    return { ...move, action: { ...move.action, file: fileNamed(move.action.file, files) } };
  if (move.kind !== 'done' || outputSchema === null || typeof move.claim.answer !== 'string') return move;
  if (checkValue(outputSchema, move.claim.answer).length === 0) return move;
  const answer = parseJsonObject(move.claim.answer) as Json | null;
  return answer !== null && checkValue(outputSchema, answer).length === 0
    ? { ...move, claim: { ...move.claim, answer } }
    : move;
}

/** Why an answer cannot be the one that is wanted. */
function misfitOf(move: PlannedAction, { outputSchema }: AgentGoal): string | null {
  if (move.kind !== 'done' || outputSchema === null) return null;
  const [first] = checkValue(outputSchema, move.claim.answer);
  return first ? `The answer does not fit: ${first.pointer || 'the whole'} ${first.detail}` : null;
}

/** What is left of the turn is not done. */
export function dropRemainingActions(state: AgentState, why: string): AgentState {
  const left = state.queue.filter((move) => move.kind === 'act').length;
  const now = { ...state, queue: [] };
  return left === 0
    ? now
    : withNote(now, 'page_changed', `${left} more ${left === 1 ? 'action was' : 'actions were'} not done: ${why}`);
}

/** The turn has come to something. @param line what was done, with what came of it */
export function appendActionResult(state: AgentState, line: string): AgentState {
  const last = state.turns.at(-1);
  return last ? { ...state, turns: [...state.turns.slice(0, -1), { ...last, did: [...last.did, line] }] } : state;
}
