import { Button } from '@pilothouse/ui-kit';
import { Copy, Keyboard } from 'lucide-react';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { isClosed, type Story } from '../run-state.ts';
import { RunCopied } from './clipboard-notice.tsx';
import { ReopenBrowser, RunClosed } from '../closed-run.tsx';
import { RunDialog } from './page-dialog.tsx';
import { RunFileChooser } from './file-chooser-dialog.tsx';
import { RunFilm } from './screencast.tsx';
import { RunHands } from './remote-input-layer.tsx';
import { RunWheel } from './control-bar.tsx';
import { useCopy } from '../../shared/use-clipboard.ts';
import { useCoarse } from '../../shared/use-coarse-pointer.ts';
import type { WheelHandle } from './use-control-session.ts';

export interface RunLiveProps {
  story: Story;
  wheel: WheelHandle;
  /** Whether the viewer may drive. */
  may: boolean;
}

/** What the browser of a run shows now, and the wheel. */
export function RunLive({ story, wheel, may }: RunLiveProps) {
  const { run, status, dialog } = story;
  const [asked] = story.openDialogs;
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
  if (isClosed(story)) return <RunClosed story={story}>{may && <ReopenBrowser />}</RunClosed>;
  return (
    <div>
      <RunWheel wheel={wheel} status={status} may={may} dialog={dialog} />
      {wheel.drives && asked && asked.kind !== 'files' && (
        <RunDialog key={asked.dialog} asked={asked} onAnswer={wheel.answerDialog} />
      )}
      {wheel.drives && asked?.kind === 'files' && (
        <RunFileChooser key={asked.dialog} run={run} asked={asked} wheel={wheel} />
      )}
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
        {wheel.drives && !asked && (
          <RunHands wheel={wheel} onCopy={copy} keyboard={isTyping || !isCoarse} field={field} />
        )}
      </RunFilm>
    </div>
  );
}
