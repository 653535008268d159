import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { ArtifactKind, ScreenshotMoment } from '@pilothouse/contract/run/artifact.schema';
import { retry } from '@pilothouse/core/time/backoff';
import { failpoint } from '@pilothouse/infra-fault';
import type { AttemptBase } from '../attempt/attempt-base.ts';
import { uploadFile, type FileBody } from '../files/signed-transfer.ts';

/** Milliseconds for one request to the gateway, retries included. */
const REQUEST_TIMEOUT_MS = 30_000;
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

export type UploaderBase = Pick<AttemptBase, 'link' | 'clock' | 'timers' | 'random' | 'gatewayUrl'>;

/** Uploads one file of an attempt at a time. */
export class ArtifactUploader {
  private readonly base: UploaderBase;

  constructor(base: UploaderBase) {
    this.base = base;
  }

  /** @returns id of the artifact @throws PilothouseError UPLOAD_FAILED and errors of the gateway; the reason of the signal */
  async upload(file: PendingArtifact, signal: AbortSignal): Promise<string> {
    const { link, gatewayUrl, random, timers } = this.base;
    const { step, kind, moment, name, contentType } = file;
    const facts = { step, kind, ...(moment && { moment }), name, contentType, size: sizeOf(file) };
    const grant = await this.requestWithRetry(signal, (bounds) => link.request('upload.request', facts, bounds));
    await uploadFile(grant.transfer, file, { gatewayUrl, random, signal, timers });
    await failpoint('worker.upload-sent', link.attempt.run);
    const { artifact } = grant;
    await this.requestWithRetry(signal, (bounds) => link.request('upload.done', { artifact }, bounds));
    return artifact;
  }

  /** Retries while a dependency of the gateway is unavailable: the requests are idempotent. */
  private async requestWithRetry<Value>(
    signal: AbortSignal,
    request: (bounds: { signal: AbortSignal; deadline: number }) => Promise<Value>,
  ): Promise<Value> {
    const { clock, timers, random } = this.base;
    const deadline = clock.monotonic() + REQUEST_TIMEOUT_MS;
    return retry(() => request({ signal, deadline }), {
      timers,
      backoff: REQUEST_BACKOFF,
      signal,
      random,
      isRetryable: (thrown, { delayMs }) =>
        thrown instanceof PilothouseError && thrown.retry === 'same-request' && clock.monotonic() + delayMs < deadline,
    });
  }
}
