import { useEffect, useState, type ReactNode } from 'react';

/** Milliseconds until a film that broke off is asked for again: a run may wait long for its worker, and silence ends a connection. */
const RETRY_MS = 2_000;

/** What the browser of a run shows now, as it changes. It is filmed only while this is open. @param children what lies over the picture */
export function Screencast({ run, children }: { run: string; children?: ReactNode }) {
  const [state, setState] = useState<'coming' | 'here' | 'gone'>('coming');
  const [attempt, setAttempt] = useState(0);
  // Asked for by the page, not by its HTML: what came or broke before the page was alive would go unnoticed.
  useEffect(() => setAttempt(1), []);
  useEffect(() => {
    if (state !== 'gone') return undefined;
    const timer = setTimeout(() => {
      setAttempt((before) => before + 1);
      setState('coming');
    }, RETRY_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <>
      {state !== 'here' && (
        <p role="status" className="text-sm text-muted">
          The picture comes as soon as its browser is open.
        </p>
      )}
      {attempt > 0 && state !== 'gone' && (
        <div className="relative">
          <img
            key={attempt}
            src={`/api/v1/runs/${run}/live`}
            alt="What the browser shows now"
            className={state === 'here' ? 'block w-full rounded border border-line' : 'h-px w-px opacity-0'}
            onLoad={() => setState('here')}
            onError={() => setState('gone')}
          />
          {state === 'here' && children}
        </div>
      )}
    </>
  );
}
