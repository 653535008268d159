import { z } from 'zod';
import { DEFAULT_SAMPLE_PERCENT, turnRecordingModes } from './turn-recording-modes.ts';

/** Selects the runs whose turns are recorded. */
export const turnRecordingSchema = z
  .enum(turnRecordingModes, { error: 'Use `off`, `failures`, `sample` or `all`, or remove the field' })
  .meta({ id: 'TurnRecording' })
  .describe(
    '`off`: no run; `failures`: goals that fail, end unverified or are taken over by a person, and healed steps; `sample`: a share of the runs; `all`: every run',
  );
export type TurnRecording = z.infer<typeof turnRecordingSchema>;

/** Learning settings of a project. */
export const learningSettingsSchema = z
  .strictObject({
    record: z
      .strictObject({
        turns: turnRecordingSchema,
        samplePercent: z
          .int()
          .min(1)
          .max(100)
          .optional()
          .describe(`Percentage of runs that \`sample\` records (default: ${DEFAULT_SAMPLE_PERCENT})`),
      })
      .describe('Recording of the turns of agents. Workflows and runs override `turns` with `capture.turns`'),
    shareTraces: z.boolean().describe('true: datasets of other projects may contain runs of this project'),
  })
  .meta({ id: 'LearningSettings' });
export type LearningSettings = z.infer<typeof learningSettingsSchema>;

/** Recording of turns by the worker of a run: the sample is decided. */
export const assignedTurnRecordingSchema = turnRecordingSchema.exclude(['sample']);
export type AssignedTurnRecording = z.infer<typeof assignedTurnRecordingSchema>;
