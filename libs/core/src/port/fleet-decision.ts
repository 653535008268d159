/** Why workers are created. */
export const createReasons = ['below-min', 'waiting', 'idle-target'] as const;
export type CreateReason = (typeof createReasons)[number];

/** Why an idle worker is asked to go. */
export const drainReasons = ['cooldown', 'above-max', 'old-template'] as const;
export type DrainReason = (typeof drainReasons)[number];

/** Why a worker is ended that should be working, or gone, or need not come. */
export const stopReasons = ['start-timeout', 'drain-timeout', 'out-of-touch', 'old-template', 'not-needed'] as const;
export type StopReason = (typeof stopReasons)[number];

/** Why fewer workers are created than are wanted. */
export const holdReasons = ['paused', 'backoff', 'at-max'] as const;
export type HoldReason = (typeof holdReasons)[number];

/** What to do about a fleet. The reasons are closed sets: they are labels of metrics. */
export type ScalingAction =
  | { readonly action: 'create'; readonly count: number; readonly reason: CreateReason }
  | { readonly action: 'drain'; readonly worker: string; readonly reason: DrainReason }
  | { readonly action: 'stop'; readonly worker: string; readonly reason: StopReason };

/** Workers that are wanted and not created, and why. */
export interface HeldCreation {
  readonly count: number;
  readonly reason: HoldReason;
}
