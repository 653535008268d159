import aws4 from 'aws4';
import { DEFAULT_REGION, parseEndpoint, type S3Config } from './s3-call.ts';

export interface PresignedPut {
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
export function presignPut(config: Omit<S3Config, 'bucket'>, put: PresignedPut): string {
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
