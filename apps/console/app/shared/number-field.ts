import { FormProblem } from './form-problem.ts';

export interface NumberOptions {
  readonly isInteger: boolean;
}

/** The number of a field, or null where it is empty. How much of it makes sense is for the API to say. @throws FormProblem */
export function numberOf(field: string, text: string, { isInteger }: NumberOptions): number | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const value = Number(trimmed);
  if (!Number.isFinite(value) || (isInteger && !Number.isInteger(value)))
    throw new FormProblem(field, `Write a ${isInteger ? 'whole ' : ''}number, or leave it empty`);
  return value;
}
