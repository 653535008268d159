import type { Log } from '../ports/runtime.port.ts';

export interface TaskIsolationDeps<Name extends string> {
  readonly log: Log;
  /** Level of the first failure of a task or item in the log. Default: warn. */
  readonly level?: 'warn' | 'error';
  /** Counts a task, or one item of it, that failed. */
  readonly onFailure?: ((task: Name) => void) | undefined;
}

/** Failures that are remembered, so that each is logged once. */
const MAX_KNOWN_FAILURES = 1_000;

/** Runs repeated work in isolation: a task or an item that fails does not stop the others. Nothing here rejects. */
export class TaskIsolation<Name extends string> {
  private readonly deps: TaskIsolationDeps<Name>;
  /** Tasks and items that failed the last time. */
  private readonly knownFailures = new Set<string>();

  constructor(deps: TaskIsolationDeps<Name>) {
    this.deps = deps;
  }

  /**
   * Runs a task, or one item of it.
   * @param item names the item in the log
   * @returns whether it succeeded
   */
  async run(task: Name, work: () => Promise<unknown>, item?: string): Promise<boolean> {
    try {
      await work();
    } catch (error) {
      this.recordFailure(task, error, item);
      return false;
    }
    if (this.knownFailures.delete(keyOf(task, item)) && item === undefined)
      this.deps.log.info({ task }, 'periodic task works again');
    return true;
  }

  /** Settles each item of a task by itself, all at once. @param idOf names an item in the log */
  async settleEach<Item>(
    task: Name,
    items: readonly Item[],
    idOf: (item: Item) => string,
    settle: (item: Item) => Promise<unknown>,
  ): Promise<void> {
    await Promise.all(items.map((item) => this.run(task, () => settle(item), idOf(item))));
  }

  private recordFailure(task: Name, error: unknown, item?: string): void {
    const { log, level = 'warn', onFailure } = this.deps;
    onFailure?.(task);
    const facts = { task, ...(item !== undefined && { item }), error: String(error) };
    const key = keyOf(task, item);
    if (this.knownFailures.has(key)) return log.debug(facts, 'periodic task failed again');
    if (this.knownFailures.size >= MAX_KNOWN_FAILURES) this.knownFailures.clear();
    this.knownFailures.add(key);
    log[level](facts, 'periodic task failed, it is repeated after its interval');
  }
}

const keyOf = (task: string, item?: string) => `${task}/${item ?? ''}`;
