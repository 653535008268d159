import { buttonClass, Empty } from '@pilothouse/ui-kit';
import { useEffect } from 'react';
import { isRouteErrorResponse, Link, useRevalidator } from 'react-router';

const words: Readonly<Record<string, { title: string; help: string }>> = {
  NOT_FOUND: { title: 'This is not here', help: 'It may have been removed, or belong to another project.' },
  FORBIDDEN: { title: 'You may not see this', help: 'Ask an admin of the project for a role that may.' },
  UNAVAILABLE: {
    title: 'The API does not answer',
    help: 'It may be starting, or the network between is down. Try again in a moment; runs at work go on.',
  },
  RATE_LIMITED: { title: 'Too many requests', help: 'Wait a moment, then try again.' },
};

/** Milliseconds between two tries of a page that was not answered. */
const againMs = 3_000;

/** Why a page cannot be shown, and what to do. What may be over by itself is tried again and again. */
export function ErrorPage({ error }: { error: unknown }) {
  const { revalidate, state } = useRevalidator();
  const { code, message } = readable(error);
  const mayPass = code === 'UNAVAILABLE' || code === 'RATE_LIMITED';
  useEffect(() => {
    if (!mayPass || state !== 'idle') return;
    const timer = setTimeout(() => void revalidate(), againMs);
    return () => clearTimeout(timer);
  }, [mayPass, state, revalidate]);
  const { title, help } = words[code] ?? { title: 'Something went wrong', help: 'Try again; the log says more.' };
  return (
    <Empty
      title={title}
      actions={
        <>
          <button
            type="button"
            className={buttonClass({ look: 'primary' })}
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

function readable(error: unknown): { code: string; message: string } {
  // What a browser says where there is no way to the console.
  if (error instanceof TypeError && /fetch|network/i.test(error.message)) return { code: 'UNAVAILABLE', message: '' };
  if (!isRouteErrorResponse(error)) return { code: 'INTERNAL', message: '' };
  const said = error.data as { code?: unknown; message?: unknown } | null;
  const code = typeof said?.code === 'string' ? said.code : error.status === 404 ? 'NOT_FOUND' : 'INTERNAL';
  return { code, message: typeof said?.message === 'string' ? said.message : '' };
}
