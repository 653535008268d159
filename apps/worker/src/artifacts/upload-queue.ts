import { PilothouseError, toPilothouseError, type ArtifactKind, type ScreenshotMoment } from '@pilothouse/contract';
import { type Clock, settlesWithin, retry } from '@pilothouse/core';
import { hit } from '@pilothouse/infra-fault';
import type { AttemptLink } from '@pilothouse/infra-link';
import { uploadFile, type FileBody, type TransferOptions } from '../files/signed-transfer.ts';

/** Uploads of one attempt at a time. */
const AT_ONCE = 2;
/** Bytes that may wait; what comes on top is dropped, and said so. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Milliseconds that the gateway has for an answer, however often it is asked. */
const ANSWER_MS = 30_000;
/** Milliseconds before it is asked again, at first and at most. */
const REQUEST_BACKOFF = { firstMs: 200, maxMs: 5_000, jitter: 0.5 };

/** A file of a run, on its way to the object store. */
export interface PendingArtifact extends FileBody {
  readonly contentType: string;
  readonly kind: ArtifactKind;
  /** Of a screenshot. */
  readonly moment?: ScreenshotMoment;
  readonly step: number | null;
}

export interface UploadsOptions extends Omit<TransferOptions, 'signal'> {
  readonly link: Pick<AttemptLink, 'request' | 'attempt' | 'lost'>;
  readonly clock: Clock;
  /** A file that will not be there. The run goes on. */
  onFailed(file: PendingArtifact, error: Pick<PilothouseError, 'code' | 'message'>): void;
}

const sizeOf = ({ body }: PendingArtifact) => (body instanceof Blob ? body.size : body.length);

/** Bytes that it takes in memory. */
const memoryOf = ({ body }: PendingArtifact) => (body instanceof Blob ? 0 : body.length);

/** Sends the files of an attempt beside its steps, a few at a time. */
export class UploadQueue {
  private readonly options: UploadsOptions;
  private readonly stop = new AbortController();
  private readonly waiting: PendingArtifact[] = [];
  private waitingBytes = 0;
  private readonly running = new Set<Promise<void>>();

  constructor(options: UploadsOptions) {
    this.options = options;
  }

  get isBusy(): boolean {
    return this.running.size > 0;
  }

  /** Takes a file and returns at once. */
  add(file: PendingArtifact): void {
    if (this.waitingBytes + memoryOf(file) > MAX_WAITING_BYTES) {
      this.options.onFailed(file, { code: 'UPLOAD_FAILED', message: 'Too many files wait to be stored' });
      return;
    }
    this.waiting.push(file);
    this.waitingBytes += memoryOf(file);
    this.next();
  }

  /** Waits so long at most until all are stored or have failed; what is not is given up. */
  async waitUntilStored(withinMs: number): Promise<void> {
    if (await settlesWithin(this.all(), withinMs)) return;
    this.abandon(`The files of the run were not stored within ${Math.round(withinMs / 1000)} s`);
    await this.all();
  }

  /** Gives everything up. */
  abandon(why: string): void {
    const dropped = this.waiting.splice(0);
    this.waitingBytes = 0;
    for (const file of dropped) this.options.onFailed(file, { code: 'UPLOAD_FAILED', message: why });
    if (this.running.size > 0) this.stop.abort(new Error(why));
  }

  private async all(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private next(): void {
    while (this.running.size < AT_ONCE) {
      const file = this.waiting.shift();
      if (!file) return;
      this.waitingBytes -= memoryOf(file);
      const upload = this.upload(file)
        .catch((thrown: unknown) => this.options.onFailed(file, toPilothouseError(thrown, 'UPLOAD_FAILED')))
        .finally(() => {
          this.running.delete(upload);
          this.next();
        });
      this.running.add(upload);
    }
  }

  private async upload(file: PendingArtifact): Promise<void> {
    const { link, base, random } = this.options;
    const signal = AbortSignal.any([this.stop.signal, link.lost]);
    const { step, kind, moment, name, contentType } = file;
    const facts = { step, kind, ...(moment && { moment }), name, contentType, size: sizeOf(file) };
    const grant = await this.untilAnswered(signal, (bound) => link.request('upload.request', facts, bound));
    await uploadFile(grant.transfer, file, { base, random, signal });
    await hit('worker.upload-sent', link.attempt.run);
    const { artifact } = grant;
    await this.untilAnswered(signal, (bound) => link.request('upload.done', { artifact }, bound));
  }

  /** Asks the gateway, and again while a dependency is unavailable: the request is idempotent. */
  private async untilAnswered<Value>(
    signal: AbortSignal,
    ask: (bound: { signal: AbortSignal; deadline: number }) => Promise<Value>,
  ): Promise<Value> {
    const { clock, random } = this.options;
    const deadline = clock.monotonic() + ANSWER_MS;
    return retry(() => ask({ signal, deadline }), {
      backoff: REQUEST_BACKOFF,
      signal,
      random,
      isRetryable: (thrown, { delayMs }) =>
        thrown instanceof PilothouseError && thrown.retry === 'same-request' && clock.monotonic() + delayMs < deadline,
    });
  }
}
