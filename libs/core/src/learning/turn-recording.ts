import type { LearningSettings } from '@pilothouse/contract/learning/learning-settings.schema';
import type { AssignedTurnRecording, TurnRecording } from '@pilothouse/contract/agent/turn-recording.schema';
import { DEFAULT_SAMPLE_PERCENT } from '@pilothouse/contract/agent/turn-recording-modes';
import { hashFraction } from './hash-fraction.ts';

/** Settings that select the runs whose turns are recorded, most specific first. */
export interface TurnRecordingSettings {
  readonly run: TurnRecording | undefined;
  readonly workflow: TurnRecording | undefined;
  readonly project: LearningSettings | null;
}

/** Recording of a run's turns. The sample depends only on the id of the run, so all attempts are recorded or none. */
export function turnRecordingOf(id: string, { run, workflow, project }: TurnRecordingSettings): AssignedTurnRecording {
  const mode = run ?? workflow ?? project?.record.turns ?? 'off';
  if (mode !== 'sample') return mode;
  const percent = project?.record.samplePercent ?? DEFAULT_SAMPLE_PERCENT;
  return hashFraction(id) * 100 < percent ? 'all' : 'off';
}
