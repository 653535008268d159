import { canvasPointToIdentify } from './canvas-effects.ts';
import { confirms } from './confirmation-texts.ts';
import { requiredApproval, type ApprovalNeeded, type ApprovalPolicy } from './approval-policy.ts';
import { withNote, requestReplan } from '../escalation.ts';
import type { CanvasTarget } from '../agent-protocol.ts';
import type { AgentState } from '../agent-goal.ts';

/* Whether the next move may be done: by the page, by a look at what is drawn, by a person. */

/** What the agent may do by itself now. */
export const approvalPolicyOf = ({ goal, home, trusted, secretDocuments }: AgentState): ApprovalPolicy => ({
  ...goal.limits,
  home,
  trusted,
  secretDocuments,
});

/** Does what takes nothing but a word; before the next move asks a person, or for a look at what is drawn, where it needs one. */
export function gateNextAction(state: AgentState): AgentState {
  const [move, ...rest] = state.queue;
  if (move?.kind === 'store')
    return gateNextAction({ ...withNote(state, 'data_stored', `${move.key}: ${move.value}`), queue: rest });
  if (move?.kind === 'replan') return requestReplan(withNote(state, 'problem', move.reason), move.reason);
  if (move?.kind !== 'act' || !state.seen || state.allowed !== null || move.allowed) return state;
  const limits = approvalPolicyOf(state);
  const found = requiredApproval(move.action, state.seen, limits, move);
  if (found && state.granted && confirms(move.action, found, state.seen, state.granted)) {
    const told = withNote(state, 'approval_decision', `It confirms what a person allowed: ${found.what}`);
    return { ...told, granted: null, queue: [{ ...move, allowed: true }, ...rest] };
  }
  if (found) return requestApproval(state, found);
  const place = move.drawn ? null : canvasPointToIdentify(move.action, state.seen, limits);
  return place ? { ...state, phase: { kind: 'examine', place } } : state;
}

/** Somebody looked at what is drawn. @param drawn null: nobody could say */
export function applyCanvasTarget(state: AgentState, drawn: CanvasTarget | null): AgentState {
  const [move, ...rest] = state.queue;
  if (move?.kind !== 'act') return state;
  if (!drawn)
    return requestApproval(state, { kind: 'canvas', what: 'use what is drawn, and no model says what it is' });
  const told = withNote(
    state,
    'screenshot_described',
    `Looked at apart it is: ${drawn.what || 'nothing'} (${drawn.kind})`,
  );
  return gateNextAction({ ...told, queue: [{ ...move, drawn }, ...rest], phase: { kind: 'choose' } });
}

export function requestApproval(state: AgentState, found: ApprovalNeeded): AgentState {
  const told = withNote(state, 'approval_needed', `A person has to allow it: ${found.what} (${found.kind})`);
  return { ...told, phase: { kind: 'asking', question: { kind: 'confirm', guarded: found } } };
}
