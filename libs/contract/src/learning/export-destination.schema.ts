import { z } from 'zod';
import { slugSchema } from '../primitives.schema.ts';

const BUCKET = /^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/;
const FOLDER = /^[A-Za-z0-9._-]{1,100}(?:\/[A-Za-z0-9._-]{1,100}){0,9}$/;

const address = {
  bucket: z.string().regex(BUCKET, { error: 'set it to the name of the bucket' }),
  folder: z
    .string()
    .regex(FOLDER, { error: 'set it to a folder such as pilothouse/exports, without slashes at the ends' })
    .optional(),
};

/** A configured bucket that also receives exports. */
export const exportDestinationSchema = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      kind: z.literal('s3'),
      ...address,
      endpoint: z.url({ protocol: /^https?$/, error: 'set it to the URL of the S3 server' }),
      region: z.string().min(1).optional(),
    }),
    z.strictObject({
      kind: z.literal('gcs'),
      ...address,
      endpoint: z.url({ protocol: /^https?$/, error: 'set it to the URL of the JSON API' }).optional(),
    }),
  ],
  { error: 'set it to s3 or gcs' },
);
export type ExportDestinationConfig = z.infer<typeof exportDestinationSchema>;

/** Destinations by name. */
export const exportDestinationsSchema = z.record(slugSchema, exportDestinationSchema, {
  error: 'set it to a JSON object of destinations by name, e.g. {"vertex": {"kind": "gcs", "bucket": "harbour"}}',
});
