import { PilothouseError, problemSchema, toPilothouseError, type Problem } from '@pilothouse/contract';

/** The API answered with an error: its problem details, as an error of the catalogue. */
export class ApiError extends PilothouseError {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.code, problem.detail ?? problem.title, { fields: problem.errors });
    this.problem = problem;
  }
}

/** What an answer that is no success means; one that is not ours (a proxy's page) keeps its status. */
export function errorOf(status: number, body: unknown): PilothouseError {
  const parsed = problemSchema.safeParse(body);
  if (parsed.success) return new ApiError(parsed.data);
  return toPilothouseError(
    new Error(`The API answered ${status}, and not as Pilothouse does`),
    status >= 500 ? 'UNAVAILABLE' : 'INTERNAL',
  );
}

/** The API could not be reached at all. */
export function unreachable(url: string, thrown: unknown): PilothouseError {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new PilothouseError('UNAVAILABLE', `${url} cannot be reached: ${why}`, { cause: thrown });
}
