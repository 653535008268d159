import { createS3Client } from './s3-bucket.ts';
import type { S3Config } from './s3-call.ts';

/** Signed URLs of objects for programs of the operator. */
export interface ObjectLinks {
  /** URL of a GET. */
  download(key: string, expiresInSeconds: number): Promise<string>;
  /** URL of a PUT with a body of any type and size. */
  upload(key: string, expiresInSeconds: number): Promise<string>;
}

/** Signs URLs of a bucket. Sends no request. */
export function createObjectLinks(config: S3Config): ObjectLinks {
  const client = createS3Client(config);
  const { bucket } = config;
  return {
    download: (key, expiresInSeconds) => client.presignedGetObject(bucket, key, expiresInSeconds),
    upload: (key, expiresInSeconds) => client.presignedPutObject(bucket, key, expiresInSeconds),
  };
}
