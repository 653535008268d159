import { Button, buttonClass, Empty } from '@pilothouse/ui-kit';
import { useEffect } from 'react';
import { Link, useRevalidator } from 'react-router';
import { pageProblemOf } from './page-problem.ts';

/** Errors that remain after a retry. */
const finalCodes: ReadonlySet<string> = new Set(['NOT_FOUND', 'FORBIDDEN', 'VALIDATION_FAILED']);

/** Milliseconds between two retries after a temporary error. */
const RETRY_MS = 3_000;

/** Explains an error. Temporary errors are retried automatically. */
export function ErrorPage({ error }: { error: unknown }) {
  const { revalidate, state } = useRevalidator();
  const { code, title, help, message } = pageProblemOf(error);
  const isTransient = code === 'UNAVAILABLE' || code === 'RATE_LIMITED';
  useEffect(() => {
    if (!isTransient || state !== 'idle') return;
    const timer = setTimeout(() => void revalidate(), RETRY_MS);
    return () => clearTimeout(timer);
  }, [isTransient, state, revalidate]);
  const isRepeatable = !finalCodes.has(code);
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
