import { Button, Input } from '@pilothouse/ui-kit';
import { Copy, Keyboard, AppWindow } from 'lucide-react';
import { lazy, Suspense, useRef, useState, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import { isClosed } from '../run-state-selectors.ts';
import type { RunState } from '../run-state.ts';
import { ClipboardNotice } from './clipboard-notice.tsx';
import { ReopenBrowser, ClosedRun } from '../closed-run.tsx';
import { Screencast } from './screencast.tsx';
import { ControlBar } from './control-bar.tsx';
import { usePageCopy } from './use-clipboard.ts';
import { useSurfaceTraits } from '../../shared/surface-labels.ts';
import type { PageControl } from './use-control-session.ts';

// Most viewers do not take control, and few pages open a dialog or ask for a file.
const RemoteInputLayer = lazy(async () => ({ default: (await import('./remote-input-layer.tsx')).RemoteInputLayer }));
const PageDialog = lazy(async () => ({ default: (await import('./page-dialog.tsx')).PageDialog }));
const FileChooserDialog = lazy(async () => ({
  default: (await import('./file-chooser-dialog.tsx')).FileChooserDialog,
}));

/** Opens an application on the desktop of the run. */
function OpenAppForm({ send }: Pick<PageControl, 'send'>) {
  return (
    <form
      className="flex items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        const field = event.currentTarget.elements.namedItem('app') as HTMLInputElement;
        send({ kind: 'openApp', app: field.value });
        field.value = '';
      }}
    >
      <Input
        name="app"
        required
        maxLength={100}
        pattern="[A-Za-z0-9][A-Za-z0-9._\-]*"
        title="The name of a .desktop file, for example mousepad"
        placeholder="mousepad"
        aria-label="Application"
        autoCapitalize="off"
        spellCheck={false}
        className="max-w-44"
      />
      <Button type="submit">
        <AppWindow aria-hidden="true" /> Open
      </Button>
    </form>
  );
}

const QUERY = '(pointer: coarse)';

function subscribe(onChange: () => void): () => void {
  const query = matchMedia(QUERY);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** True if the primary pointer is a finger. */
const useCoarsePointer = (): boolean =>
  useSyncExternalStore(
    subscribe,
    () => matchMedia(QUERY).matches,
    () => false,
  );

export interface LiveViewProps {
  state: RunState;
  control: PageControl;
  /** True if the viewer may take control. */
  canOperate: boolean;
}

/** Live view of a run, with control of its browser or desktop. */
export function LiveView({ state, control, canOperate }: LiveViewProps) {
  const { run, status, dialog } = state;
  const [openDialog] = state.openDialogs;
  const field = useRef<HTMLTextAreaElement>(null);
  const { copied, copy, dismiss } = usePageCopy(control);
  const isCoarse = useCoarsePointer();
  const { isPaged } = useSurfaceTraits();
  const [isTyping, setTyping] = useState(false);
  /** Mobile browsers open the keyboard only if a touch set the focus. */
  const type = () => {
    flushSync(() => setTyping(!isTyping));
    field.current?.blur();
    field.current?.focus({ preventScroll: true });
  };
  if (isClosed(state)) return <ClosedRun state={state}>{canOperate && <ReopenBrowser />}</ClosedRun>;
  return (
    <div>
      <ControlBar control={control} status={status} canOperate={canOperate} dialog={dialog} />
      <Suspense>
        {control.isOperating && openDialog && openDialog.kind !== 'files' && (
          <PageDialog key={openDialog.dialog} openDialog={openDialog} onAnswer={control.answerDialog} />
        )}
        {control.isOperating && openDialog?.kind === 'files' && (
          <FileChooserDialog key={openDialog.dialog} openDialog={openDialog} control={control} />
        )}
      </Suspense>
      {control.isOperating && (
        <div className="mb-2 grid gap-2">
          <div className="flex flex-wrap items-center gap-2">
            <Button onClick={() => copy(false)}>
              <Copy aria-hidden="true" /> Copy selection
            </Button>
            {isCoarse && (
              <Button aria-pressed={isTyping} variant={isTyping ? 'primary' : 'plain'} onClick={type}>
                <Keyboard aria-hidden="true" /> Keyboard
              </Button>
            )}
            {!isPaged && <OpenAppForm send={control.send} />}
            {copied && <ClipboardNotice copied={copied} onDismiss={dismiss} />}
          </div>
        </div>
      )}
      <Screencast run={run}>
        {control.isOperating && !openDialog && (
          <Suspense>
            <RemoteInputLayer control={control} onCopy={copy} opensKeyboard={isTyping || !isCoarse} field={field} />
          </Suspense>
        )}
      </Screencast>
    </div>
  );
}
