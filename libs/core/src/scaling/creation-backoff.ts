import type { ConditionReason } from '@pilothouse/contract/fleet/fleet.schema';
import type { ScalingTuning, ScalingWorker } from './scaling-observation.ts';
import type { ConditionRecord, FleetWorkerState } from '../ports/fleet-state.port.ts';

export interface CreationFailure {
  readonly reason: ConditionReason;
  /** For people. */
  readonly message: string;
  /** Consecutive failures. Failures within one wait count once. */
  readonly count: number;
  /** When it last happened, in milliseconds since 1970. */
  readonly failedAt: number;
  /** Nothing is created before this instant. */
  readonly retryAt: number;
}

/** State between two decisions: unexpired creation failures. */
export interface BackoffState {
  readonly failures: readonly CreationFailure[];
}

export const NO_BACKOFF: BackoffState = { failures: [] };

/**
 * Records a failure and extends the wait of its reason. A failure during the wait belongs to the same burst (five workers that are created
 * together fail together) and only updates the message. The same applies to a worker that was created before the recorded failure, however
 * late its failure is reported.
 * @param createdAt time of the decision to create the failed worker, if known, in milliseconds since 1970 by the clock of `now`
 */
export function recordCreationFailure(
  backoff: BackoffState,
  reason: ConditionReason,
  message: string,
  now: number,
  tuning: ScalingTuning,
  createdAt = Infinity,
): BackoffState {
  const previousFailure = backoff.failures.find((failure) => failure.reason === reason);
  const otherFailures = backoff.failures.filter((failure) => failure.reason !== reason);
  if (previousFailure && (now < previousFailure.retryAt || createdAt <= previousFailure.failedAt))
    return { failures: [...otherFailures, { ...previousFailure, message }] };
  const count = (previousFailure?.count ?? 0) + 1;
  const waitMs = Math.min(tuning.maxBackoffMs, tuning.backoffMs * 2 ** Math.min(count - 1, 30));
  return { failures: [...otherFailures, { reason, message, count, failedAt: now, retryAt: now + waitMs }] };
}

/** Removes expired failures, and failures before the start of a worker that is now stable. */
export function expireFailures(
  backoff: BackoffState,
  workers: readonly ScalingWorker[],
  now: number,
  tuning: ScalingTuning,
): BackoffState {
  const recoveredAt = Math.max(
    -Infinity,
    ...workers
      .filter(({ managed, state, startedAt }) => managed && state === 'ready' && now - startedAt >= tuning.stableMs)
      .map(({ startedAt }) => startedAt),
  );
  const failures = backoff.failures.filter(
    ({ failedAt }) => failedAt >= recoveredAt && now - failedAt < tuning.forgetMs,
  );
  return failures.length === backoff.failures.length ? backoff : { failures };
}

/** The failure with the longest remaining backoff; null: no backoff. */
export function longestBackoff(backoff: BackoffState, now: number): CreationFailure | null {
  const activeFailures = backoff.failures.filter(({ retryAt: backoffEnd }) => now < backoffEnd);
  return activeFailures.reduce<CreationFailure | null>(
    (last, next) => (last && last.retryAt >= next.retryAt ? last : next),
    null,
  );
}

/** Reasons about which a stable worker says nothing: they concern the security of others. */
const INDEPENDENT_REASONS: ReadonlySet<ConditionReason> = new Set([
  'EgressNotEnforced',
  'ExternalWorker',
  'JoinRefused',
]);

/**
 * Expired conditions: last seen before the start of a worker that is now stable, or too long ago.
 * @param now milliseconds since 1970, by the clock of the store
 */
export function clearedConditions(
  conditions: readonly ConditionRecord[],
  workers: readonly FleetWorkerState[],
  now: number,
  tuning: ScalingTuning,
): ConditionReason[] {
  const stableWorkers = workers.filter(
    ({ state, startedAt }) => state === 'ready' && now - startedAt >= tuning.stableMs,
  );
  const recoveredAt = Math.max(-Infinity, ...stableWorkers.map(({ startedAt }) => startedAt));
  return conditions
    .filter(
      ({ reason, lastSeenAt }) =>
        (!INDEPENDENT_REASONS.has(reason) && lastSeenAt < recoveredAt) || now - lastSeenAt >= tuning.forgetMs,
    )
    .map(({ reason }) => reason);
}
