/** An item to write, with its waiting caller. */
interface Pending<Item, Answer> {
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
const LARGE = 16;

/** Returns whether PostgreSQL rejected the data (class 22, data exception), such as a text with NUL, and wrote nothing. */
export const isDataRefused = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' && /^22...$/.test(error.code);

/**
 * Returns whether PostgreSQL rejected one row of a statement and wrote nothing: its data (class 22), a constraint (23), a view (44), or an
 * exception of a trigger (P0).
 */
const isRowRefused = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^(?:22|23|44|P0)...$/.test(error.code);

/**
 * Combines nearly simultaneous writes into one commit. A lone item is written at once, in the same turn of the event loop.
 * While batches are active, the next one grows. Beside a large batch, another one starts when it is half as large: under load a few items
 * wait for a larger commit, which costs each of them less.
 */
export class GroupCommit<Item, Answer> {
  private readonly options: GroupCommitOptions<Item, Answer>;
  private queue: Pending<Item, Answer>[] = [];
  private readonly busyKeys = new Set<string>();
  private flushing = 0;
  /** Size of the batch that started last. */
  private last = 0;
  private scheduled = false;
  private idle: (() => void)[] = [];

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
    if (this.queue.length === 0 && this.flushing === 0) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  private schedule(): void {
    if (this.scheduled || this.flushing >= (this.options.concurrency ?? 2)) return;
    if (this.flushing > 0 && this.last >= LARGE && this.queue.length < this.last / 2) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      void this.flush();
    });
  }

  /** Takes the items that may be written now: the first item of each key, unless an active batch has that key. */
  private take(): Pending<Item, Answer>[] {
    const batch: Pending<Item, Answer>[] = [];
    const rest: Pending<Item, Answer>[] = [];
    const max = this.options.maxBatch ?? 256;
    const held = new Set<string>();
    for (const pending of this.queue) {
      const key = this.options.keyOf(pending.item);
      if (batch.length < max && !this.busyKeys.has(key) && !held.has(key)) batch.push(pending);
      else rest.push(pending);
      held.add(key);
    }
    this.queue = rest;
    return batch;
  }

  private async writeSingly(batch: readonly Pending<Item, Answer>[]): Promise<void> {
    for (const { item, resolve, reject } of batch)
      await this.options.flush([item]).then(([answer]) => resolve(answer as Answer), reject);
  }

  private async flush(): Promise<void> {
    const batch = this.take();
    if (batch.length === 0) return;
    const keys = batch.map(({ item }) => this.options.keyOf(item));
    for (const key of keys) this.busyKeys.add(key);
    this.flushing += 1;
    this.last = batch.length;
    if (this.queue.length > 0) this.schedule();
    const started = performance.now();
    try {
      const answers = await this.options.flush(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(answers[index] as Answer));
    } catch (error) {
      // One item was rejected; the others must not fail with it.
      if (batch.length > 1 && isRowRefused(error)) await this.writeSingly(batch);
      else for (const { reject } of batch) reject(error);
    } finally {
      this.options.onFlush?.(batch.length, performance.now() - started);
      this.flushing -= 1;
      for (const key of keys) this.busyKeys.delete(key);
      if (this.queue.length > 0) this.schedule();
      else if (this.flushing === 0) for (const resolve of this.idle.splice(0)) resolve();
    }
  }
}
