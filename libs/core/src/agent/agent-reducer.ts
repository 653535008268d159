import { assertNever, type Json } from '@pilothouse/contract/primitives.schema';
import { applyActionResult } from './action-result.ts';
import type { AgentInput } from './agent-protocol.ts';
import { appendNote, isEnded, observing, withNote, type AgentState } from './agent-state.ts';
import { applyCanvasTarget } from './approval/approval.ts';
import { applyModelReplan, applyVisionUnavailable, recordFailure } from './escalation.ts';
import { applyHumanAnswer } from './agent-questions.ts';
import { applyModelAnswer, countAnswer, startTurn } from './model-turn.ts';
import { applyObservation, escalateIfNeeded } from './observation-input.ts';
import { afterAnchorWait, applyTurnVerdict } from './turn-verification.ts';

/* The agent as a pure function: state and input in, next state out. It does no I/O and reads no clock. */

type InputOf<Kind extends AgentInput['kind']> = Extract<AgentInput, { kind: Kind }>;

const reducers: {
  readonly [Kind in AgentInput['kind']]: (state: AgentState, input: InputOf<Kind>) => AgentState;
} = {
  observed: applyObservation,
  located: (state, { anchors }) => afterAnchorWait(state, anchors),
  modelAnswered: applyAnswer,
  modelFailed: (state, { reason, isUnreadable }) => {
    if (state.phase.kind !== 'thinking') return state;
    const turn = startTurn(state, '');
    return recordFailure(isUnreadable ? countAnswer(turn, 'same-dialect') : turn, 'problem', reason);
  },
  visionUnavailable: (state, { reason }) => applyVisionUnavailable(state, reason),
  screenshotDescribed: (state, { description }) =>
    state.phase.kind === 'describingScreenshot'
      ? { ...withNote(state, 'screenshot_described', description), phase: observing() }
      : state,
  replanned: (state, { replan }) => (state.phase.kind === 'replanning' ? applyModelReplan(state, replan) : state),
  canvasIdentified: (state, { target }) => applyCanvasTarget(state, target),
  acted: applyActionResult,
  claimChecked: applyClaimVerdict,
  turnVerified: (state, { verdict }) => applyTurnVerdict(state, verdict),
  humanAnswered: applyHumanAnswer,
  manualControlEnded: afterManualControl,
};

/** State after an input. An input that the phase does not wait for changes nothing, except observations and manual control. */
export function reduce(state: AgentState, input: AgentInput): AgentState {
  if (isEnded(state)) return state;
  const reducer = reducers[input.kind] as (state: AgentState, input: AgentInput) => AgentState;
  return reducer(state, input);
}

function applyAnswer(state: AgentState, { answer, isLate, isCached }: InputOf<'modelAnswered'>): AgentState {
  if (state.phase.kind !== 'thinking') return state;
  const next = applyModelAnswer(state, answer, isLate);
  // Cached actions use no tier.
  return isCached ? { ...next, escalation: { ...next.escalation, highest: state.escalation.highest } } : next;
}

function applyClaimVerdict(state: AgentState, { verdict }: InputOf<'claimChecked'>): AgentState {
  const { phase } = state;
  if (phase.kind !== 'checkingClaim' && phase.kind !== 'verifyingClaim') return state;
  const { claim } = phase;
  if (verdict.result === 'met')
    return {
      ...appendNote(state, {
        ...{ kind: 'verified', turn: state.counters.turns, isGoalMet: true },
        note: `Verified by ${verdict.verifiedBy}`,
      }),
      phase: { kind: 'done', answer: emptyToNull(claim.answer) },
    };
  if (phase.kind === 'checkingClaim' && phase.isEarly)
    return escalateIfNeeded({ ...state, phase: { kind: 'thinking' } }, false);
  switch (verdict.result) {
    case 'undecided':
      return { ...state, phase: { kind: 'verifyingClaim', claim, detail: verdict.detail } };
    case 'not-met': {
      const note = `The goal is not met yet: ${verdict.detail}`;
      // A model that rejected the claim saw more than the page's text.
      const lastRejectedClaim = phase.kind === 'verifyingClaim' ? null : claim;
      return recordFailure({ ...state, lastRejectedClaim }, 'unverified', note);
    }
    default:
      return assertNever(verdict);
  }
}

const emptyToNull = (answer: Json): Json => (answer === '' ? null : answer);

/** Manual actions that a note lists: the last ones. */
const MAX_MANUAL_ACTIONS = 20;

/** Drops the turn and all approvals, because the page may have changed. */
function afterManualControl(state: AgentState, { actor, actions }: InputOf<'manualControlEnded'>): AgentState {
  const note = `${actor} had control and ${describeManualActions(actions)}. The page may have changed.`;
  return {
    ...withNote(state, 'page_changed', note),
    counters: { ...state.counters, succeededActions: state.counters.succeededActions + actions.length },
    ...(actions.length > 0 && { page: { ...state.page, effect: { kind: 'change' } } }),
    escalation: { ...state.escalation, repeats: 0 },
    lastApproval: null,
    phase: observing(),
  };
}

function describeManualActions(actions: readonly string[]): string {
  if (actions.length === 0) return 'did no action';
  const omitted = actions.length - MAX_MANUAL_ACTIONS;
  const prefix = omitted > 0 ? `${omitted} earlier actions; ` : '';
  return `did: ${prefix}${actions.slice(-MAX_MANUAL_ACTIONS).join('; ')}`;
}
