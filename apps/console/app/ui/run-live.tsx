import type { RunStatus } from '@pilothouse/contract';
import { Button } from '@pilothouse/ui-kit';
import { Copy, Keyboard } from 'lucide-react';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { RunCopied } from './run-copied.tsx';
import { RunFilm } from './run-film.tsx';
import { RunHands } from './run-hands.tsx';
import { RunWheel } from './run-wheel.tsx';
import { useCopy } from './use-copy.ts';
import { useCoarse } from './use-coarse.ts';
import type { WheelHandle } from './use-wheel.ts';

export interface RunLiveProps {
  run: string;
  status: RunStatus;
  wheel: WheelHandle;
  /** Whether the viewer may drive. */
  may: boolean;
  /** The last dialog that was answered while a person has control; null: none. */
  dialog: string | null;
}

/** What the browser of a run shows now, and the wheel. */
export function RunLive({ run, status, wheel, may, dialog }: RunLiveProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const { copied, copy, dismiss } = useCopy(wheel);
  const isCoarse = useCoarse();
  const [isTyping, setTyping] = useState(false);
  /** A keyboard comes for the focus alone that a touch gave. */
  const type = () => {
    flushSync(() => setTyping(!isTyping));
    field.current?.blur();
    field.current?.focus({ preventScroll: true });
  };
  return (
    <div>
      <RunWheel wheel={wheel} status={status} may={may} dialog={dialog} />
      {wheel.drives && (
        <div className="mb-2 grid gap-2">
          <div className="flex flex-wrap items-center gap-2">
            <Button onClick={() => copy(false)}>
              <Copy aria-hidden="true" /> Copy from the page
            </Button>
            {isCoarse && (
              <Button aria-pressed={isTyping} look={isTyping ? 'primary' : 'plain'} onClick={type}>
                <Keyboard aria-hidden="true" /> Keyboard
              </Button>
            )}
            {copied && <RunCopied copied={copied} onDismiss={dismiss} />}
          </div>
        </div>
      )}
      <RunFilm run={run}>
        {wheel.drives && <RunHands wheel={wheel} onCopy={copy} keyboard={isTyping || !isCoarse} field={field} />}
      </RunFilm>
    </div>
  );
}
