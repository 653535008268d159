import type { Readable } from 'node:stream';
import type { Transfer } from '@pilothouse/contract';

/** A stored object. */
export interface BlobStat {
  /** Bytes. */
  readonly size: number;
  readonly contentType: string;
  readonly modifiedAt: Date;
}

export interface BlobRange {
  /** First byte. */
  readonly start: number;
  /** Last byte, included; to the end when left out. */
  readonly end?: number;
}

/** Object store. Keys are paths of `[A-Za-z0-9._-]` segments; others fail with VALIDATION_FAILED. Writes are atomic. */
export interface BlobStore {
  /**
   * Stores an object whole.
   * @throws PilothouseError PAYLOAD_TOO_LARGE beyond `maxBytes`, CONFLICT when `isNew` and the key is taken, UPLOAD_FAILED when the
   *   store refuses; nothing is left behind.
   */
  put(key: string, body: Readable | Buffer, options: PutOptions): Promise<BlobStat>;
  /** Opens an object. @throws PilothouseError NOT_FOUND */
  get(key: string, range?: BlobRange): Promise<Readable>;
  /** Facts of an object, or null. */
  stat(key: string): Promise<BlobStat | null>;
  /** Removes objects. Missing objects are ignored. */
  delete(keys: readonly string[]): Promise<void>;
  /** Keys that begin with the prefix, in order. */
  list(prefix: string): AsyncIterable<string>;
  /**
   * Checks the connection.
   * @throws PilothouseError UNAVAILABLE with the cause
   */
  check(): Promise<void>;
}

export interface PutOptions {
  readonly contentType: string;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /** Never replaces an object that is there. Default: false. */
  readonly isNew?: boolean;
}

/** Signed, expiring ways to send and fetch one object without any other credential. */
export interface SignedTransfers {
  /**
   * A way to send exactly this object, once: no other key, no other type, no more bytes, not after the expiry. A store that cannot
   * limit a body takes exactly `maxBytes`.
   */
  upload(key: string, options: { contentType: string; maxBytes: number; expiresInSeconds: number }): Promise<Transfer>;
  /** A way to fetch it, under this file name. A type that a browser might run is served as unknown; `inline` counts for images, videos and PDF only. */
  download(
    key: string,
    options: { name: string; contentType: string; expiresInSeconds: number; inline?: boolean },
  ): Promise<Transfer>;
}
