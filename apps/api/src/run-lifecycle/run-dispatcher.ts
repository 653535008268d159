import { type Log, systemTimers } from '@pilothouse/core';
import {
  admitRuns,
  findStaleAdmissions,
  listFleetNames,
  fleetsWithBacklog,
  nextDispatch,
  type DispatchJob,
  type Pool,
} from '@pilothouse/infra-db';
import { hit } from '@pilothouse/infra-fault';
import type { JobQueue } from '@pilothouse/infra-queue';

export interface RunDispatcherDeps {
  pool: Pool;
  jobQueue: Pick<JobQueue, 'add' | 'findMissing' | 'removeStale'>;
  /** Name of a fleet by its id: queues are named for people. */
  fleetName(id: string): Promise<string | null>;
  /** Runs of a fleet that may be in Redis at a time. */
  window: number;
  log: Log;
}

/** The workers that wait at this replica. */
export interface LocalSlots {
  /** Free slots of a fleet that may be filled past the queue; null when no worker of the fleet is here. */
  free(fleet: string): number | null;
  /** Claims runs of the backlog for all such slots. @returns how many there were, and how many were filled */
  claim(fleet: string): Promise<{ slots: number; filled: number }>;
  /** Takes a hint past the queue. @returns whether a slot was free for it */
  offer(hint: DispatchJob): boolean;
}

/** Milliseconds between two looks into a backlog that freed places ask for where the last look gave nothing, or filled the window for others. */
const FILL_EVERY_MS = 50;

/** Milliseconds between two looks into the backlog because of hints that came through the queue. */
const SUSPECT_EVERY_MS = 250;

/** Milliseconds after which a job that a gateway has fetched is nobody's any more. */
const LEFT_MS = 60_000;

/** An admission under way. */
interface Admitting {
  again: boolean;
  /** Whether what finds no slot here goes into the queue, for other replicas. */
  shares: boolean;
}

/**
 * Brings runs from PostgreSQL to a free slot: to one of this replica at once, to the others through the queue. Order and limits are
 * decided here, Redis only wakes a gateway. Nothing here is awaited by a request, and nothing is lost when it fails: the sweeper comes by
 * every half second.
 */
export class RunDispatcher {
  private readonly options: RunDispatcherDeps;
  private readonly admitting = new Map<string, Admitting>();
  /** Fleets that runs may wait for outside the window. */
  private readonly backlog = new Set<string>();
  /** On the monotonic clock: until then nobody looks into the backlog of a fleet because a place became free. */
  private readonly quietUntil = new Map<string, number>();
  private readonly suspectedAt = new Map<string, number>();
  private seats: LocalSlots | undefined;
  /** Fleets whose backlog is looked into in a moment. */
  private readonly soon = new Set<string>();

  constructor(options: RunDispatcherDeps) {
    this.options = options;
  }

  /** From now on the slots of this replica are filled past the queue. */
  attachLocalSlots(seats: LocalSlots): void {
    this.seats = seats;
  }

  /** Brings admitted runs to free slots here, and the others into their queues. */
  async dispatch(hints: readonly DispatchJob[]): Promise<void> {
    await this.enqueue(hints.filter((hint) => !this.seats?.offer(hint)));
  }

  /** Puts hints into their queues, for any replica. */
  private async enqueue(others: readonly DispatchJob[]): Promise<void> {
    try {
      const named = await Promise.all(
        others.map(async (hint) => ({ ...hint, fleet: await this.options.fleetName(hint.fleet) })),
      );
      const known = named.filter((hint): hint is typeof hint & { fleet: string } => hint.fleet !== null);
      if (known.length > 0) await this.options.jobQueue.add(known);
      await hit('dispatch.enqueued', ...others.map(({ run }) => run));
    } catch (error) {
      this.options.log.debug(
        { error: String(error), runs: others.length },
        'Hints were not added; the sweeper hints again',
      );
    }
  }

  /** A run of the fleet waits outside the window. */
  onBacklog(fleet: string): void {
    this.backlog.add(fleet);
    void this.admit(fleet);
  }

  /** A place in the fleet's window, or under the limit of a project, has become free. */
  onSlotFreed(fleet: string): void {
    if (!this.backlog.has(fleet)) return;
    const waitMs = (this.quietUntil.get(fleet) ?? -Infinity) - performance.now();
    if (waitMs <= 0) return this.fillLocalSlots(fleet);
    if (this.soon.has(fleet)) return;
    this.soon.add(fleet);
    systemTimers
      .setTimeout(() => {
        this.soon.delete(fleet);
        if (!this.options.pool.ending) this.fillLocalSlots(fleet);
      }, waitMs)
      .unref();
  }

  /**
   * A hint came through the queue: whoever put it there had no slot for it, and more may wait. Without this a replica that had nothing to do
   * would get no more of a backlog than what the sweeper puts into the queue.
   */
  onQueueJob(fleet: string): void {
    const now = performance.now();
    if (!this.seats || now - (this.suspectedAt.get(fleet) ?? -Infinity) < SUSPECT_EVERY_MS) return;
    this.suspectedAt.set(fleet, now);
    this.backlog.add(fleet);
  }

  /** Brings the next runs of a fleet to where slots may be free; calls that come meanwhile are answered by one more round. */
  async admit(fleet: string): Promise<void> {
    await this.fill(fleet, true);
  }

  /** Workers of this replica take for themselves: what is in the queue is for the others. */
  private fillLocalSlots(fleet: string): void {
    const free = this.seats?.free(fleet) ?? null;
    if (free !== 0) void this.fill(fleet, free === null);
  }

  private async fill(fleet: string, shares: boolean): Promise<void> {
    const underWay = this.admitting.get(fleet);
    if (underWay) {
      underWay.again = true;
      underWay.shares ||= shares;
      return;
    }
    const state: Admitting = { again: true, shares };
    this.admitting.set(fleet, state);
    try {
      while (state.again) {
        state.again = false;
        await this.round(fleet, state);
      }
    } catch (error) {
      this.options.log.warn({ error: String(error), fleet }, 'Admission failed; the sweeper tries again');
    } finally {
      this.admitting.delete(fleet);
    }
  }

  /** Claims for the free slots of this replica; when there are none, and it is wanted, admits for the window. */
  private async round(fleet: string, state: Admitting): Promise<void> {
    const { pool, window } = this.options;
    const { shares } = state;
    state.shares = false;
    let found = 0;
    if (this.seats && (this.seats.free(fleet) ?? 0) > 0) {
      const { slots, filled } = await this.seats.claim(fleet);
      if (filled > 0) this.backlog.add(fleet);
      if (filled > 0 && filled === slots) {
        state.shares ||= shares;
        state.again ||= shares;
        return;
      }
      found = filled;
    } else if (shares) {
      const hints = await admitRuns(pool, fleet, window);
      if (hints.length > 0) this.backlog.add(fleet);
      // Redis is not waited for: while it hangs, runs still come to the slots of this replica.
      void this.dispatch(hints);
      // The window is for others; where workers are here, the next slot that becomes free is filled from the backlog.
      if (hints.length > 0 && this.seats && this.seats.free(fleet) !== null) return;
      found = hints.length;
    } else return;
    this.quietUntil.set(fleet, performance.now() + FILL_EVERY_MS);
    if (found > 0) return;
    // A window that is full, or a project at its limit, says nothing about the backlog.
    const waiting = await fleetsWithBacklog(pool);
    if (!waiting.includes(fleet)) this.backlog.delete(fleet);
  }

  /** A hint that was fetched but found no slot: the run goes back under the next number. */
  async returnJob(hint: DispatchJob): Promise<void> {
    const next = await nextDispatch(this.options.pool, hint);
    if (next) await this.dispatch([next]);
  }

  /**
   * Hints again every admitted run whose job does not wait. Only runs hinted longer than `olderThanMs` ago: a younger one may
   * be on its way through a gateway. While Redis is away only those for which a slot is free here.
   * @returns how many were hinted again
   */
  async requeueLostJobs(olderThanMs: number): Promise<number> {
    const { pool, jobQueue: board, fleetName } = this.options;
    const old = await findStaleAdmissions(pool, olderThanMs);
    if (old.length === 0) return 0;
    const named = await Promise.all(
      old.map(async (hint) => ({ ...hint, id: hint.fleet, fleet: (await fleetName(hint.fleet)) ?? '' })),
    );
    const known = named.filter(({ fleet }) => fleet !== '');
    const missing = await board.findMissing(known).catch((error: unknown) => {
      this.options.log.debug({ error: String(error) }, 'Redis is away; hints wait, except for free slots');
      return known.filter(({ id }) => (this.seats?.free(id) ?? 0) > 0);
    });
    const again = await Promise.all(missing.map((hint) => nextDispatch(pool, { ...hint, fleet: hint.id })));
    const hints = again.filter((hint) => hint !== null);
    if (hints.length > 0) await this.dispatch(hints);
    return hints.length;
  }

  /** Removes the jobs that gateways which died left behind in Redis. @throws when Redis is away */
  async removeStaleJobs(): Promise<void> {
    const { pool, jobQueue: board } = this.options;
    for (const fleet of await listFleetNames(pool)) await board.removeStale(fleet, LEFT_MS);
  }
}
