import { z } from 'zod';
import { DEFAULT_SAMPLE_PERCENT } from '../agent/turn-recording-modes.ts';
import { turnRecordingSchema } from '../agent/turn-recording.schema.ts';

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
