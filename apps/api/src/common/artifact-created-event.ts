import { createEvent, type ArtifactKind, type EventData } from '@pilothouse/contract';

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
export const artifactCreatedEvent = (data: EventData<'artifact.created'>, at: Date) =>
  createEvent('artifact.created', `Stored the ${nouns[data.kind]} ${data.name}`, data, at);
