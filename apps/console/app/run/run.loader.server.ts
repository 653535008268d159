import { unwrapData, type Client } from '@pilothouse/client';
import {
  PilothouseError,
  type ArtifactView,
  type RunEvent,
  type RunStepView,
  type RunView,
} from '@pilothouse/contract';
import { createRunState, type RunState } from './run-state.ts';
import { applyEvents } from './run-event-reducers.ts';

/** Events of one question, and of the first rendering; what is beyond comes with the stream. */
const PAGE_EVENTS = 1000;
const MAX_FIRST_EVENTS = 3000;

/** A run with all that its page begins with. */
export interface LoadedRun {
  run: RunView;
  state: RunState;
  /** The project has deleted the steps or events of this run. */
  isDeleted: boolean;
}

/** A value, or its replacement when the API answered `GONE`. */
const orDeleted = <Value>(answer: Promise<Value>, instead: Value): Promise<{ value: Value; isDeleted: boolean }> =>
  answer.then(
    (value) => ({ value, isDeleted: false }),
    (error: unknown) => {
      if (error instanceof PilothouseError && error.code === 'GONE') return { value: instead, isDeleted: true };
      throw error;
    },
  );

/** Reads a run as it is now. */
export async function readRun({ api }: Client, id: string): Promise<LoadedRun> {
  const params = { path: { run: id } };
  const eventsAfter = async (after: number): Promise<{ items: RunEvent[]; isDeleted: boolean }> => {
    const query = { after, format: 'json', limit: PAGE_EVENTS } as const;
    const response = unwrapData(api.GET('/v1/runs/{run}/events', { params: { ...params, query } }));
    // The route answers a stream, too; this is the list.
    const { value, isDeleted } = await orDeleted(response as Promise<unknown>, { items: [] });
    return { items: (value as { items: RunEvent[] }).items, isDeleted };
  };
  const [run, steps, artifacts, first] = await Promise.all([
    unwrapData(api.GET('/v1/runs/{run}', { params })),
    orDeleted(unwrapData(api.GET('/v1/runs/{run}/steps', { params })), { items: [] }),
    unwrapData(api.GET('/v1/runs/{run}/artifacts', { params })),
    eventsAfter(0),
  ]);
  const events = [...first.items];
  let last = first.items;
  while (last.length === PAGE_EVENTS && events.length < MAX_FIRST_EVENTS) {
    last = (await eventsAfter(events.at(-1)?.seq ?? 0)).items;
    events.push(...last);
  }
  const state = applyEvents(createRunState(run as RunView, steps.value.items as RunStepView[]), events);
  for (const file of artifacts.items as ArtifactView[]) {
    if (!state.artifacts.some(({ id: knownId }) => knownId === file.id))
      state.artifacts.push({ ...file, at: file.createdAt });
  }
  // More events than were read: what the run says of itself is newer than what they say.
  const isIncomplete = last.length === PAGE_EVENTS;
  return {
    run: run as RunView,
    state: isIncomplete ? { ...state, status: run.status, question: run.question as RunView['question'] } : state,
    isDeleted: steps.isDeleted || first.isDeleted,
  };
}
