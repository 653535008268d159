import type { FleetConfig, WorkerState } from '@pilothouse/contract';

/** What of a fleet's configuration scaling looks at. */
export type ScalingConfig = Pick<
  FleetConfig,
  'minWorkers' | 'maxWorkers' | 'idleSlots' | 'slots' | 'cooldownSeconds'
> & {
  /** Hands out no runs: creates nothing, and lets what is idle go. */
  readonly paused: boolean;
};

/** A worker as scaling sees it. Instants are milliseconds since 1970, all by one clock: that of `now`. */
export interface ScalingWorker {
  readonly name: string;
  /**
   * `starting`: made, not yet ready to take runs. `ready`: takes runs. `draining`: takes none, ends by itself.
   * `gone`: the gateway lost it, but its process or pod is still there.
   */
  readonly state: WorkerState;
  readonly slots: number;
  /** Slots that hold a run. */
  readonly busy: number;
  /** Since when no slot holds a run; null while one does, or when nobody knows. */
  readonly idleSince: number | null;
  readonly startedAt: number;
  /** Since when it is in `state`; null: since `startedAt`. */
  readonly since: number | null;
  /**
   * Whether the driver made it. A worker that somebody joined from elsewhere gives capacity, but counts neither for `minWorkers` nor
   * for `maxWorkers`, and is not ours to drain.
   */
  readonly managed: boolean;
  /** It takes nothing new until somebody says so, and stays as it is until then. */
  readonly cordoned?: boolean;
  /** Which template it was made from. */
  readonly template?: string;
}

/** One fleet at one moment. */
export interface FleetObservation {
  readonly config: ScalingConfig;
  /** Runs in the queue. */
  readonly waiting: number;
  readonly workers: readonly ScalingWorker[];
  /** The template that new workers are made from; idle workers of other templates are drained first. */
  readonly template?: string;
}

/** Times of scaling, in milliseconds: the same for all fleets. */
export interface ScalingTuning {
  /** A worker that is not ready by then is stopped and replaced. */
  readonly startDeadlineMs: number;
  /** A draining worker without a run that is still there by then is stopped. */
  readonly drainDeadlineMs: number;
  /** A worker that the gateway has not seen for so long is stopped; longer than any lease, so that it can hold no run. */
  readonly goneDeadlineMs: number;
  /** A worker that ends by itself before this age has failed; one that is ready and older shows that starting works again. */
  readonly stableMs: number;
  /** Wait after the first failure; doubles with each one that follows. */
  readonly backoffMs: number;
  readonly maxBackoffMs: number;
  /** Failures older than this are forgotten. */
  readonly forgetMs: number;
}

export const defaultTuning: ScalingTuning = {
  startDeadlineMs: 60_000,
  drainDeadlineMs: 30_000,
  goneDeadlineMs: 300_000,
  stableMs: 15_000,
  backoffMs: 1_000,
  maxBackoffMs: 60_000,
  forgetMs: 600_000,
};
