import { errorCodes, type ErrorCode } from '@pilothouse/contract/errors/error-codes';
import { PilothouseError, problemSchema, type Problem } from '@pilothouse/contract/errors/pilothouse-error';

/** Error code of a response without problem details, e.g. from a proxy. */
const codeByStatus: Readonly<Record<number, ErrorCode>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'RATE_LIMITED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'UNAVAILABLE',
};

/** Error response of the API. `code` and `retry` are for programs, `message` for people, `fields` has the invalid fields. */
export class ApiError extends PilothouseError {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.code, problem.detail ?? problem.title, { fields: problem.errors });
    this.problem = problem;
  }
}

/** Converts an error response to an error. */
export async function toApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  return new ApiError(problemOf(text) ?? problemOfStatus(response));
}

function problemOf(text: string): Problem | undefined {
  try {
    const body: unknown = JSON.parse(text);
    const parsed = problemSchema.safeParse(body);
    if (parsed.success) return parsed.data;
    return problemOfNewerApi(body);
  } catch {
    return undefined;
  }
}

/** Converts a problem of a newer API with an unknown code to one with the code of its status. */
function problemOfNewerApi(body: unknown): Problem | undefined {
  const parsed = problemSchema.extend({ code: problemSchema.shape.title }).safeParse(body);
  if (!parsed.success || errorCodes.some((code) => code === parsed.data.code)) return undefined;
  const { status, detail, title, code } = parsed.data;
  return { ...parsed.data, code: codeOf(status), detail: `${detail ?? title} (${code})` };
}

const codeOf = (status: number): ErrorCode =>
  codeByStatus[status] ?? (status >= 500 ? 'INTERNAL' : 'VALIDATION_FAILED');

function problemOfStatus({ status, url }: Response): Problem {
  const code = codeOf(status);
  const detail = `${new URL(url, 'http://unknown').host} answered ${status} without a response of Pilothouse. Check the URL.`;
  return { type: 'about:blank', title: detail, status, detail, code, retry: new PilothouseError(code, detail).retry };
}

/** The error of a request without a response. @param url base URL of the request */
export function networkError(url: string, thrown: unknown): PilothouseError {
  const cause = thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
  // Each tried address has its own error; the first one is reported.
  const first = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause;
  const reason = first instanceof Error ? first.message : String(first);
  return new PilothouseError('UNAVAILABLE', `${url} does not answer: ${reason}`, { cause: thrown });
}
