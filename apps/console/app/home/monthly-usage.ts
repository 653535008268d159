import type { ProjectBudgets, MonthlyUsage } from '@pilothouse/contract/run/budget.schema';
import { count, countOf, dollars } from '../shared/number-format.ts';

/** Model usage of a project in the current month, in one unit. */
export interface UnitUsage {
  readonly unit: 'tokens' | 'usd';
  /** Used amount, with the limit if there is one. */
  readonly label: string;
  /** Used share of the budget, including reservations of running calls; null: no budget. */
  readonly share: number | null;
}

export function monthlyUsage(budgets: Pick<ProjectBudgets, 'month'> | null, usage: MonthlyUsage): UnitUsage[] {
  return (['tokens', 'usd'] as const).map((unit) => {
    const format = (amount: number) => (unit === 'tokens' ? countOf(amount, 'token') : dollars(amount));
    const limit = budgets?.month?.[unit];
    const used = usage[unit] + usage.reserved[unit];
    const label =
      limit === undefined ? format(used) : `${unit === 'tokens' ? count(used) : dollars(used)} of ${format(limit)}`;
    return { unit, label, share: limit === undefined ? null : used / limit };
  });
}

/** Share of a budget from which the console warns. */
const WARNING_SHARE = 0.8;

/** Usage above the warning threshold. */
export const nearLimit = (uses: readonly UnitUsage[]): UnitUsage[] =>
  uses.filter(({ share }) => (share ?? 0) > WARNING_SHARE);
