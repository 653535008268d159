import { tiers, type Tier } from '@pilothouse/contract/model/tier-names';
import { usageOf } from './run-state-selectors.ts';
import type { ModelCall, StepState } from './run-state.ts';

/** Labels of tiers. */
export const tierNames: Record<Tier, string> = {
  replay: 'Replay',
  text: 'Text',
  vision: 'Vision',
  replan: 'Replan',
  human: 'Human',
};

/** Totals of a tier: steps with this highest tier, and model calls. */
export interface TierTotals {
  tier: Tier;
  steps: number;
  /** Duration of the steps in milliseconds. */
  ms: number;
  calls: number;
  tokens: number;
  usd: number;
  /** Response time of the model calls in milliseconds. */
  modelMs: number;
}

/** Tiers with steps or calls, cheapest first. */
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

/** Share of executed steps without a model; null: no step was executed. */
export function modelFreeShare(steps: readonly StepState[]): number | null {
  const executed = steps.filter(({ tier }) => tier !== null);
  return executed.length === 0 ? null : executed.filter(({ tier }) => tier === 'replay').length / executed.length;
}
