import { unwrapData, type Client } from '@pilothouse/client';
import {
  PilothouseError,
  type ArtifactView,
  type RunEvent,
  type RunStepView,
  type RunView,
} from '@pilothouse/contract';
import { createRunState, applyEvents, type RunState } from './run-state.ts';

/** Events of one question, and of the first rendering; what is beyond comes with the stream. */
const pageEvents = 1000;
const firstEvents = 3000;

/** A run with all that its page begins with. */
export interface ReadRun {
  run: RunView;
  state: RunState;
  /** The project has deleted the steps or events of this run. */
  gone: boolean;
}

/** A value, or its replacement when the API answered `GONE`. */
const unlessGone = <Value>(answer: Promise<Value>, instead: Value): Promise<{ value: Value; gone: boolean }> =>
  answer.then(
    (value) => ({ value, gone: false }),
    (error: unknown) => {
      if (error instanceof PilothouseError && error.code === 'GONE') return { value: instead, gone: true };
      throw error;
    },
  );

/** Reads a run as it is now. */
export async function readRun({ api }: Client, id: string): Promise<ReadRun> {
  const params = { path: { run: id } };
  const eventsAfter = async (after: number): Promise<{ items: RunEvent[]; gone: boolean }> => {
    const query = { after, format: 'json', limit: pageEvents } as const;
    const asked = unwrapData(api.GET('/v1/runs/{run}/events', { params: { ...params, query } }));
    // The route answers a stream, too; this is the list.
    const { value, gone } = await unlessGone(asked as Promise<unknown>, { items: [] });
    return { items: (value as { items: RunEvent[] }).items, gone };
  };
  const [run, steps, artifacts, first] = await Promise.all([
    unwrapData(api.GET('/v1/runs/{run}', { params })),
    unlessGone(unwrapData(api.GET('/v1/runs/{run}/steps', { params })), { items: [] }),
    unwrapData(api.GET('/v1/runs/{run}/artifacts', { params })),
    eventsAfter(0),
  ]);
  const events = [...first.items];
  let last = first.items;
  while (last.length === pageEvents && events.length < firstEvents) {
    last = (await eventsAfter(events.at(-1)?.seq ?? 0)).items;
    events.push(...last);
  }
  const state = applyEvents(createRunState(run as RunView, steps.value.items as RunStepView[]), events);
  for (const file of artifacts.items as ArtifactView[]) {
    if (!state.files.some(({ id: known }) => known === file.id)) state.files.push({ ...file, at: file.createdAt });
  }
  // More events than were read: what the run says of itself is newer than what they say.
  const behind = last.length === pageEvents;
  return {
    run: run as RunView,
    state: behind ? { ...state, status: run.status, question: run.question as RunView['question'] } : state,
    gone: steps.gone || first.gone,
  };
}
