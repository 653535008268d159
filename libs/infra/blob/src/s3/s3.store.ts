import type { Readable } from 'node:stream';
import { CopyDestinationOptions, CopySourceOptions } from 'minio';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type {
  BlobCopy,
  BlobRange,
  BlobStat,
  BlobStore,
  ListOptions,
  PutOptions,
} from '@pilothouse/core/ports/blob-store.port';
import { checkContentType, checkPrefix, splitKey } from '../object-key.ts';
import { limitBody } from '../limit-body.ts';
import { alreadyThere, objectNotFound, resolveByteRange } from '../byte-range.ts';
import type { S3Bucket } from './s3-bucket.ts';
import { isMissing, isTaken, toS3Error } from './s3-errors.ts';
import { uploadObject } from './s3-upload.ts';

const PAGE_SIZE = 1000;

/** Maximum number of concurrent copies. */
const CONCURRENT_COPIES = 16;

/** Stores objects in an S3-compatible bucket. */
export class S3Store implements BlobStore {
  readonly #bucket: S3Bucket;

  constructor(bucket: S3Bucket) {
    this.#bucket = bucket;
  }

  async put(key: string, body: Readable | Buffer, options: PutOptions): Promise<BlobStat> {
    splitKey(key);
    checkContentType(options.contentType);
    // Some servers do not support the condition for multipart uploads.
    if (options.isNew && (await this.stat(key))) throw alreadyThere(key);
    try {
      await uploadObject(this.#bucket, limitBody(body, options), { key, ...options });
    } catch (error) {
      throw isTaken(error) ? alreadyThere(key) : toS3Error(error, this.#bucket.config, 'UPLOAD_FAILED');
    }
    const stat = await this.stat(key);
    if (!stat) throw new PilothouseError('UPLOAD_FAILED', `The object ${key} was not stored: the store has lost it`);
    return stat;
  }

  async get(key: string, range?: BlobRange): Promise<Readable> {
    splitKey(key);
    const { name } = this.#bucket;
    if (!range) return this.#callForKey(key, () => this.#bucket.call((client) => client.getObject(name, key)));
    const stat = await this.stat(key);
    if (!stat) throw objectNotFound(key);
    const { start, end } = resolveByteRange(range, stat.size);
    const length = end - start + 1;
    return this.#callForKey(key, () =>
      this.#bucket.call((client) => client.getPartialObject(name, key, start, length)),
    );
  }

  async stat(key: string): Promise<BlobStat | null> {
    splitKey(key);
    try {
      const found = await this.#bucket.call((client) => client.statObject(this.#bucket.name, key));
      const contentType: unknown = found.metaData['content-type'];
      return {
        size: found.size,
        contentType: typeof contentType === 'string' ? contentType : 'application/octet-stream',
        modifiedAt: found.lastModified,
      };
    } catch (error) {
      if (isMissing(error)) return null;
      throw toS3Error(error, this.#bucket.config);
    }
  }

  async copy(copies: readonly BlobCopy[]): Promise<string[]> {
    for (const { source, target } of copies) [source, target].forEach(splitKey);
    const missing: string[] = [];
    const queue = copies.values();
    const copyNext = async () => {
      for (const { source, target } of queue) if (!(await this.#copyOne(source, target))) missing.push(source);
    };
    await Promise.all(Array.from({ length: CONCURRENT_COPIES }, copyNext));
    return missing;
  }

  /** @returns false if the source does not exist */
  async #copyOne(sourceKey: string, targetKey: string): Promise<boolean> {
    const { config, name } = this.#bucket;
    const source = new CopySourceOptions({ Bucket: name, Object: sourceKey });
    const target = new CopyDestinationOptions({ Bucket: name, Object: targetKey });
    try {
      await this.#bucket.call((client) => client.copyObject(source, target));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw toS3Error(error, config, 'UPLOAD_FAILED');
    }
  }

  async delete(keys: readonly string[]): Promise<void> {
    keys.forEach(splitKey);
    const { config, name } = this.#bucket;
    try {
      for (let start = 0; start < keys.length; start += PAGE_SIZE) {
        const page = keys.slice(start, start + PAGE_SIZE);
        const failures = await this.#bucket.call((client) => client.removeObjects(name, page));
        if (failures.length === 0) continue;
        throw new PilothouseError('UNAVAILABLE', `The object store did not remove ${failures.length} objects`);
      }
    } catch (error) {
      throw toS3Error(error, config);
    }
  }

  async *list(prefix: string, { startAfter = '' }: ListOptions = {}): AsyncGenerator<string> {
    checkPrefix(prefix);
    const { config, name } = this.#bucket;
    let token = '';
    do {
      const query = () =>
        this.#bucket.call((client) => client.listObjectsV2Query(name, prefix, token, '', PAGE_SIZE, startAfter));
      const page = await query().catch((error: unknown) => {
        throw toS3Error(error, config);
      });
      for (const object of page.objects) if (object.name) yield object.name;
      token = page.isTruncated ? page.nextContinuationToken : '';
    } while (token);
  }

  async check(): Promise<void> {
    const { config, name } = this.#bucket;
    try {
      await this.#bucket.call((client) => client.listObjectsV2Query(name, '', '', '', 1, ''), { ms: 5_000 });
    } catch (error) {
      throw toS3Error(error, config);
    }
  }

  async #callForKey<T>(key: string, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      throw isMissing(error) ? objectNotFound(key) : toS3Error(error, this.#bucket.config);
    }
  }
}
