import type { SignedTransfers } from '@pilothouse/core/ports/blob-store.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { checkContentType, servedTypeOf, splitKey } from '../object-key.ts';
import { contentDisposition } from '../signed-url/object-http.ts';
import { createS3Client, type S3Bucket } from './s3-bucket.ts';
import { toS3Error } from './s3-errors.ts';
import { presignPut } from './presigned.put.ts';

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
