import { higherTier } from '../model/request-images.ts';
import { type AgentCommand, type AgentInput, type AgentQuestion } from './agent-protocol.ts';
import { plannedActionTitle } from './planned-action.ts';
import { observing, withNote, type AgentPhase, type AgentState } from './agent-state.ts';
import { approveNext, missingApproval, requestApproval } from './approval/approval.ts';
import { resetEscalation } from './escalation.ts';

/* Questions to people, and the effects of their answers. */

/** Questions to people in one step. */
const MAX_QUESTIONS = 10;

type Answer = Extract<AgentInput, { kind: 'humanAnswered' }>;
type ApprovalPhase = Extract<AgentPhase, { kind: 'awaitingApproval' }>;

export const humanQuestionCommand = (question: AgentQuestion, state: AgentState): AgentCommand =>
  state.counters.questions < MAX_QUESTIONS
    ? {
        kind: 'askHuman',
        question,
        number: state.counters.questions + 1,
        reason: questionReason(question, state),
      }
    : { kind: 'fail', reason: `Question limit reached (${MAX_QUESTIONS})${lastNoteSuffix(state)}` };

export function applyHumanAnswer(state: AgentState, answer: Answer): AgentState {
  const approval = pendingApproval(state);
  if (!approval && state.phase.kind !== 'awaitingHuman') return state;
  const { choice, actor } = answer;
  const updated: AgentState = {
    ...state,
    counters: { ...state.counters, questions: state.counters.questions + 1 },
    escalation: { ...state.escalation, highest: higherTier(state.escalation.highest, 'human') },
  };
  if (choice === 'fail')
    return { ...updated, phase: { kind: 'failed', reason: `${actor} failed the step${textSuffix(answer)}` } };
  return approval ? applyApprovalAnswer(updated, approval, answer) : applyTextAnswer(updated, answer);
}

/** Approval that the agent waits for. In `acting` this is the one that the page needs since it changed. */
export function pendingApproval(state: AgentState): ApprovalPhase | null {
  const { phase, page } = state;
  if (phase.kind === 'awaitingApproval') return phase;
  if (phase.kind !== 'acting' || !page.current) return null;
  const [next] = phase.turn.actions;
  const request = next?.kind === 'act' ? missingApproval(state, next) : null;
  return request && { kind: 'awaitingApproval', turn: phase.turn, request, page: page.current };
}

function applyTextAnswer(state: AgentState, answer: Answer): AgentState {
  const { phase } = state;
  const text = textSuffix(answer);
  const note =
    answer.choice === 'continue' ? `A person answered${text || ': continue'}` : `A person declined to answer${text}`;
  const withAnswer = withNote(state, 'answer', note, phase.kind === 'awaitingHuman' ? phase.question : undefined);
  const afterReset = resetEscalation(withAnswer);
  return { ...afterReset, escalation: { ...afterReset.escalation, repeats: 0, replans: 0 }, phase: observing() };
}

function applyApprovalAnswer(state: AgentState, { turn, request, page }: ApprovalPhase, answer: Answer): AgentState {
  const text = textSuffix(answer);
  if (answer.choice === 'decline') {
    const note = `A person declined it (${request.description})${text}. Do something else, or call fail.`;
    return { ...withNote(state, 'approval_decision', note), phase: observing() };
  }
  // The question came from `nextCommand`: the page changed after the approval was decided. Which page the person saw is unknown.
  if (state.phase.kind !== 'awaitingApproval') return requestApproval(state, turn, request);
  const { origins } = state;
  const trusted = request.origin ? new Set([...origins.trusted, request.origin]) : origins.trusted;
  const [next] = turn.actions;
  return {
    ...withNote(state, 'approval_decision', `A person approved it (${request.description})${text}`),
    origins: { ...origins, trusted },
    lastApproval: next?.kind === 'act' ? { effect: request.kind, action: next.action, page } : null,
    phase: { kind: 'acting', turn: approveNext(turn, request, page, 'human') },
  };
}

const textSuffix = ({ text }: Answer): string => (text === null ? '' : `: ${text}`);

/** The last note, as the end of a sentence. */
export function lastNoteSuffix({ history: { notes } }: AgentState): string {
  const lastNote = notes.at(-1);
  return lastNote ? `: ${lastNote.note}` : '';
}

function questionReason(question: AgentQuestion, state: AgentState): string {
  if (question.kind === 'text') return question.question;
  const { current } = state.page;
  const [next] = pendingApproval(state)?.turn.actions ?? [];
  const action = next?.kind === 'act' ? ` (${plannedActionTitle(next, current)})` : '';
  return `The agent wants to ${question.request.description}${action} on ${current?.url ?? 'no page'}`;
}
