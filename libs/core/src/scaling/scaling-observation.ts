import type { FleetConfig, WorkerState } from '@pilothouse/contract/fleet/fleet.schema';

/** Configuration of a fleet that scaling needs. */
export type ScalingConfig = Pick<
  FleetConfig,
  'minWorkers' | 'maxWorkers' | 'idleSlots' | 'slots' | 'cooldownSeconds'
> & {
  /** The fleet assigns no runs: create nothing, drain idle workers. */
  readonly paused: boolean;
};

/** State of a worker for scaling. Times are milliseconds since 1970, by the clock of `now`. */
export interface ScalingWorker {
  readonly name: string;
  /**
   * `starting`: created, not ready yet. `ready`: accepts runs. `draining`: accepts no runs and exits.
   * `disconnected`: without contact to the gateway; its process or pod may still exist.
   */
  readonly state: WorkerState;
  readonly slots: number;
  /** Slots that hold a run. */
  readonly busy: number;
  /** Time since when no slot is in use; null while one is, or if unknown. */
  readonly idleSince: number | null;
  readonly startedAt: number;
  /** Start of `state`; null: `startedAt`. */
  readonly stateSince: number | null;
  /**
   * True if the driver created the worker. Others add capacity, but do not count for `minWorkers` and `maxWorkers` and are never drained.
   */
  readonly managed: boolean;
  /** The worker takes no new runs until it is uncordoned. */
  readonly cordoned?: boolean;
  /** Template from which it was created. */
  readonly template?: string;
}

/** One fleet at one moment. */
export interface FleetObservation {
  readonly config: ScalingConfig;
  /** Runs in the queue. */
  readonly waiting: number;
  readonly workers: readonly ScalingWorker[];
  /** Template for new workers. Idle workers of other templates are drained first. */
  readonly template?: string;
}

/** Timing of scaling in milliseconds, the same for all fleets. */
export interface ScalingTuning {
  /** A worker that is not ready by then is stopped and replaced. */
  readonly startDeadlineMs: number;
  /** A draining worker without a run that is still there by then is stopped. */
  readonly drainDeadlineMs: number;
  /** Time after which an unseen worker is stopped. It exceeds any lease, so the worker can hold no run. */
  readonly disconnectedDeadlineMs: number;
  /** A worker that ends before this age has failed. A ready worker beyond this age proves that creation works again. */
  readonly stableMs: number;
  /** Wait after the first failure in milliseconds. It doubles with each further failure. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** Failures older than this are forgotten. */
  readonly forgetMs: number;
}

export const defaultTuning: ScalingTuning = {
  startDeadlineMs: 60_000,
  drainDeadlineMs: 30_000,
  disconnectedDeadlineMs: 300_000,
  stableMs: 15_000,
  backoffMs: 1_000,
  maxBackoffMs: 60_000,
  forgetMs: 600_000,
};
