import type { ArtifactKind } from '@pilothouse/contract/run/artifact.schema';
import { artifactCreatedEvent } from './artifact-created-event.ts';

test.each<[ArtifactKind, string, string]>([
  ['download', 'report.pdf', 'Stored the download report.pdf'],
  ['screenshot', 'page.jpg', 'Stored the screenshot page.jpg'],
  ['data', 'rows.json', 'Stored the data file rows.json'],
  ['video', 'video.webm', 'Stored the video video.webm'],
  ['trace', 'console.jsonl', 'Stored the trace file console.jsonl'],
])('a stored file of the kind %s is named in the message', (kind, name, message) => {
  const artifact = '0197f3c2-1a2b-7c3d-8e4f-5a6b7c8d9e0f';
  const data = { artifact, step: 0, kind, name, contentType: 'application/octet-stream', size: 7 };
  expect(artifactCreatedEvent(data, new Date(0))).toMatchObject({ type: 'artifact.created', message, data });
});
