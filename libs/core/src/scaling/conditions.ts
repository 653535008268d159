import type { ConditionReason } from '@pilothouse/contract';
import type { ConditionRecord, FleetWorkerState } from '../port/fleet-state.ts';
import type { ScalingTuning } from './tuning.ts';

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
  const provenAt = Math.max(-Infinity, ...stable.map(({ startedAt }) => startedAt));
  return conditions
    .filter(({ lastSeenAt }) => lastSeenAt < provenAt || now - lastSeenAt >= tuning.forgetMs)
    .map(({ reason }) => reason);
}
