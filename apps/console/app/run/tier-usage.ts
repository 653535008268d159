import { tiers, type Tier } from '@pilothouse/contract';
import { usageOf, type ModelCall, type StepState } from './run-state.ts';

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
    const itsSteps = steps.filter((step) => step.tier === tier);
    const itsCalls = calls.filter((call) => call.tier === tier);
    if (itsSteps.length + itsCalls.length === 0) return [];
    const ms = itsSteps.reduce((sum, step) => sum + stepDurationMs(step), 0);
    const modelMs = itsCalls.reduce((sum, call) => sum + call.durationMs, 0);
    return [{ tier, steps: itsSteps.length, ms, modelMs, ...usageOf(itsCalls) }];
  });
}

const stepDurationMs = ({ startedAt, finishedAt }: StepState): number =>
  startedAt === null || finishedAt === null ? 0 : Math.max(0, Date.parse(finishedAt) - Date.parse(startedAt));

/** The share of steps that needed no model; null: none has been carried out. */
export function modelFree(steps: readonly StepState[]): number | null {
  const done = steps.filter(({ tier }) => tier !== null);
  return done.length === 0 ? null : done.filter(({ tier }) => tier === 'replay').length / done.length;
}
