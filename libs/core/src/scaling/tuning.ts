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
