import { higherTier } from '../model/request-images.ts';
import type { ReplanDecision } from './planned-action.ts';
import { observing, turnOf, withNote, type AgentNoteKind, type AgentState } from './agent-state.ts';
import {
  afterProgress,
  escalate,
  MAX_REPLANS,
  withoutVision,
  withVision,
  type EscalationReason,
} from './escalation-tiers.ts';
import { fingerprintOf } from './page-queries.ts';

/* Effects of an escalation on the state: notes, the next phase, plans and questions. */

/** Wait of a supervisor that names no time. */
const DEFAULT_WAIT_SECONDS = 10;

/** Counts a failure and moves to the next tier if it is due. @param note null: noted before */
export function recordFailure(
  state: AgentState,
  kind: AgentNoteKind,
  note: string | null,
  reason: EscalationReason = 'failure',
): AgentState {
  const withReason = note === null ? state : withNote(state, kind, note);
  const { next, escalation } = escalate(state.escalation, reason);
  const afterFailure: AgentState = { ...withReason, escalation, phase: observing() };
  switch (next) {
    case 'replan':
      return requestReplan(afterFailure, note ?? lastNoteText(afterFailure));
    case 'vision':
      return escalateToVision(
        afterFailure,
        reason === 'repeat' ? 'repeating the action changed nothing' : `${escalation.failures} failures in a row`,
      );
    default:
      return afterFailure;
  }
}

/** Takes a screenshot before the next model call. */
export const escalateToVision = (state: AgentState, reason: string): AgentState => ({
  ...withNote(state, 'escalated', `Switched to screenshots: ${reason}`),
  escalation: withVision(state.escalation),
  phase: observing(),
});

/** Goes back to the cheapest tier after progress. */
export const resetEscalation = (state: AgentState): AgentState => ({
  ...state,
  escalation: afterProgress(state.escalation),
});

/** Resets the escalation if the turn acted and the page differs from the one that the turn was decided on. */
export function creditTurn(state: AgentState, hasActed: boolean): AgentState {
  const { current, previous } = state.page;
  const turnPage = previous.at(-1);
  const isChanged = turnPage && current && fingerprintOf(turnPage) !== fingerprintOf(current);
  return hasActed && isChanged ? resetEscalation(state) : state;
}

/** Continues with the element list, because no model can see screenshots. */
export const applyVisionUnavailable = (state: AgentState, reason: string): AgentState => ({
  ...withNote(state, 'problem', `Screenshots are not available: ${reason}`),
  escalation: withoutVision(state.escalation),
  phase: observing(),
});

/** Unreadable answers after which a goal without a readable one fails. Neither a plan nor a person can help. */
const MIN_UNREADABLE_ANSWERS = 2;

/** Asks the supervisor for another plan, and a person after `MAX_REPLANS` plans. Fails if no answer of the goal was readable. */
export function requestReplan(state: AgentState, reason: string): AgentState {
  const { readable, unreadable } = state.answers;
  if (readable === 0 && unreadable >= MIN_UNREADABLE_ANSWERS) return failUnreadable(state, reason);
  return state.escalation.replans < MAX_REPLANS
    ? { ...state, phase: { kind: 'replanning', reason } }
    : requestHelp(state, reason);
}

function failUnreadable(state: AgentState, reason: string): AgentState {
  const problem = state.history.notes.findLast(({ kind }) => kind === 'problem')?.note ?? reason;
  const text = `No answer of the model was usable (${state.answers.unreadable} answers). Last problem: ${problem}. Set the dialect of the model in PILOTHOUSE_MODEL_OVERRIDES, e.g. {"vllm/*": {"dialect": "aura"}}, or use another model. \`pilothouse models check\` shows what it can do`;
  return { ...state, phase: { kind: 'failed', reason: text, code: 'MODEL_INVALID' } };
}

function requestHelp(state: AgentState, reason: string): AgentState {
  const question = `The agent is stuck. ${reason}`;
  return { ...withNote(state, 'human_asked', question), phase: { kind: 'awaitingHuman', question } };
}

/** Follows the plan of a supervisor, or of a rule. */
export function applyReplan(state: AgentState, { decision, why, plan, seconds }: ReplanDecision): AgentState {
  const updated: AgentState = {
    ...state,
    escalation: { ...state.escalation, replans: state.escalation.replans + 1 },
  };
  if (decision === 'ask') return requestHelp(updated, why);
  if (decision === 'abort')
    return { ...withNote(updated, 'replanned', `abort: ${why}`), phase: { kind: 'failed', reason: why } };
  const text = plan.trim();
  const withReason = withNote(updated, 'replanned', `${decision}: ${why}${text ? `. New plan: ${text}` : ''}`);
  const { history } = withReason;
  return {
    ...withReason,
    escalation: { ...afterProgress(withReason.escalation), repeats: 0 },
    plan: { ...state.plan, text: text || state.plan.text },
    // The same actions may be tried again.
    ...((decision === 'retry' || decision === 'wait') && { history: { ...history, attempted: new Set<string>() } }),
    phase:
      decision === 'wait'
        ? {
            kind: 'acting',
            turn: turnOf([{ kind: 'act', action: { action: 'wait', seconds: seconds ?? DEFAULT_WAIT_SECONDS } }]),
          }
        : observing(),
  };
}

/** Counts the plan of a model as a tier. */
export const applyModelReplan = (state: AgentState, decision: ReplanDecision): AgentState =>
  applyReplan(
    { ...state, escalation: { ...state.escalation, highest: higherTier(state.escalation.highest, 'replan') } },
    decision,
  );

/** Changes the plan without a model, because no page of the run allows the turn. @param plan what to do instead */
export function replanByRule(state: AgentState, reason: string, plan: string): AgentState {
  const withReason = withNote(state, 'problem', reason);
  return withReason.escalation.replans < MAX_REPLANS
    ? applyReplan(withReason, { decision: 'replan', why: 'by rule', plan })
    : requestHelp(withReason, reason);
}

function lastNoteText({ history: { notes } }: AgentState): string {
  return notes.at(-1)?.note ?? 'No progress';
}
