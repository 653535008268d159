import { z } from 'zod';
import { url } from './variable-types.ts';

/** Variables of the object store. */
export const objectStoreSettings = {
  OBJECT_STORE_DIR: z.string().optional(),
  S3_ENDPOINT: url('http', 'https').optional(),
  S3_ACCESS_KEY: z.string().optional(),
  S3_SECRET_KEY: z.string().optional(),
  S3_BUCKET: z.string().default('pilothouse'),
  S3_REGION: z.string().default('us-east-1'),
};

interface ParsedObjectStore {
  readonly OBJECT_STORE_DIR?: string | undefined;
  readonly S3_ENDPOINT?: string | undefined;
  readonly S3_ACCESS_KEY?: string | undefined;
  readonly S3_SECRET_KEY?: string | undefined;
  readonly S3_BUCKET: string;
  readonly S3_REGION: string;
}

/** Location of the objects. */
export type ObjectStoreConfig =
  | { kind: 'folder'; dir: string }
  | { kind: 's3'; endpoint: string; accessKey: string; secretKey: string; bucket: string; region: string };

/** Checks combinations of variables. */
export function validateObjectStore(env: ParsedObjectStore, addIssue: (name: string, message: string) => void): void {
  if (!env.OBJECT_STORE_DIR && !env.S3_ENDPOINT)
    addIssue('OBJECT_STORE_DIR', 'set it to a folder for objects, or set S3_ENDPOINT');
  if (env.S3_ENDPOINT && !env.S3_ACCESS_KEY) addIssue('S3_ACCESS_KEY', 'set it, because S3_ENDPOINT is set');
  if (env.S3_ENDPOINT && !env.S3_SECRET_KEY) addIssue('S3_SECRET_KEY', 'set it, because S3_ENDPOINT is set');
}

export const toObjectStore = (env: ParsedObjectStore): ObjectStoreConfig =>
  env.S3_ENDPOINT
    ? {
        kind: 's3',
        endpoint: env.S3_ENDPOINT,
        accessKey: env.S3_ACCESS_KEY ?? '',
        secretKey: env.S3_SECRET_KEY ?? '',
        bucket: env.S3_BUCKET,
        region: env.S3_REGION,
      }
    : { kind: 'folder', dir: env.OBJECT_STORE_DIR ?? '' };
