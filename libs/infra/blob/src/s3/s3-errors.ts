import type { ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { S3CallError, type S3Config, S3TimeoutError } from './s3-call.ts';

type BucketAddress = Pick<S3Config, 'endpoint' | 'bucket'>;

/** True when the object or the bucket does not exist. */
export const isMissing = (error: unknown) =>
  error instanceof S3CallError && ['NoSuchKey', 'NotFound', 'NoSuchBucket'].includes(error.code);

/** True when the bucket does not exist. */
export const isBucketMissing = (error: unknown) => error instanceof S3CallError && error.code === 'NoSuchBucket';

/** True when a write-once object already exists. */
export const isTaken = (error: unknown) =>
  error instanceof S3CallError && ['PreconditionFailed', 'ConditionalRequestConflict'].includes(error.code);

/** Configuration problems by the error code of the store. Each text names the setting to check. */
const CONFIGURATION_ERRORS: Record<string, (bucket: BucketAddress) => string> = {
  SignatureDoesNotMatch: () => 'it rejects the signature; check S3_SECRET_KEY',
  InvalidAccessKeyId: () => 'the access key is unknown; check S3_ACCESS_KEY',
  AccessDenied: ({ bucket }) =>
    `it denies access to the bucket ${bucket}; check S3_ACCESS_KEY, S3_SECRET_KEY and the permissions of the key`,
  NoSuchBucket: ({ bucket }) => `the bucket ${bucket} does not exist; check S3_BUCKET`,
  InvalidBucketName: ({ bucket }) => `${bucket} is not a bucket name; check S3_BUCKET`,
  InvalidBucketNameError: ({ bucket }) => `${bucket} is not a bucket name; check S3_BUCKET`,
  BucketAlreadyExists: ({ bucket }) => `the bucket ${bucket} belongs to another account; choose another S3_BUCKET`,
  AuthorizationHeaderMalformed: () => 'it is in another region; check S3_REGION',
  PermanentRedirect: () => 'the bucket is in another region; check S3_REGION and S3_ENDPOINT',
  MovedPermanently: () => 'the bucket is in another region; check S3_REGION and S3_ENDPOINT',
  RequestTimeTooSkewed: () => 'the clocks of this machine and of the store differ; set them',
};

const CONNECTION_ERRORS: Record<string, string> = {
  ECONNREFUSED: 'no server listens at this address',
  ENOTFOUND: 'the host is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
  ETIMEDOUT: 'it does not answer',
  ECONNRESET: 'it closed the connection',
  EPIPE: 'it closed the connection',
  EPROTO: 'it does not speak TLS; check http or https',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed; trust it with NODE_EXTRA_CA_CERTS',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted; trust it with NODE_EXTRA_CA_CERTS',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted; trust it with NODE_EXTRA_CA_CERTS',
  CERT_HAS_EXPIRED: 'its certificate has expired',
};

/**
 * Converts a failed call to a PilothouseError.
 * @param fallbackCode code for a refusal by a store that is reachable and configured correctly
 */
export function toS3Error(
  error: unknown,
  bucket: BucketAddress,
  fallbackCode: ErrorCode = 'UNAVAILABLE',
): PilothouseError {
  if (error instanceof PilothouseError) return error;
  if (!(error instanceof S3CallError)) return failure(fallbackCode, bucket, String(error), error);
  const reason: unknown = error.call.signal.reason;
  if (reason instanceof PilothouseError) return reason;
  if (error.call.signal.aborted && !(reason instanceof S3TimeoutError))
    return failure(fallbackCode, bucket, 'aborted', error);
  const timeout = [reason, error.cause].find((cause) => cause instanceof S3TimeoutError);
  if (timeout) return failure('UNAVAILABLE', bucket, `${timeout.message}; check S3_ENDPOINT`, error);
  const unreachableReason = CONNECTION_ERRORS[error.code];
  if (unreachableReason) return failure('UNAVAILABLE', bucket, `${unreachableReason}; check S3_ENDPOINT`, error);
  const setting = CONFIGURATION_ERRORS[error.code];
  if (setting) return failure('UNAVAILABLE', bucket, setting(bucket), error);
  const { status } = error.call;
  if (status === 507) return failure(fallbackCode, bucket, 'the store is full', error);
  if (status !== undefined && status >= 500) return failure('UNAVAILABLE', bucket, `it answers ${status}`, error);
  return failure(fallbackCode, bucket, `${error.code} ${error.message}`.trim(), error);
}

const failure = (code: ErrorCode, { endpoint }: BucketAddress, description: string, cause: unknown) =>
  new PilothouseError(code, `The object store at ${endpoint} failed: ${description}`, { cause });
