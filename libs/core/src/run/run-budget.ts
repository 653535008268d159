import { budgetKeys, type Budget, type FieldError, type ProjectBudgets } from '@pilothouse/contract';

type Given = Pick<ProjectBudgets, 'default' | 'most'>;

/** What is wrong with what a run asks for: more than its project gives any. Pointers are those of a budget. */
export const projectLimitErrors = ({ most = {} }: Given, asked: Budget): FieldError[] =>
  budgetKeys.flatMap((key) =>
    (asked[key] ?? 0) <= (most[key] ?? Infinity)
      ? []
      : [
          {
            pointer: `/${key}`,
            detail: `The project gives a run at most ${most[key]}: ask for less, or have an admin raise it`,
          },
        ],
  );

/** What a run may use up: what it asks for, else what its project gives where nothing is said; never more than the project gives any. */
export function effectiveBudget({ default: usual = {}, most = {} }: Given, asked: Budget): Budget {
  const given = budgetKeys.flatMap((key) => {
    const limit = Math.min(asked[key] ?? usual[key] ?? Infinity, most[key] ?? Infinity);
    return limit === Infinity ? [] : [[key, limit] as const];
  });
  return Object.fromEntries(given);
}
