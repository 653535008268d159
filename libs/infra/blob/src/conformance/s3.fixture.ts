import { randomBytes } from 'node:crypto';
import type { S3Bucket } from '../s3/s3-bucket.ts';
import type { S3Config } from '../s3/s3-call.ts';

/** Configuration of a bucket that does not exist yet, on the S3 test server. */
export function s3TestConfig(): S3Config {
  const { S3_ENDPOINT: endpoint, S3_ACCESS_KEY: accessKey, S3_SECRET_KEY: secretKey } = process.env;
  if (!endpoint || !accessKey || !secretKey) {
    throw new Error(
      'These tests run on a real S3 server: set S3_ENDPOINT, S3_ACCESS_KEY and S3_SECRET_KEY, or run ./scripts/test, which starts one',
    );
  }
  return { endpoint, accessKey, secretKey, bucket: `spec-${randomBytes(6).toString('hex')}` };
}

/** Removes the bucket of a spec. */
export async function removeBucket(bucket: S3Bucket): Promise<void> {
  const { client, name } = bucket;
  if (await client.bucketExists(name)) await client.removeBucket(name);
}
