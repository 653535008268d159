import { useState } from 'react';

/** What the browser of a run shows now, as it changes. It is filmed only while this is open. */
export function RunLive({ run }: { run: string }) {
  const [state, setState] = useState<'coming' | 'here' | 'gone'>('coming');
  return (
    <div>
      {state !== 'here' && (
        <p role="status" className="text-sm text-muted">
          {state === 'coming'
            ? 'The picture comes as soon as its browser is open.'
            : 'There is no picture any more. Open this view again to look once more.'}
        </p>
      )}
      <img
        src={`/api/v1/runs/${run}/live`}
        alt="What the browser shows now"
        className={state === 'here' ? 'w-full rounded border border-line' : 'h-px w-px opacity-0'}
        onLoad={() => setState('here')}
        onError={() => setState('gone')}
      />
    </div>
  );
}
