/**
 * Time between two rounds that freed slots start. It applies after a round that found nothing or filled the window for
 * other replicas.
 */
export const FILL_INTERVAL_MS = 50;

/** Time between two jobs that count as a sign of a backlog. */
export const QUEUE_JOB_INTERVAL_MS = 250;

/** `local` fills only the slots of this replica; `shared` also enqueues runs for the other replicas. */
export type RoundScope = 'local' | 'shared';

/**
 * Dispatch state of one fleet: whether runs may wait, and when the next round is due. Does no I/O and reads no clock: `now` is monotonic
 * milliseconds. Rounds of a fleet do not overlap.
 */
export class FleetDispatchState {
  /** Runs may wait outside the window. */
  private hasBacklog = false;
  /** Freed slots start no round before this instant. */
  private quietUntil = -Infinity;
  private lastQueueJobAt = -Infinity;
  private isFillScheduled = false;
  private areRoundsRunning = false;
  /** The scope of the next round, if one is requested. */
  private requested: RoundScope | null = null;

  onBacklog(): void {
    this.hasBacklog = true;
  }

  /** No run waits outside the window. */
  onBacklogEmpty(): void {
    this.hasBacklog = false;
  }

  /** A job of the queue was fetched: its sender had no free slot, and more runs may wait. */
  onQueueJob(now: number): void {
    if (now - this.lastQueueJobAt < QUEUE_JOB_INTERVAL_MS) return;
    this.lastQueueJobAt = now;
    this.hasBacklog = true;
  }

  /**
   * A slot has become free.
   * @returns milliseconds until slots have to be filled; 0: now; null: not at all, or already scheduled.
   * The caller calls `onFillTimer` after a wait.
   */
  onSlotFreed(now: number): number | null {
    if (!this.hasBacklog) return null;
    const waitMs = this.quietUntil - now;
    if (waitMs <= 0) return 0;
    if (this.isFillScheduled) return null;
    this.isFillScheduled = true;
    return waitMs;
  }

  onFillTimer(): void {
    this.isFillScheduled = false;
  }

  /** Requests a round. @returns whether the caller has to run rounds; otherwise those in progress do */
  requestRound(scope: RoundScope): boolean {
    if (this.requested !== 'shared') this.requested = scope;
    if (this.areRoundsRunning) return false;
    this.areRoundsRunning = true;
    return true;
  }

  /** Takes the requested round; null without a request. */
  nextRound(): RoundScope | null {
    const scope = this.requested;
    this.requested = null;
    return scope;
  }

  /** No more rounds run, because none is requested or one failed. */
  endRounds(): void {
    this.requested = null;
    this.areRoundsRunning = false;
  }

  /** A round has claimed runs for the free slots of this replica. @returns whether to check that a backlog remains */
  onClaimed(scope: RoundScope, { slots, filled }: { slots: number; filled: number }, now: number): boolean {
    if (filled > 0) this.hasBacklog = true;
    if (filled > 0 && filled === slots) {
      if (scope === 'shared') this.requested = 'shared';
      return false;
    }
    return this.startQuietPeriod(filled, now);
  }

  /**
   * A round has enqueued runs for other replicas.
   * @param hasLocalWorkers their next free slot is filled from the backlog without a pause
   * @returns whether to check that a backlog remains
   */
  onEnqueued(runs: number, hasLocalWorkers: boolean, now: number): boolean {
    if (runs > 0) this.hasBacklog = true;
    if (runs > 0 && hasLocalWorkers) return false;
    return this.startQuietPeriod(runs, now);
  }

  /** @returns whether the round found nothing */
  private startQuietPeriod(runs: number, now: number): boolean {
    this.quietUntil = now + FILL_INTERVAL_MS;
    return runs === 0;
  }
}
