import type { AgentEvent } from '@pilothouse/contract';
import type { AgentState, AgentTurn } from './agent-goal.ts';

/**
 * Where an agent begins that takes a goal over: what the former one thought, did and was told, folded from its events. The page is another one,
 * so of that nothing is known.
 */
export function replayEvents(start: AgentState, events: readonly AgentEvent[]): AgentState {
  if (events.length === 0) return start;
  const { state, begun } = events.reduce(one, { state: start, begun: null } as Folded);
  const told = begun === null ? state : withLine(state, `${begun} (it is not known if it was done)`);
  const note =
    'The browser was lost after this. The page is as it was when the goal began, or the run was last safe; what was done on the site before stays done';
  return { ...told, notes: [...told.notes, { kind: 'page_changed', turn: told.turn, note }] };
}

/** @property begun title of an action whose outcome is not known yet */
interface Folded {
  readonly state: AgentState;
  readonly begun: string | null;
}

function one({ state, begun }: Folded, event: AgentEvent): Folded {
  switch (event.type) {
    case 'agent.turn': {
      const { turn: number, thought, page, subGoals = state.subGoals } = event.data;
      const turn: AgentTurn = { number, where: page ? page.title || page.url : '', thought, did: [] };
      return { begun, state: { ...state, subGoals, turn: number, turns: [...state.turns, turn] } };
    }
    case 'agent.action_started':
      return { state, begun: event.data.title };
    case 'agent.action_completed': {
      const { error } = event.data;
      const now = begun === null ? state : withLine(state, error ? `${begun}: ${error.message}` : begun);
      return { begun: null, state: { ...now, actions: state.actions + 1 } };
    }
    case 'agent.note': {
      const { kind, turn, note } = event.data;
      return { begun, state: { ...state, notes: [...state.notes, { kind, turn, note }] } };
    }
  }
}

function withLine(state: AgentState, line: string): AgentState {
  const last = state.turns.at(-1);
  return last ? { ...state, turns: [...state.turns.slice(0, -1), { ...last, did: [...last.did, line] }] } : state;
}
