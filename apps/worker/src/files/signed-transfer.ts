import { PilothouseError, toPilothouseError, type Transfer } from '@pilothouse/contract';
import { open } from 'node:fs/promises';
import { retry } from '@pilothouse/core';

const TRIES = 3;
const BACKOFF = { firstMs: 400, maxMs: 10_000, jitter: 1 };
/** Milliseconds for one try. */
const TRY_MS = 120_000;
/** Statuses of a link whose object is there: of the API, and of S3. */
const TAKEN: ReadonlySet<number> = new Set([409, 412]);

export interface TransferOptions {
  /** Where a transfer without a host leads: the gateway, over HTTP. */
  readonly base: URL;
  readonly signal: AbortSignal;
  readonly random: () => number;
}

/** A file, in memory or on disk. */
export interface FileBody {
  readonly body: Buffer | Blob;
  readonly name: string;
}

/**
 * Sends a file as a signed transfer says. Tries again when the store is away. A link writes once: a later try that is refused
 * because the object is there follows one whose answer was lost.
 * @throws PilothouseError UPLOAD_FAILED; the reason of the signal
 */
export async function uploadFile(transfer: Transfer, file: FileBody, parts: TransferOptions): Promise<void> {
  await tryAgain(parts, async (signal, failed) => {
    const body = file.body instanceof Blob ? file.body : new Uint8Array(file.body);
    const { method, headers, url } = transfer;
    const response = await fetch(new URL(url, parts.base), { method, headers, body, signal });
    await response.body?.cancel();
    if (failed > 0 && TAKEN.has(response.status)) return;
    mustBeFine(response, `${file.name} could not be stored`);
  });
}

/**
 * Fetches a file as a signed transfer says.
 * @param size bytes that it has; another size is an error
 * @throws PilothouseError UPLOAD_FAILED; the reason of the signal
 */
export async function downloadFile(
  transfer: Transfer,
  path: string,
  size: number,
  parts: TransferOptions,
): Promise<void> {
  await tryAgain(parts, async (signal) => {
    const { method, headers, url } = transfer;
    const response = await fetch(new URL(url, parts.base), { method, headers, signal });
    mustBeFine(response, 'A file input could not be fetched');
    const file = await open(path, 'w', 0o600);
    try {
      let bytes = 0;
      for await (const chunk of response.body ?? []) {
        bytes += chunk.byteLength;
        if (bytes > size) break;
        await file.writeFile(chunk);
      }
      if (bytes !== size)
        throw new PilothouseError(
          'UPLOAD_FAILED',
          `A file input has another size than the ${size} bytes it was stored with`,
        );
    } finally {
      await file.close();
    }
  });
}

/** An answer that a second try may better. */
class Away extends Error {}

function mustBeFine(response: Response, what: string): void {
  if (response.ok) return;
  const message = `${what}: the store answered HTTP ${response.status}`;
  if (response.status >= 500 || response.status === 429 || response.status === 408) throw new Away(message);
  throw new PilothouseError('UPLOAD_FAILED', message);
}

async function tryAgain(
  { signal, random }: TransferOptions,
  once: (signal: AbortSignal, failed: number) => Promise<void>,
): Promise<void> {
  return retry(({ failures }) => once(AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)]), failures), {
    backoff: BACKOFF,
    signal,
    random,
    isRetryable: (thrown, { failures }) => {
      signal.throwIfAborted();
      if (thrown instanceof PilothouseError) return false;
      if (failures < TRIES) return true;
      throw new PilothouseError('UPLOAD_FAILED', reasonOf(thrown), { cause: thrown });
    },
  });
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(thrown: unknown): string {
  const { message, cause } = thrown as Error;
  return cause instanceof Error ? `${message}: ${cause.message}` : toPilothouseError(thrown).message;
}
