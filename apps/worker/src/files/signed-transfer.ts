import { PilothouseError, toPilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Transfer } from '@pilothouse/contract/run/artifact.schema';
import { open } from 'node:fs/promises';
import { retry } from '@pilothouse/core/time/backoff';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';

const MAX_ATTEMPTS = 3;
const BACKOFF = { firstMs: 400, maxMs: 10_000, jitter: 1 };
/** Milliseconds for one attempt. */
const ATTEMPT_MS = 120_000;
/** Statuses of the API and of S3 for an object that already exists. */
const OBJECT_EXISTS: ReadonlySet<number> = new Set([409, 412]);

export interface TransferOptions {
  /** The gateway over HTTP: the base of transfers without a host. */
  readonly gatewayUrl: URL;
  readonly signal: AbortSignal;
  readonly random: () => number;
  readonly timers?: Timers;
}

/** A file in memory (`Buffer`) or on disk (`Blob`). */
export interface FileBody {
  readonly body: Buffer | Blob;
  readonly name: string;
}

/**
 * Uploads a file by a signed transfer. Retries while the store is unavailable. A transfer writes once: if a retry finds the object, the
 * response of the earlier request was lost.
 * @throws PilothouseError UPLOAD_FAILED; the reason of the signal
 */
export async function uploadFile(transfer: Transfer, file: FileBody, options: TransferOptions): Promise<void> {
  await retryTransfer(options, async (signal, failures) => {
    const body = file.body instanceof Blob ? file.body : new Uint8Array(file.body);
    const { method, headers, url } = transfer;
    const response = await fetch(new URL(url, options.gatewayUrl), { method, headers, body, signal });
    await response.body?.cancel();
    if (failures > 0 && OBJECT_EXISTS.has(response.status)) return;
    assertOk(response, `${file.name} could not be stored`);
  });
}

/**
 * Downloads a file by a signed transfer.
 * @param size expected bytes
 * @throws PilothouseError UPLOAD_FAILED; the reason of the signal
 */
export async function downloadFile(
  transfer: Transfer,
  path: string,
  size: number,
  options: TransferOptions,
): Promise<void> {
  await retryTransfer(options, async (signal) => {
    const { method, headers, url } = transfer;
    const response = await fetch(new URL(url, options.gatewayUrl), { method, headers, signal });
    assertOk(response, 'A file input could not be fetched');
    const file = await open(path, 'w', 0o600);
    try {
      let bytes = 0;
      for await (const chunk of response.body ?? []) {
        bytes += chunk.byteLength;
        if (bytes > size) break;
        await file.writeFile(chunk);
      }
      if (bytes !== size)
        throw new PilothouseError('UPLOAD_FAILED', `The size of a file input differs from the stored ${size} bytes`);
    } finally {
      await file.close();
    }
  });
}

/** True for a response after which the transfer is retried. */
class StoreUnavailable extends Error {}

function assertOk(response: Response, problem: string): void {
  if (response.ok) return;
  const message = `${problem}: the object store answered HTTP ${response.status}`;
  if (response.status >= 500 || response.status === 429 || response.status === 408) throw new StoreUnavailable(message);
  throw new PilothouseError('UPLOAD_FAILED', message);
}

async function retryTransfer(
  { signal, random, timers = systemTimers }: TransferOptions,
  attempt: (signal: AbortSignal, failures: number) => Promise<void>,
): Promise<void> {
  return retry(({ failures }) => attempt(AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_MS)]), failures), {
    timers,
    backoff: BACKOFF,
    signal,
    random,
    isRetryable: (thrown, { failures }) => {
      signal.throwIfAborted();
      if (thrown instanceof PilothouseError) return false;
      if (failures < MAX_ATTEMPTS) return true;
      throw new PilothouseError('UPLOAD_FAILED', reasonOf(thrown), { cause: thrown });
    },
  });
}

/** Adds the cause to Node's message `fetch failed`. */
function reasonOf(thrown: unknown): string {
  const { message, cause } = thrown as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : toPilothouseError(thrown).message;
}
