import type { ExportDestinationConfig } from '@pilothouse/contract/learning/export-destination.schema';
import type { ExportDestination } from '@pilothouse/core/ports/export-destination.port';
import type { Timers } from '@pilothouse/core/time/timers';
import { GcsDestination } from './gcs.destination.ts';
import { S3Destination } from './s3.destination.ts';

export interface DestinationCredentials {
  /** Keys for S3. */
  readonly accessKey: string;
  readonly secretKey: string;
  /** Service account for Cloud Storage. Undefined: the identity of the machine. */
  readonly keyFile: string | undefined;
}

/** Creates a destination. Sends no request. @throws PilothouseError UNAVAILABLE for an endpoint that cannot be used */
export function createExportDestination(
  config: ExportDestinationConfig,
  { accessKey, secretKey, keyFile }: DestinationCredentials,
  timers?: Timers,
): ExportDestination {
  const { bucket, folder, endpoint } = config;
  if (config.kind === 'gcs') return new GcsDestination({ bucket, folder, keyFile, endpoint }, timers);
  const { region } = config;
  return new S3Destination(
    { endpoint: config.endpoint, bucket, accessKey, secretKey, ...(region !== undefined && { region }) },
    folder,
  );
}
