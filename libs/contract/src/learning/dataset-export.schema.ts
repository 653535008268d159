import { z } from 'zod';
import { actorSchema } from '../project/actor.schema.ts';
import { sha256Schema } from '../agent/agent.schema.ts';
import { jobConditionSchema } from '../job/job.schema.ts';
import { dialectSchema } from '../model/model.schema.ts';
import { idSchema, slugSchema, timestampSchema } from '../primitives.schema.ts';
import { transferSchema } from '../run/artifact.schema.ts';
import { datasetSplitSchema } from './dataset-example.schema.ts';

export const exportFormatSchema = z
  .enum(['gemini', 'together', 'fireworks', 'llamafactory', 'swift', 'trl', 'atif', 'raw'])
  .meta({ id: 'ExportFormat' })
  .describe(
    '`gemini`: Vertex AI; `together`, `fireworks`: messages with embedded screenshots; `llamafactory`: sharegpt; `swift`: ms-swift; `trl`: Hugging Face TRL; `atif`: trajectories; `raw`: the examples of the dataset',
  );
export type ExportFormat = z.infer<typeof exportFormatSchema>;
export const exportFormats = exportFormatSchema.options;

/** Objective of tuning with an export. */
export const exportObjectiveSchema = z
  .enum(['sft', 'preference', 'grounding'])
  .meta({ id: 'ExportObjective' })
  .describe(
    '`sft`: good answers and corrections; `preference`: pairs of a bad answer and its correction; `grounding`: points of named elements',
  );
export type ExportObjective = z.infer<typeof exportObjectiveSchema>;
export const exportObjectives = exportObjectiveSchema.options;

/** Body of `POST /v1/datasets/{dataset}/exports`. */
export const createExportSchema = z
  .strictObject({
    format: exportFormatSchema,
    objective: exportObjectiveSchema.default('sft'),
    dialect: dialectSchema
      .default('aura')
      .describe('Format of the answers. Use the dialect of the model that you tune'),
    splits: z.array(datasetSplitSchema).min(1).default(['train', 'validation', 'test']),
    includeImages: z.boolean().default(true).describe('false: without screenshots'),
    imageBase: z
      .string()
      .regex(
        /^gs:\/\/[a-z0-9][a-z0-9._-]{1,61}[a-z0-9](?:\/[A-Za-z0-9._/-]{0,500})?$/,
        'Use a folder of Cloud Storage, e.g. `gs://bucket/images`',
      )
      .optional()
      .describe(
        'With `gemini`: URI of the folder that contains the screenshots (default: the folder of the GCS destination; without one, screenshots are embedded)',
      ),
    destination: slugSchema
      .optional()
      .describe('Export destination that also receives the files (default: object store only)'),
  })
  .refine(({ format, imageBase }) => imageBase === undefined || format === 'gemini', {
    error: '`imageBase` is for the format gemini: leave it out',
    path: ['imageBase'],
  })
  .meta({ id: 'CreateExport' });
export type CreateExport = z.output<typeof createExportSchema>;

const count = z.int().min(0);

/** Numbers of an export, with the examples that it could not write. */
export const exportReportSchema = z
  .object({
    lines: count,
    examples: count.describe('Examples that were read'),
    images: count.describe('References to screenshots in the lines'),
    rejected: z
      .array(
        z.object({ reason: z.string(), count, steps: z.array(z.string()).describe('Up to 20 steps as `run/ordinal`') }),
      )
      .describe('Examples that the format cannot carry, by reason'),
  })
  .meta({ id: 'ExportReport' });
export type ExportReport = z.infer<typeof exportReportSchema>;

const exportFileSchema = z.object({
  name: z.string().describe('Path in the folder of the export'),
  bytes: count,
  sha256: sha256Schema,
  lines: count.nullable().describe('Lines of a JSONL file; null: another file'),
  uri: z.string().optional().describe('Address at the destination, e.g. `gs://bucket/folder/train.jsonl`'),
});
export type ExportFile = z.infer<typeof exportFileSchema>;

/** A dataset in the format of a trainer. */
export const exportViewSchema = z
  .object({
    id: idSchema,
    dataset: idSchema,
    status: z.enum(['running', 'ready', 'failed', 'cancelled']),
    condition: jobConditionSchema.optional().describe('Why its job does not start. Absent: no cause is known'),
    options: createExportSchema,
    report: exportReportSchema.nullable().describe('null: it is not ready'),
    files: z.array(exportFileSchema).describe('Without screenshots'),
    job: idSchema.nullable().describe('Job that writes it; null: the job was deleted'),
    error: z.string().nullable().describe('Why it failed'),
    createdBy: actorSchema.nullable(),
    createdAt: timestampSchema,
    finishedAt: timestampSchema.nullable(),
  })
  .meta({ id: 'DatasetExport', description: 'A dataset in the format of a trainer' });
export type ExportView = z.infer<typeof exportViewSchema>;

/** A file of an export with its signed URL. */
export const exportDownloadSchema = z
  .object({ name: z.string(), transfer: transferSchema })
  .meta({ id: 'ExportDownload' });
export type ExportDownload = z.infer<typeof exportDownloadSchema>;

/** Parameters of a job of kind `export`. */
export const exportJobParamsSchema = z.object({ export: idSchema });
