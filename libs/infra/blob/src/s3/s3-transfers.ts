import type { SignedTransfers } from '@pilothouse/core/ports/blob-store.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import aws4 from 'aws4';
import { checkContentType, servedTypeOf, splitKey } from '../object-key.ts';
import { contentDisposition } from '../signed-url/object-http.ts';
import { createS3Client, type S3Bucket } from './s3-bucket.ts';
import { DEFAULT_REGION, parseEndpoint, type S3Config } from './s3-call.ts';
import { toS3Error } from './s3-errors.ts';

interface PresignedPut {
  readonly bucket: string;
  readonly key: string;
  /** Headers that the client must send unchanged, or the store refuses the request. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly expiresInSeconds: number;
  readonly now: Date;
}

/**
 * Creates the URL of a PUT whose headers are part of the signature (AWS Signature Version 4). The S3 client signs the
 * host only.
 */
function presignPut(config: Omit<S3Config, 'bucket'>, put: PresignedPut): string {
  const { endpoint, accessKey, secretKey, region = DEFAULT_REGION } = config;
  parseEndpoint(endpoint);
  const { host, origin } = new URL(endpoint);
  const query = new URLSearchParams({
    'X-Amz-Date': put.now.toISOString().replaceAll(/[:-]|\.\d{3}/g, ''),
    'X-Amz-Expires': String(put.expiresInSeconds),
  });
  const { path = '' } = aws4.sign(
    {
      service: 's3',
      region,
      method: 'PUT',
      path: `/${put.bucket}/${put.key}?${query}`,
      headers: { host, ...put.headers },
      signQuery: true,
    },
    { accessKeyId: accessKey, secretAccessKey: secretKey },
  );
  return origin + path;
}

export interface S3TransfersOptions {
  readonly bucket: S3Bucket;
  /** Store address for the receiver of the links, when it differs from ours. */
  readonly endpoint?: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** Direct transfers: presigned GET, and for uploads a presigned PUT that fixes key, type and size. */
export function createS3Transfers({ bucket, endpoint, clock }: S3TransfersOptions): SignedTransfers {
  // Signing needs no request. The host is signed, so it must be the one that the receiver uses.
  const config = { ...bucket.config, ...(endpoint !== undefined && { endpoint }) };
  const client = createS3Client(config);
  const expiryOf = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000).toISOString();
  return {
    async upload(key, { contentType, maxBytes, expiresInSeconds }) {
      splitKey(key);
      checkContentType(contentType);
      await bucket.ready();
      // The condition makes the link write once: the store refuses it when the object exists.
      const headers = { 'content-type': contentType, 'if-none-match': '*' };
      const url = presignPut(config, {
        bucket: bucket.name,
        key,
        // Senders compute the length themselves; as part of the signature it fixes the size of the object.
        headers: { ...headers, 'content-length': String(maxBytes) },
        expiresInSeconds,
        now: clock.now(),
      });
      return { method: 'PUT', url, headers, expiresAt: expiryOf(expiresInSeconds) };
    },
    async download(key, { name, contentType, expiresInSeconds }) {
      splitKey(key);
      checkContentType(contentType);
      const answer = {
        'response-content-type': servedTypeOf(contentType),
        // The store sends neither Content-Security-Policy nor nosniff, so its objects are only downloaded or embedded.
        'response-content-disposition': contentDisposition(name, false),
      };
      try {
        const url = await client.presignedGetObject(bucket.name, key, expiresInSeconds, answer, clock.now());
        return { method: 'GET', url, headers: {}, expiresAt: expiryOf(expiresInSeconds) };
      } catch (error) {
        throw toS3Error(error, bucket.config);
      }
    },
  };
}
