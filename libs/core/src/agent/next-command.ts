import { higherTier } from '../model/request-images.ts';
import { resetEscalation, withNote } from './escalation.ts';
import type { AgentCommand, AgentInput, AgentQuestion, AgentState } from './agent-goal.ts';
import { plannedActionTitle } from './agent-protocol.ts';

/* What people are asked, and what follows of their answers. */

/** Most questions to people in one step. */
const MAX_QUESTIONS = 10;

/** Asks a person, if it did not ask too often. */
export const askHuman = (question: AgentQuestion, state: AgentState): AgentCommand =>
  state.asked < MAX_QUESTIONS
    ? { kind: 'ask', question, n: state.asked + 1, reason: reasonOf(question, state) }
    : { kind: 'fail', reason: `It asked a person ${MAX_QUESTIONS} times${lastNoteText(state)}` };

/** A person answered. */
export function applyAnswer(
  state: AgentState,
  { choice, text, by }: Extract<AgentInput, { kind: 'answered' }>,
): AgentState {
  const question = state.phase.kind === 'asking' ? state.phase.question : null;
  const asked = state.asked + 1;
  const highest = higherTier(state.highest, 'human');
  const said = text === null ? '' : `: ${text}`;
  if (choice === 'fail')
    return { ...state, asked, highest, phase: { kind: 'failed', reason: `${by} ended it${said}` } };
  if (question?.kind !== 'confirm') {
    const note = choice === 'continue' ? `A person answered${said || ': go on'}` : `A person does not answer${said}`;
    return {
      ...resetEscalation(withNote(state, 'answer', note, question?.question)),
      asked,
      highest,
      queue: [],
      loops: 0,
      plans: 0,
      phase: { kind: 'look' },
    };
  }
  const { guarded: found } = question;
  if (choice === 'decline') {
    const note = `A person does not allow it (${found.what})${said}. Do something else, or fail`;
    return { ...withNote(state, 'approval_decision', note), asked, highest, queue: [], phase: { kind: 'look' } };
  }
  const trusted = found.origin ? new Set([...state.trusted, found.origin]) : state.trusted;
  const [move] = state.queue;
  const { seen } = state;
  return {
    ...withNote(state, 'approval_decision', `A person allows it (${found.what})${said}`),
    granted: move?.kind === 'act' && seen ? { kind: found.kind, action: move.action, before: seen } : null,
    asked,
    highest,
    trusted,
    allowed: found.what,
    phase: { kind: 'choose' },
  };
}

/** What was noted last, for the end of a sentence. */
export function lastNoteText({ notes }: AgentState): string {
  const last = notes.at(-1);
  return last ? `: ${last.note}` : '';
}

function reasonOf(question: AgentQuestion, { queue, seen }: AgentState): string {
  if (question.kind === 'words') return question.question;
  const [move] = queue;
  const action = move?.kind === 'act' ? ` (${plannedActionTitle(move, seen)})` : '';
  return `The agent wants to ${question.guarded.what}${action} on ${seen?.url ?? 'no page'}`;
}
