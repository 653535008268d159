import { FormProblem } from './form-problem.ts';

export interface NumberOptions {
  readonly isInteger: boolean;
}

/** Number of a field; null: the field is empty. The API validates its range. @throws FormProblem */
export function numberOf(field: string, text: string, { isInteger }: NumberOptions): number | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const value = Number(trimmed);
  if (!Number.isFinite(value) || (isInteger && !Number.isInteger(value)))
    throw new FormProblem(field, `Enter a ${isInteger ? 'whole ' : ''}number or leave blank.`);
  return value;
}
