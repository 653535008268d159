import { PostPolicy } from 'minio';
import type { Clock, Transfers } from '@pilothouse/core';
import { checkContentType, isActive } from '../content-type.ts';
import { segmentsOf } from '../key.ts';
import { dispositionOf } from '../link/disposition.ts';
import { clientOf, type Bucket } from './bucket.ts';
import { s3Failure } from './failure.ts';

export interface S3TransfersOptions {
  readonly bucket: Bucket;
  /** Where the receiver of the links reaches the store, when that is another address than the one we use. */
  readonly endpoint?: string;
  readonly clock: Pick<Clock, 'now'>;
}

/** Transfers straight to and from the store: presigned GET, and for uploads a POST policy that fixes key, type and size. */
export function s3Transfers({ bucket, endpoint, clock }: S3TransfersOptions): Transfers {
  // Signing needs no request; the host is signed too, so it must be the one the receiver uses.
  const client = clientOf({ ...bucket.config, ...(endpoint !== undefined && { endpoint }) });
  const expiryOf = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);
  return {
    async upload(key, { contentType, maxBytes, expiresInSeconds }) {
      segmentsOf(key);
      checkContentType(contentType);
      await bucket.ready();
      const expires = expiryOf(expiresInSeconds);
      const policy = new PostPolicy();
      policy.setBucket(bucket.name);
      policy.setKey(key);
      policy.setContentType(contentType);
      policy.setContentLengthRange(0, maxBytes);
      policy.setExpires(expires);
      const { postURL, formData } = await signed(client.presignedPostPolicy(policy), bucket);
      const fields = Object.fromEntries(Object.entries(formData).map(([name, value]) => [name, String(value)]));
      return { method: 'POST', url: postURL, headers: {}, fields, expiresAt: expires.toISOString() };
    },
    async download(key, { name, contentType, expiresInSeconds, inline = false }) {
      segmentsOf(key);
      checkContentType(contentType);
      const answer = {
        'response-content-type': contentType,
        // The store cannot sandbox a page as the API does, so one is only ever saved.
        'response-content-disposition': dispositionOf(name, inline && !isActive(contentType)),
      };
      const presigned = client.presignedGetObject(bucket.name, key, expiresInSeconds, answer, clock.now());
      const url = await signed(presigned, bucket);
      return { method: 'GET', url, headers: {}, expiresAt: expiryOf(expiresInSeconds).toISOString() };
    },
  };
}

async function signed<T>(signing: Promise<T>, { config }: Bucket): Promise<T> {
  try {
    return await signing;
  } catch (error) {
    throw s3Failure(error, config);
  }
}
