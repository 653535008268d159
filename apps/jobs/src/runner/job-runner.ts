import { jobKinds, type JobKind } from '@pilothouse/contract/job/job.schema';
import type { Clock, Log } from '@pilothouse/core/ports/runtime.port';
import { settlesWithin } from '@pilothouse/core/time/deadlines';
import type { ScheduledTask, TaskScheduler } from '@pilothouse/core/time/task-scheduler';
import type { Timers } from '@pilothouse/core/time/timers';
import type { ClaimedJob, JobLeases } from '@pilothouse/infra-db';
import type { JobsTaskName } from '../jobs-tasks.ts';
import { JobAttempt, type AttemptResult, type JobAttemptDeps } from './job-attempt.ts';
import type { JobHandler, JobHandlers } from './job-handler.ts';
import { LeaseHeartbeat } from './lease-heartbeat.ts';

/** Intervals of a job runner in milliseconds. */
export interface JobTiming {
  /** A job whose lease is not renewed for this time is given to another attempt. */
  readonly leaseMs: number;
  readonly renewMs: number;
  /** Interval of the search for jobs whose wake-up was lost. */
  readonly pollMs: number;
}

export const defaultJobTiming: JobTiming = { leaseMs: 30_000, renewMs: 5_000, pollMs: 15_000 };

/** Receives facts about jobs. */
export interface JobObserver {
  /** @param waitedMs time since the job was due */
  onStart(kind: JobKind, waitedMs: number): void;
  onEnd(kind: JobKind, result: AttemptResult, durationMs: number): void;
}

export interface JobRunnerDeps {
  readonly leases: JobLeases;
  readonly handlers: JobHandlers;
  /** Maximum number of concurrent jobs. */
  readonly concurrency: number;
  /** Name of this process in the rows of its jobs. */
  readonly owner: string;
  readonly timing: JobTiming;
  readonly models: JobAttemptDeps['models'];
  readonly observer: JobObserver;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly scheduler: Pick<TaskScheduler<JobsTaskName>, 'start'>;
  readonly random: () => number;
  readonly log: Log;
  /** Called when a slot has become free. */
  onSlotFree?(): void;
}

/** Maximum number of concurrent jobs of handlers that need no slot. */
const MAX_JOBS_WITHOUT_SLOT = 50;

/** Milliseconds until a failed search for jobs is repeated. */
const RETRY_MS = 1_000;

/** Milliseconds for one search for jobs. */
const SEARCH_DEADLINE_MS = 60_000;

/** A search for jobs that takes longer than this many poll intervals is stuck. */
const MAX_STUCK_POLLS = 8;

/** Claims due jobs and executes them, several at a time. A wake-up of Redis starts the search at once. Polling finds jobs whose wake-up was lost. */
export class JobRunner {
  readonly #deps: JobRunnerDeps;
  readonly #attempts = new Set<JobAttempt>();
  readonly #heartbeat: LeaseHeartbeat;
  readonly #search: ScheduledTask;
  readonly #reclaim: ScheduledTask;
  readonly #stopping = new AbortController();
  #lastTickAt: number;

  constructor(deps: JobRunnerDeps) {
    this.#deps = deps;
    const { leases, clock, scheduler, timing } = deps;
    this.#heartbeat = new LeaseHeartbeat({
      ...{ leases, clock, scheduler, leaseMs: timing.leaseMs, renewMs: timing.renewMs },
      attempts: () => [...this.#attempts],
    });
    this.#lastTickAt = clock.monotonic();
    const search = { everyMs: timing.pollMs, firstMs: 0, failedMs: RETRY_MS, deadlineMs: SEARCH_DEADLINE_MS };
    this.#reclaim = scheduler.start({ ...search, name: 'lease-reclaim', run: () => this.#reclaimExpired() });
    this.#search = scheduler.start({ ...search, name: 'job-search', run: () => this.#claimAll() });
  }

  get hasFreeSlot(): boolean {
    return !this.#stopping.signal.aborted && this.#countAttempts({ needsSlot: true }) < this.#deps.concurrency;
  }

  get runningCount(): number {
    return this.#attempts.size;
  }

  /** False if the search for jobs is stuck. An outage of PostgreSQL does not count. */
  get isHealthy(): boolean {
    const { clock, timing } = this.#deps;
    return clock.monotonic() - this.#lastTickAt < MAX_STUCK_POLLS * timing.pollMs;
  }

  /** Looks for due jobs now. */
  wake(): void {
    this.#search.wake();
  }

  /**
   * Claims no more jobs. Running ones end, or are handed back at their next checkpoint, within `softMs`. Then they are stopped and handed back.
   * @param forceStop skips the rest of `softMs`
   */
  async drain(softMs: number, hardMs: number, forceStop: AbortSignal): Promise<void> {
    const { timers, log } = this.#deps;
    this.#stopping.abort();
    for (const attempt of this.#attempts) attempt.drain();
    // A claim in progress may add an attempt, which is handed back at once.
    await settlesWithin(Promise.all([this.#search.stop(), this.#reclaim.stop()]), hardMs, timers);
    const forced = Promise.withResolvers<null>();
    const onForce = () => forced.resolve(null);
    forceStop.addEventListener('abort', onForce, { once: true });
    if (forceStop.aborted) onForce();
    await settlesWithin(Promise.race([this.#allEnded(), forced.promise]), softMs, timers);
    for (const attempt of this.#attempts) attempt.handBack();
    if (!(await settlesWithin(this.#allEnded(), hardMs, timers)))
      log.warn({ jobs: this.#attempts.size }, 'jobs not handed back, their leases expire');
    forceStop.removeEventListener('abort', onForce);
    this.#heartbeat.stop();
  }

  #allEnded(): Promise<unknown> {
    return Promise.all([...this.#attempts].map(({ ended }) => ended));
  }

  /** Returns the jobs of lost job runners to the queue. */
  async #reclaimExpired(): Promise<void> {
    const { leases, log } = this.#deps;
    const reclaimed = await leases.reclaimExpired();
    for (const { id, kind, status } of reclaimed) log.warn({ job: id, kind, status }, 'job lost its job runner');
    if (reclaimed.length > 0) this.wake();
  }

  async #claimAll(): Promise<void> {
    const { leases, owner, timing, clock } = this.#deps;
    this.#lastTickAt = clock.monotonic();
    while (!this.#stopping.signal.aborted) {
      const kinds = this.#claimableKinds();
      if (kinds.length === 0) return;
      const job = await leases.claim({ kinds, owner, leaseMs: timing.leaseMs });
      if (!job) return;
      this.#start(job);
    }
  }

  /** Kinds of jobs that can start now. */
  #claimableKinds(): JobKind[] {
    const { hasFreeSlot } = this;
    const canStartWithoutSlot = this.#countAttempts({ needsSlot: false }) < MAX_JOBS_WITHOUT_SLOT;
    return jobKinds.filter(
      (kind) => this.#handler(kind) && (this.#needsSlot(kind) ? hasFreeSlot : canStartWithoutSlot),
    );
  }

  /** Counts the attempts whose handlers need a slot, or need none. */
  #countAttempts({ needsSlot }: { needsSlot: boolean }): number {
    return [...this.#attempts].filter(({ job }) => this.#needsSlot(job.kind) === needsSlot).length;
  }

  #needsSlot(kind: JobKind): boolean {
    return this.#handler(kind)?.needsSlot ?? true;
  }

  #handler(kind: JobKind): JobHandler | undefined {
    return this.#deps.handlers[kind];
  }

  #start(job: ClaimedJob): void {
    const { observer, clock } = this.#deps;
    const handler = this.#handler(job.kind);
    if (!handler) throw new Error(`No handler for ${job.kind}`);
    observer.onStart(job.kind, job.waitedMs);
    const startedAt = clock.monotonic();
    const attempt = new JobAttempt(job, handler, this.#deps);
    this.#attempts.add(attempt);
    if (this.#stopping.signal.aborted) attempt.handBack();
    void attempt.ended.then((result) => {
      this.#attempts.delete(attempt);
      observer.onEnd(job.kind, result, clock.monotonic() - startedAt);
      this.wake();
      this.#deps.onSlotFree?.();
    });
  }
}
