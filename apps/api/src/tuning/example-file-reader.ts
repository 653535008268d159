import { addAbortSignal } from 'node:stream';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { BlobStore } from '@pilothouse/core/ports/blob-store.port';
import { withDeadline } from '@pilothouse/core/time/deadlines';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import pLimit from 'p-limit';
import { countExamples, type CountedLines } from './example-counter.ts';

/** Training files that a replica reads at a time. */
const MAX_READS = 2;

/** Reads that wait for another one. Further ones are refused. */
const MAX_WAITING = 4;

/** Milliseconds for reading a file. */
const READ_TIMEOUT_MS = 20_000;

const unavailable = (message: string) =>
  new PilothouseError('UNAVAILABLE', message, { details: { retryAfterSeconds: READ_TIMEOUT_MS / 1000 } });

/** Counts the examples of training files in the object store, few at a time. */
export class ExampleFileReader {
  private readonly limitReads = pLimit(MAX_READS);
  private readonly store: Pick<BlobStore, 'get' | 'stat'>;
  private readonly timers: Timers;

  constructor(store: Pick<BlobStore, 'get' | 'stat'>, timers = systemTimers) {
    this.store = store;
    this.timers = timers;
  }

  /**
   * Counts the examples at the start of a file.
   * @returns null if the file does not exist
   * @throws PilothouseError UNAVAILABLE if too many files are being read, or the read takes longer than 20 s
   */
  count(key: string): Promise<(CountedLines & { readonly size: number }) | null> {
    if (this.limitReads.pendingCount >= MAX_WAITING)
      return Promise.reject(unavailable('Too many training files are being read. Try again.'));
    const error = () => unavailable(`The training file was not read within ${READ_TIMEOUT_MS / 1000} s. Try again.`);
    const { signal } = new AbortController();
    return this.limitReads(() =>
      withDeadline(READ_TIMEOUT_MS, signal, (bounded) => this.read(key, bounded), { error, timers: this.timers }),
    );
  }

  private async read(key: string, signal: AbortSignal): Promise<(CountedLines & { readonly size: number }) | null> {
    const file = await this.store.stat(key);
    if (!file) return null;
    const content = addAbortSignal(signal, await this.store.get(key));
    return { size: file.size, ...(await countExamples(content)) };
  }
}
