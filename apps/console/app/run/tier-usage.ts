import { tiers, type Tier } from '@pilothouse/contract';
import { usageOf } from './run-state-selectors.ts';
import type { ModelCall, StepState } from './run-state.ts';

/** What a tier of the ladder took: the steps that came to it and no higher, and the calls on it. */
export interface TierTotals {
  tier: Tier;
  steps: number;
  /** Milliseconds of its steps. */
  ms: number;
  calls: number;
  tokens: number;
  usd: number;
  /** Milliseconds until its calls were answered. */
  modelMs: number;
}

/** The tiers that took anything, the cheapest first. */
export function usageByTier(steps: readonly StepState[], calls: readonly ModelCall[]): TierTotals[] {
  return tiers.flatMap((tier) => {
    const tierSteps = steps.filter((step) => step.tier === tier);
    const tierCalls = calls.filter((call) => call.tier === tier);
    if (tierSteps.length + tierCalls.length === 0) return [];
    const ms = tierSteps.reduce((sum, step) => sum + stepDurationMs(step), 0);
    const modelMs = tierCalls.reduce((sum, call) => sum + call.durationMs, 0);
    return [{ tier, steps: tierSteps.length, ms, modelMs, ...usageOf(tierCalls) }];
  });
}

const stepDurationMs = ({ startedAt, finishedAt }: StepState): number =>
  startedAt === null || finishedAt === null ? 0 : Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));

/** The share of steps that needed no model; null: none has been carried out. */
export function modelFreeShare(steps: readonly StepState[]): number | null {
  const executed = steps.filter(({ tier }) => tier !== null);
  return executed.length === 0 ? null : executed.filter(({ tier }) => tier === 'replay').length / executed.length;
}
