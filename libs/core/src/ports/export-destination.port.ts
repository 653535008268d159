import type { Readable } from 'node:stream';

/** A bucket that receives the files of exports. */
export interface ExportDestination {
  /** Address of a key, e.g. `gs://bucket/folder/key`. */
  uri(key: string): string;
  /**
   * Stores a complete object, and replaces an existing one. Memory does not depend on its size.
   * @throws PilothouseError UNAVAILABLE (repeat later), UPLOAD_FAILED if the bucket refuses; the reason of the signal
   */
  put(key: string, body: Readable, file: DestinationFile, signal: AbortSignal): Promise<void>;
}

/** Facts about the content of an object. */
export interface DestinationFile {
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
}
