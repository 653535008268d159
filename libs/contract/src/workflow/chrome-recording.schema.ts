import { z } from 'zod';

/*
 * Recordings of the Chrome DevTools Recorder in their JSON format (@puppeteer/replay, Schema.ts). Only the imported fields are validated.
 */

/** Maximum number of characters of an imported file. */
export const MAX_IMPORT_CHARS = 1024 * 1024;

/** Maximum steps of a recording: that of a workflow. */
const MAX_STEPS = 1000;

const wordSchema = z.string().max(200);
const selectorSchema = z.string().max(5_000);
const urlSchema = z.string().max(10_000);

const selectorsSchema = z
  .array(z.union([selectorSchema, z.array(selectorSchema).min(1).max(50)]))
  .min(1)
  .max(50);

const assertedSchema = z
  .array(z.looseObject({ type: wordSchema, url: urlSchema.optional() }))
  .max(100)
  .optional();

/** One recorded step. The import reports unknown fields that it drops. */
export const chromeRecordingStepSchema = z.looseObject({
  type: wordSchema,
  target: z.string().max(1_000).optional(),
  frame: z.array(z.int()).max(100).optional(),
  assertedEvents: assertedSchema,
  url: urlSchema.optional(),
  selectors: selectorsSchema.optional(),
  value: z.string().max(100_000).optional(),
  key: wordSchema.optional(),
  button: wordSchema.optional(),
  visible: z.boolean().optional(),
  width: z.int().optional(),
  height: z.int().optional(),
});
export type ChromeRecordingStep = z.infer<typeof chromeRecordingStepSchema>;

export const chromeRecordingSchema = z.looseObject({
  title: z.string().max(10_000),
  steps: z
    .array(chromeRecordingStepSchema)
    .max(MAX_STEPS, `A recording has at most ${MAX_STEPS} steps: split it, or remove steps`),
});
export type ChromeRecording = z.infer<typeof chromeRecordingSchema>;
