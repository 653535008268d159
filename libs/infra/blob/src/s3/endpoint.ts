import { PilothouseError } from '@pilothouse/contract';

/** How to reach a bucket. */
export interface S3Config {
  /** `http://host:port` or `https://host`; objects are addressed by path (`/bucket/key`). */
  readonly endpoint: string;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly bucket: string;
  /** Default `us-east-1`, which servers other than Amazon's take as none. */
  readonly region?: string;
}

export const DEFAULT_REGION = 'us-east-1';

/** An endpoint as the S3 client wants it. @throws PilothouseError UNAVAILABLE with a sentence that says what to set. */
export function parseEndpoint(endpoint: string): { endPoint: string; port: number; useSSL: boolean } {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null;
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw wrong(endpoint, 'it is no http or https URL, such as http://127.0.0.1:9000');
  }
  if (url.pathname !== '/' || url.search || url.hash) throw wrong(endpoint, 'it has a path; the bucket is set apart');
  if (url.username || url.password) throw wrong(url.host, 'it has a user in it; the keys are set apart');
  const useSSL = url.protocol === 'https:';
  return { endPoint: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port) || (useSSL ? 443 : 80), useSSL };
}

const wrong = (endpoint: string, why: string) =>
  new PilothouseError('UNAVAILABLE', `The S3 endpoint ${endpoint} cannot be used: ${why}`);
