import { z } from 'zod';
import { idSchema, timestampSchema } from '../primitives.schema.ts';

export const artifactKindSchema = z
  .enum(['screenshot', 'download', 'data', 'video', 'trace', 'turn'])
  .describe('`turn`: the record of a turn of an agent, or its screenshot')
  .meta({ id: 'ArtifactKind' });
export type ArtifactKind = z.infer<typeof artifactKindSchema>;

/** Time of a screenshot relative to its step. `during`: taken by the step itself. */
export const screenshotMomentSchema = z.enum(['during', 'before', 'after', 'failed']).meta({ id: 'ScreenshotMoment' });
export type ScreenshotMoment = z.infer<typeof screenshotMomentSchema>;

/** A file of a run. */
export const artifactViewSchema = z
  .object({
    id: idSchema,
    run: idSchema,
    step: z.int().min(0).nullable(),
    kind: artifactKindSchema,
    name: z.string(),
    contentType: z.string().describe('Detected from the content of the file'),
    size: z.int().min(0).describe('Bytes'),
    url: z.string().describe('Signed URL, valid for some minutes without a key'),
    createdAt: timestampSchema,
  })
  .meta({ id: 'Artifact' });
export type ArtifactView = z.infer<typeof artifactViewSchema>;

/** Maximum size of an artifact by kind, in bytes. */
export const artifactLimits: Readonly<Record<ArtifactKind, number>> = {
  screenshot: 20 * 1024 * 1024,
  download: 512 * 1024 * 1024,
  data: 64 * 1024 * 1024,
  video: 2048 * 1024 * 1024,
  trace: 256 * 1024 * 1024,
  turn: 8 * 1024 * 1024,
};

/** A signed URL that allows one download or one complete upload without further credentials. */
export const transferSchema = z
  .object({
    method: z.enum(['GET', 'PUT']),
    url: z.string(),
    headers: z.record(z.string(), z.string()).default({}),
    expiresAt: timestampSchema,
  })
  .meta({ id: 'Transfer' });
export type Transfer = z.infer<typeof transferSchema>;

/** Body of `POST /v1/uploads`. */
export const createUploadSchema = z
  .strictObject({
    name: z.string().min(1).max(255).describe('File name that the site sees'),
    contentType: z.string().max(255).default('application/octet-stream'),
    size: z
      .int()
      .min(0)
      .max(512 * 1024 * 1024)
      .describe('Exact size in bytes'),
  })
  .meta({ id: 'CreateUpload' });
export type CreateUpload = z.infer<typeof createUploadSchema>;

/** An upload. Send the file to `transfer`, then use `id` as the value of a file input. */
export const uploadViewSchema = z
  .object({ id: idSchema, name: z.string(), contentType: z.string(), size: z.int(), transfer: transferSchema })
  .meta({ id: 'Upload' });
export type UploadView = z.infer<typeof uploadViewSchema>;
