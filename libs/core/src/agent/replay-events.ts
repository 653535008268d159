import type { AgentEvent } from '@pilothouse/contract/events/agent.events';
import { appendNote, type AgentState, type AgentTurn } from './agent-state.ts';
import { appendActionResult } from './model-turn.ts';

/** Rebuilds the state of an agent from events after a lost worker. The page is unknown: the browser is new. */
export function replayEvents(initial: AgentState, events: readonly AgentEvent[]): AgentState {
  if (events.length === 0) return initial;
  const { state, startedTitle } = events.reduce(applyEvent, { state: initial, startedTitle: null } as ReplayedState);
  const marked = startedTitle === null ? state : appendActionResult(state, `${startedTitle} (unknown result)`);
  const note =
    'The browser was lost here and restored to the last safe point. Changes already made on the site remain.';
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
      const { actions, succeededActions } = replayed.counters;
      const counters = {
        ...replayed.counters,
        actions: actions + 1,
        succeededActions: succeededActions + (error ? 0 : 1),
      };
      return { startedTitle: null, state: { ...replayed, counters } };
    }
    case 'agent.note': {
      const { kind, turn, note } = event.data;
      return { startedTitle, state: appendNote(state, { kind, turn, note }) };
    }
  }
}
