import type { AgentEvent } from '@pilothouse/contract';
import type { State, Turn } from './state.ts';

/**
 * Where an agent begins that takes a goal over: what the former one thought, did and was told, folded from its events. The page is another one,
 * so of that nothing is known.
 */
export function recall(start: State, events: readonly AgentEvent[]): State {
  if (events.length === 0) return start;
  const told = events.reduce(one, start);
  const note =
    'The browser was lost after this. The page is as it was when the goal began, or the run was last safe; what was done on the site before stays done';
  return { ...told, notes: [...told.notes, { what: 'changed', turn: told.turn, note }] };
}

function one(state: State, event: AgentEvent): State {
  switch (event.type) {
    case 'agent.thought': {
      const { turn: number, thought, page, subGoals = state.subGoals } = event.data;
      const turn: Turn = { number, where: page ? page.title || page.url : '', thought, did: [] };
      return { ...state, subGoals, turn: number, turns: [...state.turns, turn] };
    }
    case 'agent.acting':
      return withLine(state, (did) => [...did, `${event.data.title} (nobody knows whether it happened)`]);
    case 'agent.acted': {
      const { error } = event.data;
      const sure = (line: string) =>
        line.replace(/ \(nobody knows whether it happened\)$/, error ? `: ${error.message}` : '');
      const now = withLine(state, (did) => did.map((line, index) => (index === did.length - 1 ? sure(line) : line)));
      return { ...now, actions: state.actions + 1 };
    }
    case 'agent.noted': {
      const { what, turn, note } = event.data;
      return { ...state, notes: [...state.notes, { what, turn, note }] };
    }
  }
}

function withLine(state: State, change: (did: readonly string[]) => string[]): State {
  const last = state.turns.at(-1);
  return last ? { ...state, turns: [...state.turns.slice(0, -1), { ...last, did: change(last.did) }] } : state;
}
