import type { Log } from '@pilothouse/core/ports/runtime.port';
import { sweeperTaskNames, type SweeperTaskName } from '../../common/sweeper-task-names.ts';

/** The work of each task, and whether it is due. */
export type SweeperTasks = Record<SweeperTaskName, { readonly isDue: boolean; run(): Promise<void> }>;

export interface SweeperTaskRunnerDeps {
  readonly log: Log;
  /** Counts a task, or one item of it, that failed. */
  readonly onFailure?: (task: SweeperTaskName) => void;
}

/** Failures that are remembered, so that each is logged once as an error. */
const MAX_KNOWN_FAILURES = 1_000;

/** Runs the tasks of a sweep in isolation: a task or an item that fails does not stop the others. Nothing here rejects. */
export class SweeperTaskRunner {
  private readonly deps: SweeperTaskRunnerDeps;
  /** Tasks and items that failed before. */
  private readonly knownFailures = new Set<string>();

  constructor(deps: SweeperTaskRunnerDeps) {
    this.deps = deps;
  }

  /** Runs due tasks one by one. */
  async run(tasks: SweeperTasks): Promise<void> {
    for (const name of sweeperTaskNames) {
      const task = tasks[name];
      if (task.isDue) await this.isolate(name, () => task.run());
    }
  }

  /** Settles each item of a task by itself, all at once. @param idOf names an item in the log */
  async settleEach<Item>(
    task: SweeperTaskName,
    items: readonly Item[],
    idOf: (item: Item) => string,
    settle: (item: Item) => Promise<unknown>,
  ): Promise<void> {
    await Promise.all(items.map((item) => this.isolate(task, () => settle(item), idOf(item))));
  }

  private async isolate(task: SweeperTaskName, work: () => Promise<unknown>, item?: string): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.onFailure(task, error, item);
    }
  }

  private onFailure(task: SweeperTaskName, error: unknown, item?: string): void {
    const { log, onFailure } = this.deps;
    onFailure?.(task);
    const facts = { task, ...(item !== undefined && { item }), error: String(error) };
    const key = `${task}/${item ?? ''}`;
    if (this.knownFailures.has(key)) return log.debug(facts, 'sweeper task failed again');
    if (this.knownFailures.size >= MAX_KNOWN_FAILURES) this.knownFailures.clear();
    this.knownFailures.add(key);
    log.error(facts, 'sweeper task failed, retried with each sweep');
  }
}
