import { z } from 'zod';
import { actorSchema } from '../project/actor.schema.ts';
import { sha256Schema } from '../agent/agent.schema.ts';
import { idSchema, slugSchema, surfaceKindSchema, timestampSchema } from '../primitives.schema.ts';
import { datasetSplitSchema } from './dataset-example.schema.ts';

/** Selection of steps for a dataset. All conditions must hold. */
export const datasetQuerySchema = z
  .strictObject({
    workflows: z.array(slugSchema).min(1).max(100).optional().describe('Names of workflows (default: all)'),
    surfaces: z
      .array(surfaceKindSchema)
      .min(1)
      .max(surfaceKindSchema.options.length)
      .optional()
      .describe('Default: all'),
    sites: z
      .array(z.string().min(1).max(253))
      .min(1)
      .max(100)
      .optional()
      .describe('Hosts or applications (default: all)'),
    models: z.array(z.string().min(1).max(200)).min(1).max(100).optional().describe('`provider/model` (default: all)'),
    qualities: z
      .array(z.enum(['good', 'bad', 'unknown']))
      .min(1)
      .default(['good', 'bad'])
      .describe('Qualities of steps. Preference pairs are made of `bad` steps with a correction'),
    sources: z
      .array(z.enum(['rule', 'model', 'person']))
      .min(1)
      .optional()
      .describe('Sources of the labels (default: all)'),
    from: timestampSchema.optional().describe('Only runs that were created at this time or later'),
    to: timestampSchema.optional().describe('Only runs that were created before this time'),
    projects: z
      .array(slugSchema)
      .min(1)
      .max(20)
      .optional()
      .describe('Further projects, which must share their traces (default: none)'),
  })
  .refine(({ from: start, to: end }) => start === undefined || end === undefined || start < end, {
    error: '`from` must be before `to`',
    path: ['from'],
  })
  .meta({ id: 'DatasetQuery', description: 'Selection of steps for a dataset' });
export type DatasetQuery = z.output<typeof datasetQuerySchema>;

const share = z.number().min(0).max(1);

/** Shares of a dataset's parts. */
export const splitSharesSchema = z
  .strictObject({ train: share, validation: share, test: share })
  .refine(({ train, validation, test }) => Math.abs(train + validation + test - 1) < 1e-6, {
    error: 'The shares must add up to 1, e.g. 0.8, 0.1 and 0.1',
  })
  .meta({ id: 'SplitShares' });
export type SplitShares = z.output<typeof splitSharesSchema>;

/** Body of `POST /v1/datasets`. */
export const createDatasetSchema = z
  .strictObject({
    name: slugSchema,
    query: datasetQuerySchema.prefault({}),
    shares: splitSharesSchema
      .default({ train: 0.8, validation: 0.1, test: 0.1 })
      .describe('Shares of the workflow and site pairs'),
    seed: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .default(1)
      .describe('Seed of the split. The same seed gives the same split'),
    license: z.string().min(1).max(200).default('proprietary').describe('SPDX identifier or a sentence, for the card'),
    consent: z
      .string()
      .min(1)
      .max(2000)
      .default('Runs of the project only.')
      .describe('Basis on which the data may be used, for the card'),
  })
  .meta({ id: 'CreateDataset' });
export type CreateDataset = z.output<typeof createDatasetSchema>;

const count = z.int().min(0);

/** Step that was left out of a dataset. */
export const datasetOmissionSchema = z
  .object({ reason: z.string(), count, steps: z.array(z.string()).describe('Up to 20 steps as `run/ordinal`') })
  .meta({ id: 'DatasetOmission' });

/** Facts about the content of a dataset. */
export const datasetCardSchema = z
  .object({
    name: slugSchema,
    version: z.int().min(1),
    query: datasetQuerySchema,
    shares: splitSharesSchema,
    seed: z.int(),
    license: z.string(),
    consent: z.string(),
    builder: z.string().describe('Version of the format of the files'),
    counts: z.object({
      examples: count,
      traces: count,
      images: count.describe('Distinct screenshots'),
      bytes: count.describe('Bytes of the screenshots'),
      groups: count.describe('Pairs of workflow and site'),
      corrections: count,
      duplicates: count.describe('Steps that were left out because they repeat another one'),
      redactions: count.describe('Texts and areas that were replaced'),
    }),
    splits: z.record(datasetSplitSchema, count),
    qualities: z.record(z.enum(['good', 'bad', 'unknown']), count),
    surfaces: z.record(z.string(), count),
    workflows: z.record(z.string(), count),
    models: z.record(z.string(), count),
    omissions: z.array(datasetOmissionSchema),
    files: z.array(z.object({ name: z.string(), sha256: sha256Schema, bytes: count, examples: count })),
    sha256: sha256Schema.describe('Hash of the names and hashes of all files'),
  })
  .meta({ id: 'DatasetCard', description: 'Facts about the content of a dataset' });
export type DatasetCard = z.infer<typeof datasetCardSchema>;

/** Counts of a dataset while it is built: a part of the checkpoint of its job. */
export const cardCounterStateSchema = z.object({
  examples: z.int(),
  traces: z.int(),
  lastRun: z.string(),
  images: z.int(),
  bytes: z.int(),
  corrections: z.int(),
  duplicates: z.int(),
  redactions: z.int(),
  groups: z.record(z.string(), z.int()),
  splits: z.record(z.string(), z.int()),
  qualities: z.record(z.string(), z.int()),
  surfaces: z.record(z.string(), z.int()),
  workflows: z.record(z.string(), z.int()),
  models: z.record(z.string(), z.int()),
  omissions: z.record(z.string(), z.object({ count: z.int(), steps: z.array(z.string()) })),
});
export type CardCounterState = z.infer<typeof cardCounterStateSchema>;

export const datasetStatusSchema = z
  .enum(['building', 'ready', 'failed', 'cancelled', 'deleting'])
  .meta({ id: 'DatasetStatus' })
  .describe('`deleting`: its files are being deleted. If the deletion was interrupted, delete the dataset again');
export type DatasetStatus = z.infer<typeof datasetStatusSchema>;

/** An immutable set of examples. */
export const datasetViewSchema = z
  .object({
    id: idSchema,
    name: slugSchema,
    version: z.int().min(1),
    status: datasetStatusSchema,
    isStale: z.boolean().describe('A run of it was deleted: build a new version'),
    query: datasetQuerySchema,
    shares: splitSharesSchema,
    seed: z.int(),
    license: z.string(),
    consent: z.string(),
    exampleCount: z.int().min(0),
    job: idSchema.nullable().describe('Job that builds it; null: the job was deleted'),
    error: z.string().nullable().describe('Why building failed'),
    createdBy: actorSchema.nullable(),
    createdAt: timestampSchema,
    finishedAt: timestampSchema.nullable(),
  })
  .meta({ id: 'Dataset', description: 'An immutable set of labeled turns' });
export type DatasetView = z.infer<typeof datasetViewSchema>;

/** A dataset with its card. */
export const datasetDetailSchema = datasetViewSchema
  .extend({ card: datasetCardSchema.nullable().describe('null: it is not ready') })
  .meta({ id: 'DatasetDetail' });
export type DatasetDetail = z.infer<typeof datasetDetailSchema>;
