import type { FleetConfig, WorkerState } from '@pilothouse/contract';

/** What of a fleet's configuration scaling looks at. */
export type ScalingConfig = Pick<FleetConfig, 'min' | 'max' | 'idle' | 'slots' | 'cooldownSeconds'> & {
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
   * Whether the driver made it. A worker that somebody joined from elsewhere gives capacity, but counts neither for `min` nor
   * for `max`, and is not ours to drain.
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
