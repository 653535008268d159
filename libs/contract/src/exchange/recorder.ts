import { z } from 'zod';

/*
 * Recordings of the Recorder panel of Chrome DevTools, as it exports them as JSON (@puppeteer/replay, Schema.ts): what is read of them.
 */

const selectorsSchema = z.array(z.union([z.string(), z.array(z.string()).min(1)])).min(1);

const assertedSchema = z.array(z.looseObject({ type: z.string(), url: z.string().optional() })).optional();

/** One step; what is not known is named when it is left out. */
export const recordedStepSchema = z.looseObject({
  type: z.string(),
  target: z.string().optional(),
  frame: z.array(z.int()).optional(),
  assertedEvents: assertedSchema,
  url: z.string().optional(),
  selectors: selectorsSchema.optional(),
  value: z.string().optional(),
  key: z.string().optional(),
  button: z.string().optional(),
  visible: z.boolean().optional(),
  width: z.int().optional(),
  height: z.int().optional(),
});
export type RecordedStep = z.infer<typeof recordedStepSchema>;

export const recordingFileSchema = z.looseObject({ title: z.string(), steps: z.array(recordedStepSchema) });
export type RecordingFile = z.infer<typeof recordingFileSchema>;
