import type { ProjectBudgets, MonthlyUsage } from '@pilothouse/contract';
import { count, dollars } from '../shared/number-format.ts';

/** What models took of the month of a project, in one unit. */
export interface UnitUsage {
  readonly unit: 'tokens' | 'usd';
  /** What was taken, of how much. */
  readonly label: string;
  /** Of the budget, what is held by calls at work included; null: there is none. */
  readonly share: number | null;
}

/** What models took this month, unit by unit. */
export function monthlyUsage(budgets: Pick<ProjectBudgets, 'month'> | null, usage: MonthlyUsage): UnitUsage[] {
  return (['tokens', 'usd'] as const).map((unit) => {
    const format = (amount: number) => (unit === 'tokens' ? `${count(amount)} tokens` : dollars(amount));
    const limit = budgets?.month?.[unit];
    const used = usage[unit] + usage.held[unit];
    const label =
      limit === undefined ? format(used) : `${unit === 'tokens' ? count(used) : dollars(used)} of ${format(limit)}`;
    return { unit, label, share: limit === undefined ? null : used / limit };
  });
}

/** Of a budget, from which on people should know. */
const WARNING_SHARE = 0.8;

/** What is used up but for a fifth, or less. */
export const nearLimit = (uses: readonly UnitUsage[]): UnitUsage[] =>
  uses.filter(({ share }) => (share ?? 0) > WARNING_SHARE);
