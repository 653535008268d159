import type { LearningSettings } from '@pilothouse/contract/learning/learning-settings.schema';
import type { TurnRecording } from '@pilothouse/contract/agent/turn-recording.schema';
import { turnRecordingOf } from './turn-recording.ts';

const project = (turns: TurnRecording, samplePercent?: number): LearningSettings => ({
  record: { turns, ...(samplePercent !== undefined && { samplePercent }) },
  shareTraces: false,
});

/** Ids of runs that were submitted one after another: UUIDs, version 7. */
const runIds = Array.from(
  { length: 10_000 },
  (_, index) =>
    `0198c0de-${index.toString(16).padStart(4, '0')}-7000-8000-${(index * 7919).toString(16).padStart(12, '0')}`,
);
const sampled = (percent?: number) =>
  runIds.filter(
    (id) => turnRecordingOf(id, { run: undefined, workflow: undefined, project: project('sample', percent) }) === 'all',
  );

test.each([
  [undefined, undefined, null, 'off'],
  [undefined, undefined, project('all'), 'all'],
  [undefined, 'failures', project('all'), 'failures'],
  ['off', 'failures', project('all'), 'off'],
  ['all', 'off', null, 'all'],
] as const)(
  'the run (%s) overrides the workflow (%s), which overrides the project',
  (run, workflow, settings, expected) => {
    expect(turnRecordingOf('0198c0de-0000-7000-8000-000000000001', { run, workflow, project: settings })).toBe(
      expected,
    );
  },
);

test('a sample has about its share of the runs', () => {
  expect(sampled().length).toBeGreaterThan(900);
  expect(sampled().length).toBeLessThan(1100);
  expect(sampled(1).length).toBeGreaterThan(70);
  expect(sampled(1).length).toBeLessThan(130);
  expect(sampled(100)).toHaveLength(runIds.length);
});

test('a larger sample contains the smaller one, and each attempt of a run decides the same', () => {
  expect(sampled(20)).toEqual(expect.arrayContaining(sampled(5)));
  expect(sampled(20)).toEqual(sampled(20));
});

test('a run that asks for a sample uses the share of its project', () => {
  const percent = project('off', 100);
  expect(turnRecordingOf(String(runIds[0]), { run: 'sample', workflow: undefined, project: percent })).toBe('all');
});
