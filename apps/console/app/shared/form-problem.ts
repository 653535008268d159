import type { Failure } from '../api/api-client.server.ts';

/** Invalid form field, with a message that explains how to correct it. */
export class FormProblem extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.field = field;
  }
}

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

/** Failure of a form whose field is invalid. Other errors are thrown again. */
export function failureOfProblem(error: unknown): Failure {
  if (!(error instanceof FormProblem)) throw error;
  const fields = [{ pointer: `/${error.field}`, detail: error.message }];
  return { code: 'VALIDATION_FAILED', message: error.message, fields };
}
