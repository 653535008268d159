import type { Log } from '@pilothouse/core/ports/runtime.port';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import {
  admitRuns,
  findStaleAdmissions,
  fleetsWithBacklog,
  listFleetNames,
  nextDispatch,
  type DispatchJob,
  type Pool,
} from '@pilothouse/infra-db';
import { failpoint } from '@pilothouse/infra-fault';
import type { JobQueue } from '@pilothouse/infra-queue';
import { FleetDispatchState, type RoundScope } from './fleet-dispatch-state.ts';
import type { LocalSlots } from './local-slots.ts';

export interface RunDispatcherDeps {
  pool: Pool;
  jobQueue: Pick<JobQueue, 'add' | 'findMissing' | 'removeStale'>;
  /** Slots that are filled without the job queue. */
  localSlots: LocalSlots;
  /** Name of a fleet by its id; queues are named after fleets. */
  fleetName(id: string): Promise<string | null>;
  /** Runs of a fleet that may be in Redis at a time. */
  window: number;
  log: Log;
  timers?: Timers;
}

/** A fetched job of a gateway that died is removed after this time. */
const STALE_JOB_MS = 60_000;

/**
 * Brings runs from PostgreSQL to free slots: at this replica directly, at other replicas through the job queue. Order and limits are
 * decided in PostgreSQL; Redis only wakes a gateway. No request waits for it, and nothing is lost when it fails: the sweeper repeats it.
 */
export class RunDispatcher {
  private readonly deps: RunDispatcherDeps;
  private readonly timers: Timers;
  private readonly states = new Map<string, FleetDispatchState>();
  private readonly localSlots: LocalSlots;

  constructor(deps: RunDispatcherDeps) {
    this.deps = deps;
    this.localSlots = deps.localSlots;
    this.timers = deps.timers ?? systemTimers;
  }

  /** Dispatches admitted runs to free slots here, and enqueues the others. */
  async dispatch(jobs: readonly DispatchJob[]): Promise<void> {
    await this.enqueue(jobs.filter((job) => !this.localSlots.offer(job)));
  }

  /** A run of the fleet waits outside the window. */
  onBacklog(fleet: string): void {
    this.stateOf(fleet).onBacklog();
    void this.admit(fleet);
  }

  /** A place in the window of the fleet, or below the limit of a project, has become free. */
  onSlotFreed(fleet: string): void {
    const state = this.stateOf(fleet);
    const waitMs = state.onSlotFreed(this.timers.monotonic());
    if (waitMs === null) return;
    if (waitMs === 0) return this.fillLocalSlots(fleet);
    this.timers
      .setTimeout(() => {
        state.onFillTimer();
        if (!this.deps.pool.ending) this.fillLocalSlots(fleet);
      }, waitMs)
      .unref();
  }

  /** A job was fetched from the queue. Without this, an idle replica would receive only what the sweeper enqueues. */
  onQueueJob(fleet: string): void {
    if (this.localSlots.has(fleet)) this.stateOf(fleet).onQueueJob(this.timers.monotonic());
  }

  /** Brings the next runs of a fleet to free slots. Calls during a round are answered by one more round. */
  async admit(fleet: string): Promise<void> {
    await this.runRounds(fleet, 'shared');
  }

  /** Queues the run of a job that found no free slot, under its next dispatch number. */
  async returnJob(job: DispatchJob): Promise<void> {
    const next = await nextDispatch(this.deps.pool, job);
    if (next) await this.dispatch([next]);
  }

  /**
   * Enqueues admitted runs whose job is missing. Runs that were enqueued less than `olderThanMs` ago may be on their way through a
   * gateway. While Redis is unavailable, only runs for which a slot is free here are dispatched.
   * @returns number of runs
   */
  async requeueLostJobs(olderThanMs: number): Promise<number> {
    const { pool, jobQueue, fleetName } = this.deps;
    const stale = await findStaleAdmissions(pool, olderThanMs);
    if (stale.length === 0) return 0;
    const named = await Promise.all(
      stale.map(async (job) => ({ ...job, id: job.fleet, fleet: (await fleetName(job.fleet)) ?? '' })),
    );
    const jobs = named.filter(({ fleet }) => fleet !== '');
    const missing = await jobQueue.findMissing(jobs).catch((error: unknown) => {
      this.deps.log.debug({ error: String(error) }, 'Redis unavailable, dispatching only jobs with a free slot');
      return jobs.filter(({ id }) => (this.localSlots.free(id) ?? 0) > 0);
    });
    const renumbered = await Promise.all(missing.map((job) => nextDispatch(pool, { ...job, fleet: job.id })));
    const requeued = renumbered.filter((job) => job !== null);
    if (requeued.length > 0) await this.dispatch(requeued);
    return requeued.length;
  }

  /** Removes the fetched jobs of gateways that died. @throws when Redis is unavailable */
  async removeStaleJobs(): Promise<void> {
    const { pool, jobQueue } = this.deps;
    for (const fleet of await listFleetNames(pool)) await jobQueue.removeStale(fleet, STALE_JOB_MS);
  }

  private stateOf(fleet: string): FleetDispatchState {
    let state = this.states.get(fleet);
    if (!state) this.states.set(fleet, (state = new FleetDispatchState()));
    return state;
  }

  /** Adds jobs to the queues of their fleets, for any replica. */
  private async enqueue(jobs: readonly DispatchJob[]): Promise<void> {
    try {
      const named = await Promise.all(
        jobs.map(async (job) => ({ ...job, fleet: await this.deps.fleetName(job.fleet) })),
      );
      const jobsOfKnownFleets = named.filter((job): job is typeof job & { fleet: string } => job.fleet !== null);
      if (jobsOfKnownFleets.length > 0) await this.deps.jobQueue.add(jobsOfKnownFleets);
      await failpoint('dispatch.enqueued', ...jobs.map(({ run }) => run));
    } catch (error) {
      this.deps.log.debug({ error: String(error), runs: jobs.length }, 'jobs not enqueued, sweeper will enqueue them');
    }
  }

  /** Fills the slots of this replica; without workers of the fleet, enqueues runs for the other replicas. */
  private fillLocalSlots(fleet: string): void {
    const free = this.localSlots.free(fleet);
    if (free !== 0) void this.runRounds(fleet, free === null ? 'shared' : 'local');
  }

  private async runRounds(fleet: string, scope: RoundScope): Promise<void> {
    const state = this.stateOf(fleet);
    if (!state.requestRound(scope)) return;
    try {
      for (let round = state.nextRound(); round; round = state.nextRound()) await this.runRound(fleet, state, round);
    } catch (error) {
      this.deps.log.warn({ error: String(error), fleet }, 'admission failed, sweeper will retry');
    } finally {
      state.endRounds();
    }
  }

  /** Claims runs for the free slots of this replica. Without any, a shared round enqueues runs for other replicas. */
  private async runRound(fleet: string, state: FleetDispatchState, scope: RoundScope): Promise<void> {
    const { pool, window } = this.deps;
    let isBacklogInDoubt: boolean;
    if ((this.localSlots.free(fleet) ?? 0) > 0) {
      const claimedCount = await this.localSlots.claim(fleet);
      isBacklogInDoubt = state.onClaimed(scope, claimedCount, this.timers.monotonic());
    } else if (scope === 'shared') {
      const jobs = await admitRuns(pool, fleet, window);
      // Does not wait for Redis: while it hangs, runs still reach the slots of this replica.
      void this.dispatch(jobs);
      const hasLocalWorkers = this.localSlots.free(fleet) !== null;
      isBacklogInDoubt = state.onEnqueued(jobs.length, hasLocalWorkers, this.timers.monotonic());
    } else return;
    // A full window, or a project at its limit, does not mean that no run waits.
    if (isBacklogInDoubt && !(await fleetsWithBacklog(pool)).includes(fleet)) state.onBacklogEmpty();
  }
}
