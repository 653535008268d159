import { unwrapData, type Client } from '@pilothouse/client';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunEvent } from '@pilothouse/contract/events/event-log.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { createRunState, type RunState } from './run-state.ts';
import { applyEvents } from './run-event-reducers.ts';

/** Page size of event requests, and maximum number of events in the first rendering. Later events arrive by stream. */
const EVENTS_PER_PAGE = 1000;
const MAX_FIRST_EVENTS = 3000;

/** A run with the initial state of its page. */
export interface LoadedRun {
  run: RunView;
  state: RunState;
  /** True if retention has deleted the steps or events of the run. */
  isDeleted: boolean;
  /** True if the run has recorded turns, and has ended. */
  hasTrace: boolean;
}

/** A response, or its replacement if the API answered `GONE`. */
const orDeleted = <Value>(answer: Promise<Value>, instead: Value): Promise<{ value: Value; isDeleted: boolean }> =>
  answer.then(
    (value) => ({ value, isDeleted: false }),
    (error: unknown) => {
      if (error instanceof PilothouseError && error.code === 'GONE') return { value: instead, isDeleted: true };
      throw error;
    },
  );

/** Reads the current state of a run. */
export async function readRun({ api }: Client, id: string): Promise<LoadedRun> {
  const params = { path: { run: id } };
  const eventsAfter = async (lastSeq: number): Promise<{ items: RunEvent[]; isDeleted: boolean }> => {
    const query = { after: lastSeq, format: 'json', limit: EVENTS_PER_PAGE } as const;
    const response = unwrapData(api.GET('/v1/runs/{run}/events', { params: { ...params, query } }));
    const { value, isDeleted } = await orDeleted<{ items: RunEvent[] }>(response, { items: [] });
    return { items: value.items, isDeleted };
  };
  const [run, steps, artifacts, traces, first] = await Promise.all([
    unwrapData(api.GET('/v1/runs/{run}', { params })),
    orDeleted(unwrapData(api.GET('/v1/runs/{run}/steps', { params })), { items: [] }),
    unwrapData(api.GET('/v1/runs/{run}/artifacts', { params })),
    unwrapData(api.GET('/v1/traces', { params: { query: { runs: [id], limit: 1 } } })),
    eventsAfter(0),
  ]);
  const events = [...first.items];
  let last = first.items;
  while (last.length === EVENTS_PER_PAGE && events.length < MAX_FIRST_EVENTS) {
    last = (await eventsAfter(events.at(-1)?.seq ?? 0)).items;
    events.push(...last);
  }
  const state = applyEvents(createRunState(run, steps.value.items), events);
  for (const file of artifacts.items) {
    if (!state.artifacts.some(({ id }) => id === file.id)) state.artifacts.push(file);
  }
  // More events than were read: the run itself is newer than the events.
  const isIncomplete = last.length === EVENTS_PER_PAGE;
  return {
    run,
    state: isIncomplete ? { ...state, status: run.status, question: run.question } : state,
    isDeleted: steps.isDeleted || first.isDeleted,
    hasTrace: traces.items.length > 0,
  };
}
