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
 * @param madeAt time of the decision to create the failed worker, if known, in milliseconds since 1970 by the clock of `now`
 */
export function recordCreationFailure(
  memory: BackoffState,
  reason: ConditionReason,
  message: string,
  now: number,
  tuning: ScalingTuning,
  madeAt = Infinity,
): BackoffState {
  const before = memory.failures.find((failure) => failure.reason === reason);
  const others = memory.failures.filter((failure) => failure.reason !== reason);
  if (before && (now < before.until || madeAt <= before.at)) return { failures: [...others, { ...before, message }] };
  const count = (before?.count ?? 0) + 1;
  const wait = Math.min(tuning.maxBackoffMs, tuning.backoffMs * 2 ** Math.min(count - 1, 30));
  return { failures: [...others, { reason, message, count, at: now, until: now + wait }] };
}

/** Forgets failures that are old, and all that are older than a worker which started after them and has proved stable. */
export function expireFailures(
  memory: BackoffState,
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
  const failures = memory.failures.filter(({ at }) => at >= recoveredAt && now - at < tuning.forgetMs);
  return failures.length === memory.failures.length ? memory : { failures };
}

/** The failure that holds creation back longest, or null when nothing does. */
export function longestBackoff(memory: BackoffState, now: number): CreationFailure | null {
  const holding = memory.failures.filter(({ until }) => now < until);
  return holding.reduce<CreationFailure | null>((last, next) => (last && last.until >= next.until ? last : next), null);
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
  const stable = workers.filter(({ state, startedAt }) => state === 'ready' && now - startedAt >= tuning.stableMs);
  const recoveredAt = Math.max(-Infinity, ...stable.map(({ startedAt }) => startedAt));
  return conditions
    .filter(({ lastSeenAt }) => lastSeenAt < recoveredAt || now - lastSeenAt >= tuning.forgetMs)
    .map(({ reason }) => reason);
}
