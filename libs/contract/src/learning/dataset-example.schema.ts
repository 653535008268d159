import { z } from 'zod';
import { actionSchema } from '../actions/action-sets.ts';
import { expectationSchema, sha256Schema } from '../agent/agent.schema.ts';
import { dialectSchema, promptRefSchema, tierSchema } from '../model/model.schema.ts';
import { boundsSchema, elementSchema } from '../observation/observation.schema.ts';
import { idSchema, jsonSchema, surfaceKindSchema, timestampSchema } from '../primitives.schema.ts';
import { turnActionKindSchema, turnSourceSchema } from './turn-record.schema.ts';

/* Examples: turns of agents with their labels. Files of datasets contain them, and exports read only these files. */

/** Part of a dataset. A workflow on a site is in one part only. */
export const datasetSplitSchema = z.enum(['train', 'validation', 'test']).meta({ id: 'DatasetSplit' });
export type DatasetSplit = z.infer<typeof datasetSplitSchema>;
export const datasetSplits = datasetSplitSchema.options;

/** Perceptual hash of 64 bits, in hexadecimal digits. */
export const perceptualHashSchema = z.string().regex(/^[0-9a-f]{16}$/);

const exampleActionSchema = z.strictObject({
  kind: turnActionKindSchema,
  action: actionSchema.nullable().describe('null: `kind` is not `act`'),
  args: z.record(z.string(), jsonSchema).optional().describe('Arguments of another kind'),
  target: boundsSchema.nullable().describe('Bounds of the target in the viewport; null: no target, or unknown'),
});
export type ExampleAction = z.infer<typeof exampleActionSchema>;

const imageSchema = z.strictObject({
  sha256: sha256Schema,
  perceptualHash: perceptualHashSchema,
  width: z.int().min(1),
  height: z.int().min(1),
  bytes: z.int().min(1),
});

/** One turn of a trace with its label. */
export const datasetExampleSchema = z.strictObject({
  run: idSchema,
  ordinal: z.int().min(1).describe('Number of the step in the trace'),
  split: datasetSplitSchema,
  workflow: z.string().describe('Name of the workflow; empty: a run without one'),
  site: z.string().describe('Host of the page, or id of the application'),
  at: timestampSchema,
  surface: surfaceKindSchema,
  goal: z.string(),
  input: z.strictObject({ system: z.string(), text: z.string() }).nullable(),
  prompt: promptRefSchema.nullable(),
  tier: tierSchema.exclude(['replan']),
  turnSource: turnSourceSchema.describe('Decided the actions of the turn'),
  model: z.string().nullable(),
  dialect: dialectSchema.nullable().describe('Format of the recorded answer; null: no model was called'),
  page: z.strictObject({
    url: z.string(),
    title: z.string(),
    viewport: z.strictObject({ width: z.int().min(0), height: z.int().min(0) }),
    elements: z.array(
      elementSchema.pick({ index: true, role: true, name: true, value: true, bounds: true, state: true, tags: true }),
    ),
  }),
  image: imageSchema.nullable(),
  thought: z.string(),
  actions: z.array(exampleActionSchema),
  expects: expectationSchema.nullable(),
  outcome: z.string().describe('Result of the actions, in one sentence'),
  quality: z.enum(['good', 'bad', 'unknown']),
  labelSource: z.enum(['rule', 'model', 'person']).describe('Source of the quality and the correction'),
  reason: z.string(),
  correction: z
    .strictObject({ thought: z.string(), actions: z.array(exampleActionSchema).min(1) })
    .nullable()
    .describe('Corrected turn; null: no correction'),
  textHash: sha256Schema.describe('Hash of the texts of the page and of the answer'),
});
export type DatasetExample = z.infer<typeof datasetExampleSchema>;
