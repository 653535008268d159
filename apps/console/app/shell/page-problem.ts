import { isRouteErrorResponse } from 'react-router';

/** Content of an error page. */
export interface PageProblem {
  readonly code: string;
  readonly title: string;
  /** Advice. */
  readonly help: string;
  /** Message of the API; empty: none. */
  readonly message: string;
}

const explanations: Readonly<Record<string, Pick<PageProblem, 'title' | 'help'>>> = {
  NOT_FOUND: { title: 'Not found', help: 'The page does not exist, was deleted, or belongs to another project.' },
  VALIDATION_FAILED: {
    title: 'Invalid request',
    help: 'Check the address, or open the page again from the navigation.',
  },
  FORBIDDEN: { title: 'Access denied', help: 'Your role does not allow this. Ask a project admin.' },
  UNAVAILABLE: {
    title: 'API unavailable',
    help: 'The API is starting or unreachable. Running runs continue. Try again shortly.',
  },
  RATE_LIMITED: { title: 'Too many requests', help: 'Wait a few seconds and try again.' },
};

const unknownError = {
  title: 'Something went wrong',
  help: 'Try again. See the log of the console server for details.',
};

/** Explains an error that a loader or the rendering of a page threw. */
export function pageProblemOf(error: unknown): PageProblem {
  const problem = codeAndMessageOf(error);
  return { ...problem, ...(explanations[problem.code] ?? unknownError) };
}

function codeAndMessageOf(error: unknown): Pick<PageProblem, 'code' | 'message'> {
  // Network error of the browser.
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) return { code: 'UNAVAILABLE', message: '' };
  if (!isRouteErrorResponse(error)) return { code: 'INTERNAL', message: '' };
  const body = error.data as { code?: unknown; message?: unknown } | null;
  const code = typeof body?.code === 'string' ? body.code : error.status === 404 ? 'NOT_FOUND' : 'INTERNAL';
  return { code, message: typeof body?.message === 'string' ? body.message : '' };
}

/**
 * Document title of a layout: the error, or the product name. Pages override it.
 * @param error null or undefined if the page has no error
 */
export const layoutMeta = ({ error }: { error?: unknown }) => [
  { title: error == null ? 'Pilothouse' : `${pageProblemOf(error).title} · Pilothouse` },
];
