import type { Failure } from '../api/api-client.server.ts';
import { FormProblem } from '../shared/form-problem.ts';

/** Failure of a form whose field is invalid. Other errors are thrown again. */
export function failureOfProblem(error: unknown): Failure {
  if (!(error instanceof FormProblem)) throw error;
  const fields = [{ pointer: `/${error.field}`, detail: error.message }];
  return { code: 'VALIDATION_FAILED', message: error.message, fields };
}
