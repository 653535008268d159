import { placeToLook } from './guard/drawn.ts';
import { confirms } from './guard/confirms.ts';
import { guardOf, type Guarded, type GoalLimits } from './guard/guard.ts';
import { noted, planAnew } from './ladder.ts';
import type { Drawn } from './move.ts';
import type { State } from './state.ts';

/* Whether the next move may be done: by the page, by a look at what is drawn, by a person. */

/** What the agent may do by itself now. */
export const goalLimits = ({ goal, home, trusted, secretDocuments }: State): GoalLimits => ({
  ...goal.limits,
  home,
  trusted,
  secretDocuments,
});

/** Does what takes nothing but a word; before the next move asks a person, or for a look at what is drawn, where it needs one. */
export function guarded(state: State): State {
  const [move, ...rest] = state.queue;
  if (move?.kind === 'store') return guarded({ ...noted(state, 'stored', `${move.key}: ${move.value}`), queue: rest });
  if (move?.kind === 'replan') return planAnew(noted(state, 'problem', move.reason), move.reason);
  if (move?.kind !== 'act' || !state.seen || state.allowed !== null || move.allowed) return state;
  const limits = goalLimits(state);
  const found = guardOf(move.action, state.seen, limits, move);
  if (found && state.granted && confirms(move.action, found, state.seen, state.granted)) {
    const told = noted(state, 'decision', `It confirms what a person allowed: ${found.what}`);
    return { ...told, granted: null, queue: [{ ...move, allowed: true }, ...rest] };
  }
  if (found) return confirm(state, found);
  const place = move.drawn ? null : placeToLook(move.action, state.seen, limits);
  return place ? { ...state, phase: { kind: 'examine', place } } : state;
}

/** Somebody looked at what is drawn. @param drawn null: nobody could say */
export function examined(state: State, drawn: Drawn | null): State {
  const [move, ...rest] = state.queue;
  if (move?.kind !== 'act') return state;
  if (!drawn) return confirm(state, { kind: 'drawn', what: 'use what is drawn, and no model says what it is' });
  const told = noted(state, 'seen', `Looked at apart it is: ${drawn.what || 'nothing'} (${drawn.kind})`);
  return guarded({ ...told, queue: [{ ...move, drawn }, ...rest], phase: { kind: 'choose' } });
}

export function confirm(state: State, found: Guarded): State {
  const told = noted(state, 'guarded', `A person has to allow it: ${found.what} (${found.kind})`);
  return { ...told, phase: { kind: 'asking', question: { kind: 'confirm', guarded: found } } };
}
