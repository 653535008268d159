import type { ProjectBudgets, MonthlyUsage } from '@pilothouse/contract/run/budget.schema';
import { Cell, Table } from '@pilothouse/ui-kit';
import { budgetField, budgets as kinds, units } from './budget-form.ts';
import { monthlyUsage } from '../home/monthly-usage.ts';
import { TableCellInput } from '../shared/table-cell-input.tsx';

export interface BudgetFieldsProps {
  budgets: ProjectBudgets | null;
  usage: MonthlyUsage;
  disabled: boolean;
  /** Error message of a field. */
  errorOf: (field: string) => string | undefined;
}

/** Budgets of a project, and the usage of the current month. */
export const BudgetFields = ({ budgets, usage, disabled, errorOf }: BudgetFieldsProps) => (
  <div className="grid gap-3">
    <p className="text-xs text-muted">
      Blank: no limit. A run fails before a model call that could exceed its budget. Tokens and cost count model calls
      only.
    </p>
    <Table label="Budgets" head={['Scope', ...units.map(({ name }) => name)]}>
      {kinds.map(({ kind, name, description, units: kindUnits }) => (
        <tr key={kind}>
          <Cell className="whitespace-nowrap">
            <span title={description}>{name}</span>
          </Cell>
          {units.map(({ key, name: unit }) => {
            const field = budgetField(kind, key);
            const amounts: Partial<Record<typeof key, number>> = budgets?.[kind] ?? {};
            return (
              <Cell key={key} className="min-w-28 py-1">
                {kindUnits.includes(key) && (
                  <TableCellInput
                    label={`${unit}: ${name}`}
                    field={field}
                    value={amounts[key]?.toString()}
                    disabled={disabled}
                    error={errorOf(field)}
                  />
                )}
              </Cell>
            );
          })}
        </tr>
      ))}
    </Table>
    <dl className="flex flex-wrap gap-x-8 gap-y-2">
      {monthlyUsage(budgets, usage).map(({ unit, label, share }) => (
        <div key={unit} className="min-w-48">
          <dt className="text-xs text-muted">
            {unit === 'tokens' ? `Tokens used in ${usage.month}` : `Cost in ${usage.month}`}
          </dt>
          <dd className="text-sm font-semibold">
            {label}
            {share !== null && <Bar share={share} />}
          </dd>
        </div>
      ))}
    </dl>
  </div>
);

/** Used share of a budget. The text beside it has the same information. */
const Bar = ({ share }: { share: number }) => (
  <span aria-hidden="true" className="mt-1 block h-1.5 overflow-hidden rounded-full bg-raised">
    <span
      className={`block h-full ${share > 0.8 ? 'bg-warn' : 'bg-primary'}`}
      style={{ width: `${Math.min(100, share * 100)}%` }}
    />
  </span>
);
