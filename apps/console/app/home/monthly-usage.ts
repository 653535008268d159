import type { ProjectBudgets, MonthlyUsage } from '@pilothouse/contract';
import { count, dollars } from '../shared/number-format.ts';

/** What models took of the month of a project, in one unit. */
export interface UnitUsage {
  readonly unit: 'tokens' | 'usd';
  /** What was taken, of how much. */
  readonly words: string;
  /** Of the budget, what is held by calls at work included; null: there is none. */
  readonly share: number | null;
}

/** What models took this month, unit by unit. */
export function monthlyUsage(budgets: Pick<ProjectBudgets, 'month'> | null, spent: MonthlyUsage): UnitUsage[] {
  return (['tokens', 'usd'] as const).map((unit) => {
    const say = (amount: number) => (unit === 'tokens' ? `${count(amount)} tokens` : dollars(amount));
    const limit = budgets?.month?.[unit];
    const taken = spent[unit] + spent.held[unit];
    const words =
      limit === undefined ? say(taken) : `${unit === 'tokens' ? count(taken) : dollars(taken)} of ${say(limit)}`;
    return { unit, words, share: limit === undefined ? null : taken / limit };
  });
}

/** Of a budget, from which on people should know. */
const WARNING_SHARE = 0.8;

/** What is used up but for a fifth, or less. */
export const nearLimit = (uses: readonly UnitUsage[]): UnitUsage[] => uses.filter(({ share }) => (share ?? 0) > WARNING_SHARE);
