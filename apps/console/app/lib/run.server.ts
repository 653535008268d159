import { dataOf, type Client } from '@pilothouse/client';
import {
  PilothouseError,
  type ArtifactView,
  type RunEvent,
  type RunStepView,
  type RunView,
} from '@pilothouse/contract';
import { beginStory, tell, type Story } from './story.ts';

/** Events of one question, and of the first rendering; what is beyond comes with the stream. */
const pageEvents = 1000;
const firstEvents = 3000;

/** A run with all that its page begins with. */
export interface ReadRun {
  run: RunView;
  story: Story;
  /** Steps and events are no longer kept. */
  gone: boolean;
}

const unlessGone = <Value>(answer: Promise<Value>, instead: Value): Promise<Value> =>
  answer.catch((error: unknown) => {
    if (error instanceof PilothouseError && error.code === 'GONE') return instead;
    throw error;
  });

/** Reads a run as it is now. */
export async function readRun({ api }: Client, id: string): Promise<ReadRun> {
  const params = { path: { run: id } };
  const eventsAfter = async (after: number): Promise<RunEvent[]> => {
    const query = { after, format: 'json', limit: pageEvents } as const;
    const asked = dataOf(api.GET('/v1/runs/{run}/events', { params: { ...params, query } }));
    // The route answers a stream, too; this is the list.
    const { items } = (await unlessGone(asked as Promise<unknown>, { items: [] })) as { items: RunEvent[] };
    return items;
  };
  const [run, steps, artifacts, first] = await Promise.all([
    dataOf(api.GET('/v1/runs/{run}', { params })),
    unlessGone(dataOf(api.GET('/v1/runs/{run}/steps', { params })), { items: [] }),
    dataOf(api.GET('/v1/runs/{run}/artifacts', { params })),
    eventsAfter(0),
  ]);
  const events = [...first];
  let last = first;
  while (last.length === pageEvents && events.length < firstEvents) {
    last = await eventsAfter(events.at(-1)?.seq ?? 0);
    events.push(...last);
  }
  const story = tell(beginStory(run as RunView, steps.items as RunStepView[]), events);
  for (const file of artifacts.items as ArtifactView[]) {
    if (!story.files.some(({ id: known }) => known === file.id)) story.files.push({ ...file, at: file.createdAt });
  }
  // More events than were read: what the run says of itself is newer than what they say.
  const behind = last.length === pageEvents;
  return {
    run: run as RunView,
    story: behind ? { ...story, status: run.status, question: run.question as RunView['question'] } : story,
    gone: steps.items.length === 0,
  };
}
