import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, realpath, rm, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type {
  BlobCopy,
  BlobRange,
  BlobStat,
  BlobStore,
  ListOptions,
  PutOptions,
} from '@pilothouse/core/ports/blob-store.port';
import type { Clock } from '@pilothouse/core/ports/runtime.port';
import { errorCode } from '../code-of.ts';
import { checkContentType, checkPrefix, splitKey } from '../object-key.ts';
import { limitBody } from '../limit-body.ts';
import { objectNotFound, resolveByteRange } from '../byte-range.ts';
import { folderProblem, hasNoSymlinks, linkDurably, moveDurably, removeDurably, toWriteError } from './durable-fs.ts';
import { contentTypeFooter, listKeys, readFooter } from './object-file.ts';

// Keys never contain "~", so this folder never collides with an object. It is on the file system of the objects,
// because a rename is atomic only within one file system.
const TEMPORARY_FOLDER = '~tmp';
const TEMPORARY_FILE_TTL_MS = 24 * 3600 * 1000;

/**
 * Stores objects as files of a folder, and creates the folder when it is missing. Removes temporary files of
 * interrupted writes that are older than a day.
 * @throws PilothouseError UNAVAILABLE when the folder cannot be used
 */
export async function createFolderStore(dir: string, clock: Pick<Clock, 'now'>): Promise<BlobStore> {
  try {
    await mkdir(join(dir, TEMPORARY_FOLDER), { recursive: true, mode: 0o700 });
    const root = await realpath(dir);
    await sweep(join(root, TEMPORARY_FOLDER), clock.now().getTime() - TEMPORARY_FILE_TTL_MS);
    return new FolderStore(root);
  } catch (error) {
    throw folderUnavailable(dir, error);
  }
}

const folderUnavailable = (dir: string, error: unknown) =>
  new PilothouseError('UNAVAILABLE', `The object folder ${dir} is not usable: ${folderProblem(error)}`, {
    cause: error,
  });

async function sweep(folder: string, cutoffMs: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: Infinity }));
    if (mtimeMs < cutoffMs) await rm(file, { force: true });
  }
}

class FolderStore implements BlobStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  async put(
    key: string,
    body: Readable | Buffer,
    { contentType, isNew = false, ...limits }: PutOptions,
  ): Promise<BlobStat> {
    const segments = splitKey(key);
    checkContentType(contentType);
    const temporary = this.#temporary();
    try {
      const size = await writeFile(temporary, limitBody(body, limits), contentTypeFooter(contentType));
      const { mtime } = await stat(temporary);
      await moveDurably(this.#root, temporary, segments, isNew);
      return { size, contentType, modifiedAt: mtime };
    } catch (error) {
      await rm(temporary, { force: true });
      throw toWriteError(error, key);
    }
  }

  async get(key: string, range?: BlobRange): Promise<Readable> {
    const object = await this.#open(key);
    if (!object) throw objectNotFound(key);
    const { file, size } = object;
    try {
      const span = resolveByteRange(range, size);
      if (span.start <= span.end) return file.createReadStream(span);
      await file.close();
      return Readable.from([]);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  async stat(key: string): Promise<BlobStat | null> {
    const object = await this.#open(key);
    if (!object) return null;
    const { file, ...blobStat } = object;
    await file.close();
    return blobStat;
  }

  async copy(copies: readonly BlobCopy[]): Promise<string[]> {
    const files = copies.map(({ source, target }) => ({
      key: source,
      source: splitKey(source),
      target: splitKey(target),
    }));
    try {
      return await linkDurably(this.#root, files, () => this.#temporary());
    } catch (error) {
      throw toWriteError(error, copies[0]?.target ?? '');
    }
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const segments of keys.map(splitKey)) await removeDurably(this.#root, segments);
  }

  async *list(prefix: string, { startAfter = '' }: ListOptions = {}): AsyncGenerator<string> {
    checkPrefix(prefix);
    for await (const key of listKeys(this.#root, prefix)) if (key > startAfter) yield key;
  }

  async check(): Promise<void> {
    const probe = this.#temporary();
    try {
      const expected = Buffer.from(`probe ${randomUUID()}`);
      await writeFile(probe, [expected], contentTypeFooter('text/plain'));
      const file = await open(probe, 'r');
      try {
        const content = await file.readFile();
        if (!content.subarray(0, expected.length).equals(expected))
          throw new Error('the content differs from what was written');
      } finally {
        await file.close();
      }
    } catch (error) {
      throw folderUnavailable(this.#root, error);
    } finally {
      await rm(probe, { force: true }).catch(() => undefined);
    }
  }

  #temporary(): string {
    return join(this.#root, TEMPORARY_FOLDER, randomUUID());
  }

  /** Opens the file of a key and reads its facts. Null: no such object. The caller closes the file. */
  async #open(key: string): Promise<(BlobStat & { file: FileHandle }) | null> {
    const path = join(this.#root, ...splitKey(key));
    if (!(await hasNoSymlinks(dirname(path)))) return null;
    let file: FileHandle;
    try {
      // NONBLOCK: opening a named pipe must not wait for its other end.
      file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(errorCode(error))) return null;
      throw folderUnavailable(this.#root, error);
    }
    try {
      const facts = await file.stat();
      const object = facts.isFile() ? await readFooter(file, facts.size) : null;
      if (object) return { file, ...object, modifiedAt: facts.mtime };
    } catch (error) {
      await file.close();
      throw folderUnavailable(this.#root, error);
    }
    await file.close();
    return null;
  }
}

/** Writes a new file and syncs it. Returns the number of bytes before the footer. */
async function writeFile(
  path: string,
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  footer: Buffer,
): Promise<number> {
  const file = await open(path, 'wx', 0o600);
  try {
    let size = 0;
    for await (const chunk of chunks) {
      await file.writeFile(chunk);
      size += chunk.length;
    }
    await file.writeFile(footer);
    await file.sync();
    return size;
  } finally {
    await file.close();
  }
}
