import type { Readable } from 'node:stream';
import type { Transfer } from '@pilothouse/contract/run/artifact.schema';

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
  /** Last byte, inclusive (default: the end). */
  readonly end?: number;
}

/** Source and target of a copy. */
export interface BlobCopy {
  readonly source: string;
  readonly target: string;
}

/** Object store. Keys are paths of `[A-Za-z0-9._-]` segments; others fail with VALIDATION_FAILED. Writes are atomic. */
export interface BlobStore {
  /**
   * Stores a complete object.
   * @throws PilothouseError PAYLOAD_TOO_LARGE beyond `maxBytes`, CONFLICT when `isNew` and the key is taken, UPLOAD_FAILED when the
   *   store refuses; nothing is left behind.
   */
  put(key: string, body: Readable | Buffer, options: PutOptions): Promise<BlobStat>;
  /** Opens an object. @throws PilothouseError NOT_FOUND */
  get(key: string, range?: BlobRange): Promise<Readable>;
  /** Facts of an object, or null. */
  stat(key: string): Promise<BlobStat | null>;
  /**
   * Copies objects inside of the store, and replaces existing ones. A copy shares no changes with its source.
   * @returns source keys that do not exist
   */
  copy(copies: readonly BlobCopy[]): Promise<string[]>;
  /** Removes objects. Missing objects are ignored. */
  delete(keys: readonly string[]): Promise<void>;
  /** Keys that begin with the prefix, in order. With `after`: only later keys. */
  list(prefix: string, options?: ListOptions): AsyncIterable<string>;
  /**
   * Checks the connection.
   * @throws PilothouseError UNAVAILABLE with the cause
   */
  check(): Promise<void>;
}

export interface ListOptions {
  /** A key. It need not exist. */
  readonly startAfter?: string;
}

export interface PutOptions {
  readonly contentType: string;
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
  /** Does not replace an existing object. Default: false. */
  readonly isNew?: boolean;
}

/** Signed, expiring transfers of one object without further credentials. */
export interface SignedTransfers {
  /**
   * Grants one upload of this object, with this key and type and at most `maxBytes`, before the expiry. A store that
   * cannot limit a body accepts exactly `maxBytes`.
   */
  upload(key: string, options: { contentType: string; maxBytes: number; expiresInSeconds: number }): Promise<Transfer>;
  /**
   * Grants downloads of the object under this file name. A type that a browser might run is served as unknown. `inline`
   * applies only to images, videos and PDF.
   */
  download(
    key: string,
    options: { name: string; contentType: string; expiresInSeconds: number; inline?: boolean },
  ): Promise<Transfer>;
}
