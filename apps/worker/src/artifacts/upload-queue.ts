import { PilothouseError, toPilothouseError, type ArtifactKind, type ScreenshotMoment } from '@pilothouse/contract';
import { settlesWithin, retry } from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import { uploadFile, type FileBody } from '../files/signed-transfer.ts';

const MAX_PARALLEL_UPLOADS = 2;
/** Maximum bytes that wait in memory. A file beyond this is dropped and reported as an event. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024;
/** Milliseconds for one request to the gateway, retries included. */
const REQUEST_MS = 30_000;
const REQUEST_BACKOFF = { firstMs: 200, maxMs: 5_000, jitter: 0.5 };

/** A file of a run that is not stored yet. */
export interface PendingArtifact extends FileBody {
  readonly contentType: string;
  readonly kind: ArtifactKind;
  /** Set for a screenshot. */
  readonly moment?: ScreenshotMoment;
  readonly step: number | null;
}

const sizeOf = ({ body }: PendingArtifact) => (body instanceof Blob ? body.size : body.length);

/** Bytes in memory. A `Blob` of a file stays on disk. */
const memoryOf = ({ body }: PendingArtifact) => (body instanceof Blob ? 0 : body.length);

/** Uploads the files of an attempt while its steps run. */
export class UploadQueue {
  private readonly base: Pick<AttemptBase, 'link' | 'clock' | 'timers' | 'random' | 'gatewayUrl' | 'events'>;
  private readonly stop = new AbortController();
  private readonly pending: PendingArtifact[] = [];
  private pendingBytes = 0;
  private readonly running = new Set<Promise<void>>();

  constructor(base: UploadQueue['base']) {
    this.base = base;
  }

  get isBusy(): boolean {
    return this.running.size > 0;
  }

  add(file: PendingArtifact): void {
    if (this.pendingBytes + memoryOf(file) > MAX_PENDING_BYTES) {
      this.reportLost(file, { code: 'UPLOAD_FAILED', message: 'Too many files wait to be stored' });
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
      const upload = this.upload(file)
        .catch((thrown: unknown) => this.reportLost(file, toPilothouseError(thrown, 'UPLOAD_FAILED')))
        .finally(() => {
          this.running.delete(upload);
          this.next();
        });
      this.running.add(upload);
    }
  }

  private async upload(file: PendingArtifact): Promise<void> {
    const { link, gatewayUrl, random, timers } = this.base;
    const signal = AbortSignal.any([this.stop.signal, link.lost]);
    const { step, kind, moment, name, contentType } = file;
    const facts = { step, kind, ...(moment && { moment }), name, contentType, size: sizeOf(file) };
    const grant = await this.requestWithRetry(signal, (bounds) => link.request('upload.request', facts, bounds));
    await uploadFile(grant.transfer, file, { gatewayUrl, random, signal, timers });
    await hit('worker.upload-sent', link.attempt.run);
    const { artifact } = grant;
    await this.requestWithRetry(signal, (bounds) => link.request('upload.done', { artifact }, bounds));
  }

  /** Retries while a dependency of the gateway is unavailable: the requests are idempotent. */
  private async requestWithRetry<Value>(
    signal: AbortSignal,
    request: (bounds: { signal: AbortSignal; deadline: number }) => Promise<Value>,
  ): Promise<Value> {
    const { clock, timers, random } = this.base;
    const deadline = clock.monotonic() + REQUEST_MS;
    return retry(() => request({ signal, deadline }), {
      timers,
      backoff: REQUEST_BACKOFF,
      signal,
      random,
      isRetryable: (thrown, { delayMs }) =>
        thrown instanceof PilothouseError && thrown.retry === 'same-request' && clock.monotonic() + delayMs < deadline,
    });
  }

  private reportLost({ name }: PendingArtifact, { code, message }: Pick<PilothouseError, 'code' | 'message'>): void {
    const facts = { file: name, code };
    this.base.events.add('run.log', `${name} was not kept: ${message}`, { facts }, 'warn');
  }
}
