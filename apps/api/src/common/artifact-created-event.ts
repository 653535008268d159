import { createEvent, type EventData } from '@pilothouse/contract/events/event-log.schema';
import type { ArtifactKind } from '@pilothouse/contract/run/artifact.schema';

/** Noun of a file in a message. */
const nouns: Readonly<Record<ArtifactKind, string>> = {
  screenshot: 'screenshot',
  download: 'download',
  data: 'data file',
  video: 'video',
  trace: 'trace file',
  turn: 'record of a turn',
};

/** The event of a file that was stored: "Stored the download report.pdf". */
export const artifactCreatedEvent = (data: EventData<'artifact.created'>, createdAt: Date) =>
  createEvent('artifact.created', `Stored the ${nouns[data.kind]} ${data.name}`, data, createdAt);
