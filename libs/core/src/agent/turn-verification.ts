import type { Expectation } from '@pilothouse/contract/agent/agent.schema';
import type { Observation } from '@pilothouse/contract/observation/observation.schema';
import type { Anchors } from '../ports/surface.port.ts';
import {
  appendNote,
  finishedTurn,
  observing,
  withNote,
  type AgentNote,
  type AgentState,
  type PendingExpectation,
} from './agent-state.ts';
import { creditTurn, recordFailure } from './escalation.ts';
import { canVerifyTurnByScreenshot } from './escalation-tiers.ts';
import { isSameExceptFocus } from './page-queries.ts';
import {
  describeExpectation,
  isAtAnchor,
  isEmptyExpectation,
  shownExpectation,
  unmetExpectation,
  type GoalVerdict,
} from './goal-verification.ts';

/*
 * Verifies a finished turn against its expected result, cheapest first. Order: URL and title, elements in view, text of
 * the whole page, and a model only if these do not decide. A wrong expectation is weak evidence, a changed page is
 * strong evidence. The turn failed if it changed nothing, or if an expected anchor did not appear. Otherwise
 * the difference becomes a note.
 */

/** The actions of a turn are done. @param anchors URL and title now; null: unknown */
export function startWaiting(
  state: AgentState,
  { anchor, indicators }: Expectation,
  anchors: Anchors | null,
): AgentState {
  const isOnOtherPage = anchor !== null && anchors !== null && !isAtAnchor(anchor, anchors);
  const expectation = { anchor, indicators, hasWaited: false };
  // URL and title show, without the element list, that the page is still loading.
  return {
    ...state,
    phase: isOnOtherPage ? { kind: 'waiting', depth: 'anchors', expectation } : observing(finishedTurn(expectation)),
  };
}

/** Observes the page after the wait for the expected anchor. If the anchor did not appear, nothing else is waited for. */
export function afterAnchorWait(state: AgentState, anchors: Anchors): AgentState {
  if (state.phase.kind !== 'waiting') return state;
  const { expectation } = state.phase;
  const waited = unmetExpectation(expectation, anchors).anchor !== null;
  return { ...state, phase: observing(finishedTurn({ ...expectation, hasWaited: waited })) };
}

/** Compares the expected result of the finished turn with the page. */
export function verifyTurn(state: AgentState, expectation: PendingExpectation, page: Observation): AgentState {
  const unmet = unmetExpectation(expectation, page);
  if (isEmptyExpectation(unmet)) return acceptVerifiedTurn(state, expectation);
  if (expectation.hasWaited) return judgeUnmetExpectation(state, expectation, unmet, page);
  const depth = unmet.indicators.length > 0 ? 'page' : 'anchors';
  return { ...state, phase: { kind: 'waiting', depth, expectation } };
}

function acceptVerifiedTurn(state: AgentState, expectation: Expectation): AgentState {
  const newlyMet = unmetBeforeTurn(expectation, state);
  const note: AgentNote = {
    kind: 'verified',
    turn: state.counters.turns,
    note: `As expected: ${describeExpectation(newlyMet)}`,
    newlyMet,
  };
  return endVerification(isEmptyExpectation(newlyMet) ? state : appendNote(state, note));
}

function judgeUnmetExpectation(
  state: AgentState,
  expectation: Expectation,
  unmet: Expectation,
  page: Observation,
): AgentState {
  const previousPage = state.page.previous.at(-1);
  const isUnchanged = previousPage !== undefined && isSameExceptFocus(previousPage, page);
  const isSameLocation =
    previousPage !== undefined && previousPage.url === page.url && previousPage.title === page.title;
  const note = `Expected ${describeExpectation(unmet)}; instead ${isUnchanged ? 'nothing changed' : isSameLocation ? 'title and address did not change' : `the page is “${page.title}”`}`;
  if (isUnchanged) return recordFailure(state, 'problem', note);
  const isUndecided =
    isSameLocation &&
    unmet.anchor !== null &&
    isEmptyExpectation(unmetBeforeTurn(shownExpectation(expectation, page), state));
  if (!isUndecided) return endVerification(withNote(state, 'page_changed', note));
  return canVerifyTurnByScreenshot(state.escalation)
    ? { ...state, phase: { kind: 'verifyingTurn', expectation, detail: note } }
    : recordFailure(state, 'problem', note, 'unverified');
}

/** Applies the verdict of a model about the turn. */
export function applyTurnVerdict(state: AgentState, verdict: GoalVerdict): AgentState {
  if (state.phase.kind !== 'verifyingTurn') return state;
  const { detail } = state.phase;
  if (verdict.result === 'met')
    return {
      ...endVerification(withNote(state, 'verified', `${detail}; the screenshots show that it worked`)),
      phase: observing(finishedTurn(null)),
    };
  const note = verdict.result === 'not-met' ? `${detail}; screenshots: ${verdict.detail}` : detail;
  return recordFailure(state, 'problem', note, 'unverified');
}

const endVerification = (state: AgentState): AgentState => ({
  ...creditTurn(state, true),
  phase: { kind: 'thinking' },
});

/** Part of an expectation that was not met on the page that the turn was decided on. */
function unmetBeforeTurn(expectation: Expectation, { page: { previous } }: AgentState): Expectation {
  const turnPage = previous.at(-1);
  return turnPage ? unmetExpectation(expectation, turnPage) : expectation;
}
