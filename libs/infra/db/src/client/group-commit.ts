/** An item to write, with its waiting caller. */
interface PendingItem<Item, Answer> {
  item: Item;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

export interface GroupCommitOptions<Item, Answer> {
  /** Writes a batch in one commit, atomically. Answers are in the order of the items. */
  flush(items: readonly Item[]): Promise<readonly Answer[]>;
  /** Items of one key never share a batch and keep their order. */
  keyOf(item: Item): string;
  /** Maximum number of items of a batch (default 256). */
  maxBatch?: number;
  /** Maximum number of concurrent batches (default 2): while one waits for the disk, the next one is sent. */
  concurrency?: number;
  /** Called after each batch, for metrics. */
  onFlush?(size: number, milliseconds: number): void;
}

/** Size from which a batch is large; smaller batches are not delayed for others. */
const LARGE_BATCH_SIZE = 16;

/** True if PostgreSQL rejected the data (class 22, data exception), such as a text with NUL, and wrote nothing. */
export const isDataRefused = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^22...$/.test(error.code);

/**
 * True if PostgreSQL rejected one row of a statement and wrote nothing. Possible causes: its data (class 22), a
 * constraint (23), a view (44), or an exception of a trigger (P0).
 */
const isRowRefused = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^(?:22|23|44|P0)...$/.test(error.code);

/**
 * Combines nearly simultaneous writes into one commit. A lone item is written at once, in the same turn of the event
 * loop. While batches are active, the next one grows. Beside a large batch, another one starts at half its size. Under
 * load a few items wait for a larger commit, which costs each of them less.
 */
export class GroupCommit<Item, Answer> {
  private readonly options: GroupCommitOptions<Item, Answer>;
  private queue: PendingItem<Item, Answer>[] = [];
  private readonly busyKeys = new Set<string>();
  private activeBatches = 0;
  /** Size of the batch that started last. */
  private lastBatchSize = 0;
  private isScheduled = false;
  private drainWaiters: (() => void)[] = [];

  constructor(options: GroupCommitOptions<Item, Answer>) {
    this.options = options;
  }

  /** Number of items that are not written yet. */
  get depth(): number {
    return this.queue.length;
  }

  /** Writes one item; resolves with its answer when the batch is committed. */
  write(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.queue.push({ item, resolve, reject });
      this.schedule();
    });
  }

  /** Resolves once no item is waiting or being written. */
  drained(): Promise<void> {
    if (this.queue.length === 0 && this.activeBatches === 0) return Promise.resolve();
    return new Promise((resolve) => this.drainWaiters.push(resolve));
  }

  private schedule(): void {
    if (this.isScheduled || this.activeBatches >= (this.options.concurrency ?? 2)) return;
    if (this.activeBatches > 0 && this.lastBatchSize >= LARGE_BATCH_SIZE && this.queue.length < this.lastBatchSize / 2)
      return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      void this.flush();
    });
  }

  /** Takes the items that may be written now: the first item of each key without an active batch. */
  private takeBatch(): PendingItem<Item, Answer>[] {
    const batch: PendingItem<Item, Answer>[] = [];
    const remainingItems: PendingItem<Item, Answer>[] = [];
    const max = this.options.maxBatch ?? 256;
    const seenKeys = new Set<string>();
    for (const pending of this.queue) {
      const key = this.options.keyOf(pending.item);
      if (batch.length < max && !this.busyKeys.has(key) && !seenKeys.has(key)) batch.push(pending);
      else remainingItems.push(pending);
      seenKeys.add(key);
    }
    this.queue = remainingItems;
    return batch;
  }

  private async writeSingly(batch: readonly PendingItem<Item, Answer>[]): Promise<void> {
    for (const { item, resolve, reject } of batch)
      await this.options.flush([item]).then(([answer]) => resolve(answer as Answer), reject);
  }

  private async flush(): Promise<void> {
    const batch = this.takeBatch();
    if (batch.length === 0) return;
    const keys = batch.map(({ item }) => this.options.keyOf(item));
    for (const key of keys) this.busyKeys.add(key);
    this.activeBatches += 1;
    this.lastBatchSize = batch.length;
    if (this.queue.length > 0) this.schedule();
    const startedAt = performance.now();
    try {
      const answers = await this.options.flush(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      // One item was rejected; the others must not fail with it.
      if (batch.length > 1 && isRowRefused(error)) await this.writeSingly(batch);
      else for (const { reject } of batch) reject(error);
    } finally {
      this.options.onFlush?.(batch.length, performance.now() - startedAt);
      this.activeBatches -= 1;
      for (const key of keys) this.busyKeys.delete(key);
      if (this.queue.length > 0) this.schedule();
      else if (this.activeBatches === 0) for (const resolve of this.drainWaiters.splice(0)) resolve();
    }
  }
}
