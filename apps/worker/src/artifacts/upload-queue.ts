import { toPilothouseError, type PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import { settlesWithin } from '@pilothouse/core/time/deadlines';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import { ArtifactUploader, type PendingArtifact, type UploaderBase } from './artifact-uploader.ts';

const MAX_PARALLEL_UPLOADS = 2;
/** Maximum bytes that wait in memory. A file beyond this is dropped and reported as an event. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024;
/** Bytes in memory. A `Blob` of a file stays on disk. */
const memoryOf = ({ body }: PendingArtifact) => (body instanceof Blob ? 0 : body.length);

/** Uploads the files of an attempt while its steps run. */
export class UploadQueue {
  private readonly base: UploaderBase & Pick<AttemptBase, 'events'>;
  private readonly uploader: ArtifactUploader;
  private readonly stop = new AbortController();
  private readonly pending: PendingArtifact[] = [];
  private pendingBytes = 0;
  private readonly running = new Set<Promise<void>>();

  constructor(base: UploadQueue['base']) {
    this.base = base;
    this.uploader = new ArtifactUploader(base);
  }

  get isBusy(): boolean {
    return this.running.size > 0;
  }

  add(file: PendingArtifact): void {
    if (this.pendingBytes + memoryOf(file) > MAX_PENDING_BYTES) {
      this.reportLost(file, { code: 'UPLOAD_FAILED', message: 'Too many files wait for upload' });
      return;
    }
    this.pending.push(file);
    this.pendingBytes += memoryOf(file);
    this.next();
  }

  /** Waits until all files are stored or have failed. Gives up the remaining ones after `timeoutMs`. */
  async waitUntilStored(timeoutMs: number): Promise<void> {
    if (await settlesWithin(this.whenIdle(), timeoutMs, this.base.timers)) return;
    this.abandon(`The files of the run were not stored within ${Math.round(timeoutMs / 1000)} s`);
    await this.whenIdle();
  }

  /** Gives up all files that are not stored. */
  abandon(reason: string): void {
    const dropped = this.pending.splice(0);
    this.pendingBytes = 0;
    for (const file of dropped) this.reportLost(file, { code: 'UPLOAD_FAILED', message: reason });
    if (this.running.size > 0) this.stop.abort(new Error(reason));
  }

  private async whenIdle(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private next(): void {
    while (this.running.size < MAX_PARALLEL_UPLOADS) {
      const file = this.pending.shift();
      if (!file) return;
      this.pendingBytes -= memoryOf(file);
      const upload = this.uploader
        .upload(file, AbortSignal.any([this.stop.signal, this.base.link.lossSignal]))
        .then(() => undefined)
        .catch((thrown: unknown) => this.reportLost(file, toPilothouseError(thrown, 'UPLOAD_FAILED')))
        .finally(() => {
          this.running.delete(upload);
          this.next();
        });
      this.running.add(upload);
    }
  }

  private reportLost({ name }: PendingArtifact, { code, message }: Pick<PilothouseError, 'code' | 'message'>): void {
    const facts = { file: name, code };
    this.base.events.add('run.log', `${name} was not stored: ${message}`, { facts }, 'warn');
  }
}
