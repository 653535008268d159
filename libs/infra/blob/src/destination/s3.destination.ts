import type { Readable } from 'node:stream';
import type { DestinationFile, ExportDestination } from '@pilothouse/core/ports/export-destination.port';
import { S3Bucket } from '../s3/s3-bucket.ts';
import type { S3Config } from '../s3/s3-call.ts';
import { S3Store } from '../s3/s3.store.ts';
import { destinationKey } from './destination-key.ts';

/** Receives exports in an S3 bucket. */
export class S3Destination implements ExportDestination {
  readonly #store: S3Store;
  readonly #bucket: string;
  readonly #folder: string | undefined;

  constructor(config: S3Config, folder: string | undefined) {
    this.#store = new S3Store(new S3Bucket(config));
    this.#bucket = config.bucket;
    this.#folder = folder;
  }

  uri(key: string): string {
    return `s3://${this.#bucket}/${destinationKey(this.#folder, key)}`;
  }

  async put(key: string, body: Readable, { size, contentType }: DestinationFile, signal: AbortSignal): Promise<void> {
    await this.#store.put(destinationKey(this.#folder, key), body, { contentType, maxBytes: size, signal });
  }
}
