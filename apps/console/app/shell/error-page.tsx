import { buttonClass, Empty } from '@pilothouse/ui-kit';
import { useEffect } from 'react';
import { isRouteErrorResponse, Link, useRevalidator } from 'react-router';

const explanations: Readonly<Record<string, { title: string; help: string }>> = {
  NOT_FOUND: { title: 'This is not here', help: 'It may have been removed, or belong to another project.' },
  FORBIDDEN: { title: 'You may not see this', help: 'Ask an admin of the project for a role that may.' },
  UNAVAILABLE: {
    title: 'The API does not answer',
    help: 'It may be starting, or the network between is down. Try again in a moment; runs at work go on.',
  },
  RATE_LIMITED: { title: 'Too many requests', help: 'Wait a moment, then try again.' },
};

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
  const { title, help } = explanations[code] ?? {
    title: 'Something went wrong',
    help: 'Try again; the log says more.',
  };
  return (
    <Empty
      title={title}
      actions={
        <>
          <button
            type="button"
            className={buttonClass({ variant: 'primary' })}
            disabled={state !== 'idle'}
            onClick={() => void revalidate()}
          >
            Try again
          </button>
          <Link to="/" className={buttonClass()}>
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
