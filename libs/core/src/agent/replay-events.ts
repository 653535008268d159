import type { AgentEvent } from '@pilothouse/contract';
import { appendNote, type AgentState, type AgentTurn } from './agent-state.ts';
import { appendActionResult } from './model-turn.ts';

/** State of an agent that takes over after a lost worker, rebuilt from events. The page is unknown: the browser is another one. */
export function replayEvents(initial: AgentState, events: readonly AgentEvent[]): AgentState {
  if (events.length === 0) return initial;
  const { state, startedTitle } = events.reduce(applyEvent, { state: initial, startedTitle: null } as ReplayedState);
  const marked =
    startedTitle === null ? state : appendActionResult(state, `${startedTitle} (it is not known if it was done)`);
  const note =
    'The browser was lost after this. The page is as it was when the goal began, or the run was last safe; what was done on the site before stays done';
  return appendNote(marked, { kind: 'page_changed', turn: marked.counters.turns, note });
}

interface ReplayedState {
  readonly state: AgentState;
  /** Title of a started action without a result. */
  readonly startedTitle: string | null;
}

function applyEvent({ state, startedTitle }: ReplayedState, event: AgentEvent): ReplayedState {
  switch (event.type) {
    case 'agent.turn': {
      const { turn: number, thought, page, subGoals = state.plan.subGoals } = event.data;
      const turn: AgentTurn = { number, pageTitle: page ? page.title || page.url : '', thought, results: [] };
      const history = { ...state.history, turns: [...state.history.turns, turn] };
      const counters = { ...state.counters, turns: number };
      return { startedTitle, state: { ...state, history, counters, plan: { ...state.plan, subGoals } } };
    }
    case 'agent.action_started':
      return { state, startedTitle: event.data.title };
    case 'agent.action_completed': {
      const { error } = event.data;
      const line = error ? `${startedTitle}: ${error.message}` : startedTitle;
      const replayed = line === null || startedTitle === null ? state : appendActionResult(state, line);
      const counters = { ...replayed.counters, actions: replayed.counters.actions + 1 };
      return { startedTitle: null, state: { ...replayed, counters } };
    }
    case 'agent.note': {
      const { kind, turn, note } = event.data;
      return { startedTitle, state: appendNote(state, { kind, turn, note }) };
    }
  }
}
