import type { ConditionReason } from '@pilothouse/contract';
import type { ScalingTuning, ScalingWorker } from './scaling-observation.ts';
import type { ConditionRecord, FleetWorkerState } from '../ports/fleet-state.port.ts';

export interface CreationFailure {
  readonly reason: ConditionReason;
  /** For people. */
  readonly message: string;
  /** Consecutive failures. Failures within one wait count once. */
  readonly count: number;
  /** When it last happened, in milliseconds since 1970. */
  readonly at: number;
  /** Nothing is created before this instant. */
  readonly until: number;
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
  const previous = backoff.failures.find((failure) => failure.reason === reason);
  const others = backoff.failures.filter((failure) => failure.reason !== reason);
  if (previous && (now < previous.until || createdAt <= previous.at))
    return { failures: [...others, { ...previous, message }] };
  const count = (previous?.count ?? 0) + 1;
  const waitMs = Math.min(tuning.maxBackoffMs, tuning.backoffMs * 2 ** Math.min(count - 1, 30));
  return { failures: [...others, { reason, message, count, at: now, until: now + waitMs }] };
}

/** Forgets failures that are old, and all that are older than a worker which started after them and has proved stable. */
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
  const failures = backoff.failures.filter(({ at }) => at >= recoveredAt && now - at < tuning.forgetMs);
  return failures.length === backoff.failures.length ? backoff : { failures };
}

/** The failure that holds creation back longest, or null when nothing does. */
export function longestBackoff(backoff: BackoffState, now: number): CreationFailure | null {
  const activeFailures = backoff.failures.filter(({ until }) => now < until);
  return activeFailures.reduce<CreationFailure | null>(
    (last, next) => (last && last.until >= next.until ? last : next),
    null,
  );
}

/**
 * Conditions that are over: seen last before a worker joined that has proved stable since, or too long ago.
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
    .filter(({ lastSeenAt }) => lastSeenAt < recoveredAt || now - lastSeenAt >= tuning.forgetMs)
    .map(({ reason }) => reason);
}
