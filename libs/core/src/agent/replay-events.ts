import type { AgentEvent } from '@pilothouse/contract/events/agent.events';
import type { NativeRecord } from '@pilothouse/contract/model/native-turn.schema';
import { appendNote, appendOutcome, type AgentNoteKind, type AgentState, type AgentTurn } from './agent-state.ts';
import { appendActionResult } from './model-turn.ts';
import { resultLine } from './result-line.ts';

/** Rebuilds the state of an agent from events after a lost worker. The page is unknown: the browser is new. */
export function replayEvents(initial: AgentState, events: readonly AgentEvent[]): AgentState {
  if (events.length === 0) return initial;
  const { state, started } = events.reduce(applyEvent, { state: initial, started: null } as ReplayedState);
  const marked = started === null ? state : appendActionResult(state, `${started.title} (unknown result)`);
  const note =
    'The browser was lost here and restored to the last safe point. Changes already made on the site remain.';
  return appendNote(marked, { kind: 'page_changed', turn: marked.counters.turns, note });
}

interface ReplayedState {
  readonly state: AgentState;
  /** A started action without a result. @property call index of its call of a computer tool */
  readonly started: { readonly title: string; readonly call: number | undefined } | null;
}

function applyEvent({ state, started }: ReplayedState, event: AgentEvent): ReplayedState {
  switch (event.type) {
    case 'agent.turn': {
      const { turn: number, thought, page, subGoals = state.plan.subGoals, native } = event.data;
      const pageTitle = page ? page.title || page.url : '';
      const turn: AgentTurn = {
        ...{ number, pageTitle, thought, results: [] },
        ...(native && { native: { record: withoutPointers(native), outcomes: [] } }),
      };
      const history = { ...state.history, turns: [...state.history.turns, turn] };
      const counters = { ...state.counters, turns: number };
      return { started, state: { ...state, history, counters, plan: { ...state.plan, subGoals } } };
    }
    case 'agent.action_started':
      return { state, started: { title: event.data.title, call: event.data.call } };
    case 'agent.action_completed': {
      const { error } = event.data;
      const replayed = started ? appendStartedResult(state, started, event.data) : state;
      const { actions, succeededActions } = replayed.counters;
      const counters = {
        ...replayed.counters,
        actions: actions + 1,
        succeededActions: succeededActions + (error ? 0 : 1),
      };
      return { started: null, state: { ...replayed, counters } };
    }
    case 'agent.note': {
      const { kind, turn, note } = event.data;
      return { started, state: withStoredOutcome(appendNote(state, { kind, turn, note }), kind) };
    }
  }
}

function appendStartedResult(
  state: AgentState,
  { title, call }: NonNullable<ReplayedState['started']>,
  data: Extract<AgentEvent, { type: 'agent.action_completed' }>['data'],
): AgentState {
  const { error } = data;
  const line = resultLine(title, data, error?.message ?? null);
  return appendActionResult(
    state,
    line,
    call === undefined ? undefined : { call, text: line, isError: error !== null },
  );
}

/** Data is stored in the order of the calls, so the note belongs to the first call without an outcome. */
function withStoredOutcome(state: AgentState, kind: AgentNoteKind): AgentState {
  const { native } = state.history.turns.at(-1) ?? {};
  if (kind !== 'data_stored' || !native) return state;
  const call = native.record.plans.findIndex(
    ({ answer }, index) => answer === 'note' && native.outcomes.every((outcome) => outcome.call !== index),
  );
  return call < 0 ? state : appendOutcome(state, { call, text: 'Stored.', isError: false });
}

/** The pointer of the new surface is elsewhere. */
const withoutPointers = (record: NativeRecord): NativeRecord => ({
  ...record,
  plans: record.plans.map((plan) => ({ ...plan, pointer: null })),
});
