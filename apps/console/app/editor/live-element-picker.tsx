import type { Target } from '@pilothouse/contract/actions/locator.schema';
import { Button, Dialog, Notice } from '@pilothouse/ui-kit';
import { Hand } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Link, useFetcher } from 'react-router';
import { truncateBefore, WAIT_TITLE } from '../workflow-document/truncate-workflow.ts';
import type { Path } from '../workflow-document/yaml-path.ts';
import { postApi } from '../api/post-api.ts';
import type { RunState } from '../run/run-state.ts';
import { ElementPicker, PickModeSwitch, useElementPicker } from '../run/element-picker/element-picker.tsx';
import { RunStatusBadge } from '../shared/status-badge.tsx';
import { useRunState } from '../run/use-run-state.ts';
import { useControlSession } from '../run/control/use-control-session.ts';
import { inputEntriesOf, TestRunForm, type TestRunResult } from './test-run-form.tsx';

export interface LiveElementPickerProps {
  text: string;
  inputs: Readonly<Record<string, unknown>>;
  /** Step to pick an element for; null: closed. */
  step: Path | null;
  onPick: (target: Target) => void;
  onClose: () => void;
}

/** Picks an element on a live page. A run executes the steps before the selected one, then waits under control of the viewer. */
export const LiveElementPicker = ({ step, onClose, ...rest }: LiveElementPickerProps) => (
  <Dialog open={step !== null} onClose={onClose} title="Pick an element" className="w-[min(76rem,calc(100vw-2rem))]!">
    {step && <Picking step={step} {...rest} />}
  </Dialog>
);

function Picking({ text, inputs, step, onPick }: Omit<LiveElementPickerProps, 'onClose' | 'step'> & { step: Path }) {
  const testRun = useFetcher<TestRunResult>();
  const { state, failure } = testRun.data ?? {};
  if (state) return <LivePage key={state.run} first={state} onPick={onPick} />;
  return (
    <div className="grid max-w-2xl gap-3">
      <p className="text-sm text-muted">
        A test run executes the previous steps and pauses here. Picking does not click. The test run is cancelled when
        you close this dialog.
      </p>
      {failure && <Notice tone="bad">{failure.message}</Notice>}
      <TestRunForm
        inputs={inputEntriesOf(inputs)}
        busy={testRun.state !== 'idle'}
        onSubmit={(form) => {
          form.set('text', truncateBefore(text, step));
          void testRun.submit(form, { method: 'post', action: '/workflows/test-run', encType: 'multipart/form-data' });
        }}
      />
    </div>
  );
}

function LivePage({ first, onPick }: Pick<LiveElementPickerProps, 'onPick'> & { first: RunState }) {
  const { run } = first;
  const { state } = useRunState(first);
  const control = useControlSession(state);
  const { isOperating, takeControl } = control;
  const picking = useElementPicker(control, onPick);

  // The run is only for picking.
  useEffect(() => () => void postApi(`runs/${run}/cancel`, { keepalive: true }), [run]);

  const isWaiting =
    state.status === 'running' && state.steps.some(({ title, status }) => title === WAIT_TITLE && status !== 'pending');
  const isRequested = useRef(false);
  useEffect(() => {
    if (!isWaiting || isRequested.current) return;
    isRequested.current = true;
    takeControl();
  }, [isWaiting, takeControl]);

  const stepError = state.steps.find(({ error }) => error)?.error ?? state.error;
  const problem = picking.problem ?? control.problem;
  return (
    <div className="grid gap-2">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2 text-sm">
        <p role="status" className="flex min-w-0 flex-wrap items-center gap-2">
          <RunStatusBadge status={state.status} />
          <Link to={`/runs/${run}`} target="_blank" className="underline">
            View run
          </Link>
          <span className="truncate text-muted">
            {isOperating ? picking.label : progressText(state, control.isMine)}
          </span>
        </p>
        {isWaiting && !control.isMine && control.problem && (
          <Button onClick={takeControl}>
            <Hand aria-hidden="true" /> Take control
          </Button>
        )}
        {isOperating && <PickModeSwitch picking={picking} />}
      </div>
      {stepError && <Notice tone="bad">{stepError.message}</Notice>}
      {problem && <Notice tone="warn">{problem}</Notice>}
      {state.finishedAt === null && <ElementPicker run={run} control={control} picking={picking} />}
    </div>
  );
}

function progressText({ status, finishedAt }: RunState, isMine: boolean): string {
  if (status === 'completed') return 'The run ended before this step.';
  if (finishedAt !== null) return '';
  return isMine ? 'Pausing…' : 'Running the previous steps…';
}
