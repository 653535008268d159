import type { RunStatus } from '@pilothouse/contract';
import { useEffect, useState } from 'react';
import { RunHands } from './run-hands.tsx';
import { RunWheel } from './run-wheel.tsx';
import type { WheelHandle } from './use-wheel.ts';

/** Milliseconds until a film that broke off is asked for again: a run may wait long for its worker, and silence ends a connection. */
const AGAIN_MS = 2_000;

export interface RunLiveProps {
  run: string;
  status: RunStatus;
  wheel: WheelHandle;
  /** Whether the viewer may drive. */
  may: boolean;
}

/** What the browser of a run shows now, as it changes, and the wheel. It is filmed only while this is open. */
export function RunLive({ run, status, wheel, may }: RunLiveProps) {
  const [state, setState] = useState<'coming' | 'here' | 'gone'>('coming');
  const [time, setTime] = useState(0);
  // Asked for by the page, not by its HTML: what came or broke before the page was alive would go unnoticed.
  useEffect(() => setTime(1), []);
  useEffect(() => {
    if (state !== 'gone') return undefined;
    const timer = setTimeout(() => {
      setTime((before) => before + 1);
      setState('coming');
    }, AGAIN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <div>
      <RunWheel wheel={wheel} status={status} may={may} />
      {state !== 'here' && (
        <p role="status" className="text-sm text-muted">
          The picture comes as soon as its browser is open.
        </p>
      )}
      {time > 0 && state !== 'gone' && (
        <div className="relative">
          <img
            key={time}
            src={`/api/v1/runs/${run}/live`}
            alt="What the browser shows now"
            className={state === 'here' ? 'block w-full rounded border border-line' : 'h-px w-px opacity-0'}
            onLoad={() => setState('here')}
            onError={() => setState('gone')}
          />
          {state === 'here' && wheel.drives && <RunHands send={wheel.send} />}
        </div>
      )}
    </div>
  );
}
