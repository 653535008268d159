import type { Log } from '@pilothouse/core/ports/runtime.port';
import { jitteredMs } from '@pilothouse/core/time/backoff';
import { withDeadline } from '@pilothouse/core/time/deadlines';
import { systemTimers, type Timer, type Timers } from '@pilothouse/core/time/timers';

/** The periodic jobs of a replica; the values of the label `job`. */
export const jobNames = ['fleet-samples', 'proposals', 'retention', 'run-reactions', 'sweeper'] as const;
export type JobName = (typeof jobNames)[number];

/** Random share of an interval. It keeps replicas from running a job at the same instant. */
const JITTER = 0.1;

/** Shared dependencies of the jobs of a replica. */
export interface JobDeps {
  readonly log: Log;
  /** Counts a run that failed or missed its deadline. */
  readonly onFailure?: (job: JobName) => void;
  readonly timers?: Timers;
  readonly random?: () => number;
}

export interface JobOptions {
  readonly name: JobName;
  /** Milliseconds from the end of a run to the next one, give or take 10 %. */
  readonly everyMs: number;
  /** Milliseconds from the start of the job to its first run. Default: as between two runs. */
  readonly firstMs?: number;
  /** Milliseconds for one run. Its signal aborts then, and the run counts as failed. */
  readonly deadlineMs: number;
  /**
   * One run.
   * @param signal aborts at the deadline of the run, and when the job stops
   * @param dueAtMs monotonic milliseconds for which the run was scheduled
   */
  run(signal: AbortSignal, dueAtMs: number): Promise<void>;
}

/** Repeats work in the background. Runs never overlap: the next one is scheduled when the last one has settled. */
export class PeriodicJob {
  private readonly options: JobOptions;
  private readonly deps: JobDeps;
  private readonly timers: Timers;
  private readonly stopping = new AbortController();
  private timer: Timer | undefined;
  private running: Promise<void> = Promise.resolve();

  constructor(options: JobOptions, deps: JobDeps) {
    this.options = options;
    this.deps = deps;
    this.timers = deps.timers ?? systemTimers;
  }

  start(): void {
    this.schedule(this.options.firstMs ?? this.intervalMs());
  }

  /** Aborts the current run, and resolves when it has settled. No run starts afterwards. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.timers.clearTimeout(this.timer);
    await this.running;
  }

  private intervalMs(): number {
    return jitteredMs(this.options.everyMs, JITTER, this.deps.random);
  }

  private schedule(ms: number): void {
    if (this.stopping.signal.aborted) return;
    const dueAtMs = this.timers.monotonic() + ms;
    this.timer = this.timers.setTimeout(() => {
      this.running = this.runOnce(dueAtMs).then(() => this.schedule(this.intervalMs()));
    }, ms);
  }

  /** Never rejects. */
  private async runOnce(dueAtMs: number): Promise<void> {
    const { name, deadlineMs, run } = this.options;
    const { timers } = this;
    let work: Promise<void> = Promise.resolve();
    try {
      const start = (signal: AbortSignal) => (work = (async () => run(signal, dueAtMs))());
      await withDeadline(deadlineMs, this.stopping.signal, start, { timers });
    } catch (error) {
      if (!this.stopping.signal.aborted) {
        this.deps.onFailure?.(name);
        this.deps.log.warn({ job: name, error: String(error) }, 'periodic job failed, next run after its interval');
      }
    }
    await work.catch(() => undefined);
  }
}
