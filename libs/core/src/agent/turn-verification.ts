import type { Expectation, Observation } from '@pilothouse/contract';
import type { Anchors } from '../ports/surface.port.ts';
import { creditTurn, recordUnverified, recordFailure, canVerifyTurnByScreenshot, withNote } from './escalation.ts';
import { isSameExceptFocus } from './page-queries.ts';
import type { AgentState } from './agent-goal.ts';
import {
  describeExpectation,
  isAtAnchor,
  isEmptyExpectation,
  metExpectation,
  unmetExpectation,
  type GoalVerdict,
} from './goal-verification.ts';

/*
 * A turn is verified against what its author expects of it, cheapest first: where the surface is, what is in view, the text of the whole
 * page, and a model only where these do not decide. That an expectation is wrong is weak evidence, that the page is another is strong: it is
 * a failure where the turn changed nothing, or was to lead to another place and did not; else it is told, and no more.
 */

/** The actions of a turn are done. @param where the surface is now; null: it did not say */
export function startWaiting(
  state: AgentState,
  { anchor, indicators }: Expectation,
  where: Anchors | null,
): AgentState {
  const isElsewhere = anchor !== null && where !== null && !isAtAnchor(anchor, where);
  return {
    ...state,
    expects: { anchor, indicators, waited: false },
    // Anchors it is tells without the list that there is something to wait for.
    phase: isElsewhere ? { kind: 'await', level: 'anchors' } : { kind: 'look' },
  };
}

/** The place was waited for: where it did not come, nothing else is waited for. */
export const afterAnchorWait = (state: AgentState, where: Anchors): AgentState => ({
  ...state,
  expects: state.expects && { ...state.expects, waited: unmetExpectation(state.expects, where).anchor !== null },
  phase: { kind: 'look' },
});

/** What the page says of the last turn, whose actions are done. @param seen the page, just looked at */
export function verifyTurn(state: AgentState, seen: Observation): AgentState {
  const { expects } = state;
  if (!expects) return state;
  const unmet = unmetExpectation(expects, seen);
  if (isEmptyExpectation(unmet)) return held(state, expects);
  if (expects.waited) return unexpected(state, expects, unmet, seen);
  return { ...state, phase: { kind: 'await', level: unmet.indicators.length > 0 ? 'page' : 'anchors' } };
}

/** All of it is to be seen. */
function held(state: AgentState, expects: Expectation): AgentState {
  const fresh = sinceTurn(expects, state);
  const note = {
    kind: 'verified',
    turn: state.turn,
    note: `As expected ${describeExpectation(fresh)}`,
    held: fresh,
  } as const;
  return settled(isEmptyExpectation(fresh) ? state : { ...state, notes: [...state.notes, note] });
}

function unexpected(state: AgentState, expects: Expectation, unmet: Expectation, seen: Observation): AgentState {
  const before = state.earlier.at(-1);
  const isSame = before !== undefined && isSameExceptFocus(before, seen);
  const isHere = before !== undefined && before.url === seen.url && before.title === seen.title;
  const note = `Expected that ${describeExpectation(unmet)}, but ${isSame ? 'nothing changed' : isHere ? 'it is where it was' : `it is on “${seen.title}”`}`;
  if (isSame) return recordFailure(state, 'problem', note);
  const isUndecided =
    isHere && unmet.anchor !== null && isEmptyExpectation(sinceTurn(metExpectation(expects, seen), state));
  if (!isUndecided) return settled(withNote(state, 'page_changed', note));
  return canVerifyTurnByScreenshot(state)
    ? { ...state, phase: { kind: 'judge', detail: note } }
    : recordUnverified(state, note);
}

/** A model said whether the turn did what it was to do. */
export function applyTurnVerdict(state: AgentState, verdict: GoalVerdict): AgentState {
  const detail = state.phase.kind === 'judge' ? state.phase.detail : '';
  if (verdict.result === 'met')
    return settled({ ...withNote(state, 'verified', `${detail}; by the pictures it worked`), phase: { kind: 'look' } });
  return recordUnverified(
    state,
    verdict.result === 'not-met' ? `${detail}; by the pictures: ${verdict.detail}` : detail,
  );
}

/** Nobody asks any more what the turn was to lead to. */
const settled = (state: AgentState): AgentState => ({ ...creditTurn(state), expects: null });

/** What was not so on the page that the turn was thought about. */
function sinceTurn(expects: Expectation, { earlier }: AgentState): Expectation {
  const before = earlier.at(-1);
  return before ? unmetExpectation(expects, before) : expects;
}
