import { useEffect, useState, type ReactNode } from 'react';
import { useSurfaceTraits } from '../../shared/surface-labels.ts';

/** Milliseconds before a failed screencast is retried. Runs wait for workers, and idle connections are closed. */
const RETRY_MS = 2_000;

/** Screencast of a run. It is streamed only while this component is mounted. @param children overlay of the image */
export function Screencast({ run, children }: { run: string; children?: ReactNode }) {
  const { noun } = useSurfaceTraits();
  const [state, setState] = useState<'connecting' | 'live' | 'failed'>('connecting');
  const [attempt, setAttempt] = useState(0);
  // Started after hydration: events before it would be missed.
  useEffect(() => setAttempt(1), []);
  useEffect(() => {
    if (state !== 'failed') return undefined;
    const timer = setTimeout(() => {
      setAttempt((previous) => previous + 1);
      setState('connecting');
    }, RETRY_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <>
      {state !== 'live' && (
        <p role="status" className="text-sm text-muted">
          Waiting for the {noun}…
        </p>
      )}
      {attempt > 0 && state !== 'failed' && (
        <div className="relative">
          <img
            key={attempt}
            src={`/api/v1/runs/${run}/live`}
            alt={`Live ${noun} view`}
            className={state === 'live' ? 'block w-full rounded border border-line' : 'h-px w-px opacity-0'}
            onLoad={() => setState('live')}
            onError={() => setState('failed')}
          />
          {state === 'live' && children}
        </div>
      )}
    </>
  );
}
