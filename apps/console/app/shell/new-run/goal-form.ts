import { FormProblem, numberOf } from '../../shared/form-problem.ts';

/** Limits of a run that the form offers. Minutes become the seconds of the contract. */
export const budgetLimits = [
  { key: 'steps', field: 'budget/steps', label: 'Steps and turns', isInteger: true, factor: 1 },
  { key: 'seconds', field: 'budget/seconds', label: 'Minutes', isInteger: false, factor: 60 },
  { key: 'tokens', field: 'budget/tokens', label: 'Tokens', isInteger: true, factor: 1 },
  { key: 'usd', field: 'budget/usd', label: 'Cost (USD)', isInteger: false, factor: 1 },
] as const;

type BudgetKey = (typeof budgetLimits)[number]['key'];

/** Field of the output schema in the form and in the request. */
export const SCHEMA_FIELD = 'outputSchema';

/** Budget of the form; null: no limit. @param text returns the text of a field @throws FormProblem */
export function goalBudgetOf(text: (field: string) => string): Partial<Record<BudgetKey, number>> | null {
  const limits = budgetLimits.flatMap(({ key, field, isInteger, factor }) => {
    const value = numberOf(field, text(field), { isInteger });
    if (value === null) return [];
    if (value <= 0) throw new FormProblem(field, 'Enter a number above 0 or leave blank.');
    return [[key, value * factor] as const];
  });
  return limits.length === 0 ? null : Object.fromEntries(limits);
}

/** Output schema of the form; null: none. The API validates its keywords. @throws FormProblem */
export function outputSchemaOf(text: string): object | null {
  if (text.trim() === '') return null;
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    throw new FormProblem(SCHEMA_FIELD, `Enter JSON or leave blank: ${(error as Error).message}`);
  }
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
    throw new FormProblem(SCHEMA_FIELD, 'Enter a JSON Schema, e.g. { "type": "object", "properties": {} }.');
  return schema;
}
