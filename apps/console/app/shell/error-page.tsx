import { Button, buttonClass, Empty } from '@pilothouse/ui-kit';
import { useEffect } from 'react';
import { isRouteErrorResponse, Link, useRevalidator } from 'react-router';

const explanations: Readonly<Record<string, { title: string; help: string }>> = {
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

/** Errors that remain after a retry. */
const finalCodes: ReadonlySet<string> = new Set(['NOT_FOUND', 'FORBIDDEN', 'VALIDATION_FAILED']);

/** Milliseconds between two retries after a temporary error. */
const RETRY_MS = 3_000;

/** Explains an error. Temporary errors are retried automatically. */
export function ErrorPage({ error }: { error: unknown }) {
  const { revalidate, state } = useRevalidator();
  const { code, message } = problemOf(error);
  const isTransient = code === 'UNAVAILABLE' || code === 'RATE_LIMITED';
  useEffect(() => {
    if (!isTransient || state !== 'idle') return;
    const timer = setTimeout(() => void revalidate(), RETRY_MS);
    return () => clearTimeout(timer);
  }, [isTransient, state, revalidate]);
  const isRepeatable = !finalCodes.has(code);
  const { title, help } = explanations[code] ?? {
    title: 'Something went wrong',
    help: 'Try again. See the log of the console server for details.',
  };
  return (
    <Empty
      title={title}
      actions={
        <>
          {isRepeatable && (
            <Button variant="primary" disabled={state !== 'idle'} onClick={() => void revalidate()}>
              Retry
            </Button>
          )}
          <Link to="/" className={buttonClass(isRepeatable ? {} : { variant: 'primary' })}>
            Home
          </Link>
        </>
      }
    >
      <p>{help}</p>
      {message && <p className="mt-2 font-mono text-xs wrap-anywhere">{message}</p>}
    </Empty>
  );
}

function problemOf(error: unknown): { code: string; message: string } {
  // Network error of the browser.
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) return { code: 'UNAVAILABLE', message: '' };
  if (!isRouteErrorResponse(error)) return { code: 'INTERNAL', message: '' };
  const body = error.data as { code?: unknown; message?: unknown } | null;
  const code = typeof body?.code === 'string' ? body.code : error.status === 404 ? 'NOT_FOUND' : 'INTERNAL';
  return { code, message: typeof body?.message === 'string' ? body.message : '' };
}
