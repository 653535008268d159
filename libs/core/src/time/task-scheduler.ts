import type { Log } from '../ports/runtime.port.ts';
import { jitteredMs } from './backoff.ts';
import { withDeadline } from './deadlines.ts';
import { TaskIsolation } from './task-isolation.ts';
import { systemTimers, type Timer, type Timers } from './timers.ts';

/** Random share of an interval. It keeps replicas from running a task at the same instant. */
const JITTER = 0.1;

/** Work that a process repeats in the background. */
export interface PeriodicTask<Name extends string> {
  readonly name: Name;
  /** Milliseconds from the end of a run to the next one, give or take 10 %. */
  readonly everyMs: number;
  /** Milliseconds from the start of the task to its first run. Default: as between two runs. */
  readonly firstMs?: number;
  /** Milliseconds from a failed run to the next one. Default: as after any run. */
  readonly failedMs?: number;
  /** Milliseconds for one run. Its signal aborts then, and the run counts as failed. */
  readonly deadlineMs: number;
  /**
   * One run.
   * @param signal aborts at the deadline of the run, and when the task stops
   * @param dueAtMs monotonic milliseconds for which the run was scheduled
   */
  run(signal: AbortSignal, dueAtMs: number): Promise<void>;
}

/** A started task. */
export interface ScheduledTask {
  /** Runs it now, or once more after the current run. */
  wake(): void;
  /** Aborts the current run, and resolves when it has settled. No run starts afterwards. */
  stop(): Promise<void>;
}

export interface TaskSchedulerDeps<Name extends string> {
  readonly log: Log;
  /** Counts a run that failed or missed its deadline. */
  readonly onFailure?: (task: Name) => void;
  readonly timers?: Timers;
  readonly random?: () => number;
}

/** Runs the periodic tasks of a process. Each has its own timer: a task that fails or hangs delays no other. */
export class TaskScheduler<Name extends string> {
  private readonly context: TaskContext<Name>;

  constructor({ log, onFailure, timers = systemTimers, random = Math.random }: TaskSchedulerDeps<Name>) {
    this.context = { timers, random, isolation: new TaskIsolation({ log, onFailure }) };
  }

  /** Clock and timers of the tasks. */
  get timers(): Timers {
    return this.context.timers;
  }

  /** Runs of one task never overlap: the next one is scheduled when the last one has settled. */
  start(task: PeriodicTask<Name>): ScheduledTask {
    return new StartedTask(task, this.context);
  }
}

interface TaskContext<Name extends string> {
  readonly timers: Timers;
  readonly random: () => number;
  readonly isolation: TaskIsolation<Name>;
}

class StartedTask<Name extends string> implements ScheduledTask {
  private readonly task: PeriodicTask<Name>;
  private readonly context: TaskContext<Name>;
  private readonly stopping = new AbortController();
  /** The next run; undefined during a run. */
  private timer: Timer | undefined;
  private running: Promise<void> = Promise.resolve();
  private isWoken = false;

  constructor(task: PeriodicTask<Name>, context: TaskContext<Name>) {
    this.task = task;
    this.context = context;
    this.schedule(task.firstMs ?? this.intervalMs());
  }

  wake(): void {
    if (this.timer === undefined) {
      this.isWoken = true;
      return;
    }
    this.context.timers.clearTimeout(this.timer);
    this.schedule(0);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    this.context.timers.clearTimeout(this.timer);
    await this.running;
  }

  private intervalMs(): number {
    return jitteredMs(this.task.everyMs, JITTER, this.context.random);
  }

  private schedule(ms: number): void {
    if (this.stopping.signal.aborted) return;
    const { timers } = this.context;
    const dueAtMs = timers.monotonic() + ms;
    this.timer = timers.setTimeout(() => {
      this.timer = undefined;
      this.running = this.runOnce(dueAtMs);
    }, ms);
  }

  /** Never rejects. */
  private async runOnce(dueAtMs: number): Promise<void> {
    const { name, failedMs } = this.task;
    let work: Promise<void> = Promise.resolve();
    this.isWoken = false;
    const isDone = await this.context.isolation.run(name, async () => {
      const start = (signal: AbortSignal) => (work = (async () => this.task.run(signal, dueAtMs))());
      await withDeadline(this.task.deadlineMs, this.stopping.signal, start, { timers: this.context.timers }).catch(
        (error: unknown) => {
          if (!this.stopping.signal.aborted) throw error;
        },
      );
    });
    await work.catch(() => undefined);
    this.schedule(this.isWoken ? 0 : isDone ? this.intervalMs() : (failedMs ?? this.intervalMs()));
  }
}
