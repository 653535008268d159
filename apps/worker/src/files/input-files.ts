import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { idSchema } from '@pilothouse/contract/primitives.schema';
import type { FileFacts } from '@pilothouse/core/agent/file-inputs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import { downloadFile } from './signed-transfer.ts';

/** Milliseconds for the answer of the gateway. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Downloads the file inputs of a run on first use. They stay on disk until the attempt ends. */
export class InputFiles {
  private readonly base: Pick<AttemptBase, 'link' | 'clock' | 'timers' | 'random' | 'gatewayUrl' | 'cancellation'>;
  private readonly workspace: () => string;
  private readonly downloads = new Map<string, Promise<string>>();

  /** @param workspace folder of the attempt */
  constructor(base: InputFiles['base'], workspace: () => string) {
    this.base = base;
    this.workspace = workspace;
  }

  /** Downloads an upload. @returns its path; the file has the name of the upload @throws PilothouseError UPLOAD_FAILED, NOT_FOUND */
  download(upload: string): Promise<string> {
    const existing = this.downloads.get(upload);
    if (existing) return existing;
    const download = this.fetch(upload);
    this.downloads.set(upload, download);
    download.catch(() => this.downloads.delete(upload));
    return download;
  }

  /** Name, type and size of an upload, without a download. @throws PilothouseError NOT_FOUND */
  async facts(upload: string): Promise<FileFacts> {
    const { link, clock, cancellation } = this.base;
    const { signal } = cancellation;
    const deadline = clock.monotonic() + REQUEST_TIMEOUT_MS;
    const { name, contentType, size } = await link.request('file.request', { upload }, { signal, deadline });
    return { id: upload, name, contentType, size };
  }

  private async fetch(upload: string): Promise<string> {
    const { link, clock, timers, random, gatewayUrl, cancellation } = this.base;
    const { signal } = cancellation;
    if (!idSchema.safeParse(upload).success) {
      throw new PilothouseError('UPLOAD_FAILED', `"${upload}" is not an upload id. Use a file input of the workflow.`);
    }
    const deadline = clock.monotonic() + REQUEST_TIMEOUT_MS;
    const { name, size, transfer } = await link.request('file.request', { upload }, { signal, deadline });
    // One folder per upload: two uploads may have the same file name.
    const folder = join(this.workspace(), 'inputs', upload);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const path = join(folder, safeName(name));
    await downloadFile(transfer, path, size, { gatewayUrl, random, timers, signal });
    return path;
  }
}

/** Converts a name into one path segment. */
function safeName(name: string): string {
  const part = [...name].map((letter) => (letter === '/' || letter === '\\' || letter < ' ' ? '_' : letter)).join('');
  const short = part.length > 200 ? part.slice(-200) : part;
  return short === '' || short === '.' || short === '..' ? 'file' : short;
}
