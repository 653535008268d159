import { idSchema, PilothouseError } from '@pilothouse/contract';
import type { Clock, FileFacts } from '@pilothouse/core';
import type { AttemptLink } from '@pilothouse/infra-link';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { downloadFile, type TransferOptions } from './signed-transfer.ts';

const ANSWER_MS = 30_000;

export interface InputFilesOptions extends TransferOptions {
  readonly link: Pick<AttemptLink, 'request'>;
  readonly clock: Clock;
  /** Folder of the attempt. */
  readonly folder: string;
}

/** The file inputs of a run, fetched when a step first wants them and kept until the attempt ends. */
export class InputFiles {
  private readonly options: InputFilesOptions;
  private readonly known = new Map<string, Promise<string>>();

  constructor(options: InputFilesOptions) {
    this.options = options;
  }

  /** Path of an upload on disk, under the name it was uploaded with. @throws PilothouseError UPLOAD_FAILED, NOT_FOUND */
  download(upload: string): Promise<string> {
    const known = this.known.get(upload);
    if (known) return known;
    const fetched = this.fetch(upload);
    this.known.set(upload, fetched);
    fetched.catch(() => this.known.delete(upload));
    return fetched;
  }

  /** What an upload is, without fetching it. @throws PilothouseError NOT_FOUND */
  async facts(upload: string): Promise<FileFacts> {
    const { link, clock, signal } = this.options;
    const deadline = clock.monotonic() + ANSWER_MS;
    const { name, contentType, size } = await link.request('file.request', { upload }, { signal, deadline });
    return { id: upload, name, contentType, size };
  }

  private async fetch(upload: string): Promise<string> {
    const { link, clock, folder, signal } = this.options;
    if (!idSchema.safeParse(upload).success) {
      throw new PilothouseError(
        'UPLOAD_FAILED',
        `"${upload}" is not the id of an upload; name a file input of the workflow`,
      );
    }
    const deadline = clock.monotonic() + ANSWER_MS;
    const { name, size, transfer } = await link.request('file.request', { upload }, { signal, deadline });
    // One folder each: two files may have one name.
    const own = join(folder, 'inputs', upload);
    await mkdir(own, { recursive: true, mode: 0o700 });
    const path = join(own, safeName(name));
    await downloadFile(transfer, path, size, this.options);
    return path;
  }
}

/** The name as one part of a path. */
function safeName(name: string): string {
  const part = [...name].map((letter) => (letter === '/' || letter === '\\' || letter < ' ' ? '_' : letter)).join('');
  const short = part.length > 200 ? part.slice(-200) : part;
  return short === '' || short === '.' || short === '..' ? 'file' : short;
}
