import { Button, Dialog, Notice } from '@pilothouse/ui-kit';
import { FlaskConical } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Link, useFetcher } from 'react-router';
import type { OutlineStep } from '../workflow-document/workflow-outline.ts';
import { keyOf, pathOfRunStep } from '../workflow-document/yaml-path.ts';
import { displayStatusOf } from '../run/run-state-selectors.ts';
import type { RunState } from '../run/run-state.ts';
import { RunStatusBadge, type StepDisplayStatus } from '../shared/status-badge.tsx';
import { useRunState } from '../run/use-run-state.ts';
import { inputEntriesOf, TestRunForm, type TestRunResult } from './test-run-form.tsx';

export type StepStatuses = ReadonlyMap<string, StepDisplayStatus>;

export interface TestRunProps {
  text: string;
  inputs: Readonly<Record<string, unknown>>;
  steps: readonly OutlineStep[];
  disabled: boolean;
  onStepStatuses: (stepStatuses: StepStatuses) => void;
}

/** Runs the edited workflow, and reports the statuses of its steps. */
export function TestRun({ text, inputs, steps, disabled, onStepStatuses }: TestRunProps) {
  const [open, setOpen] = useState(false);
  const testRun = useFetcher<TestRunResult>();
  const inputEntries = inputEntriesOf(inputs);
  const { state, failure } = testRun.data ?? {};
  const busy = testRun.state !== 'idle';
  const submit = (form: FormData) => {
    setOpen(false);
    onStepStatuses(new Map());
    form.set('text', text);
    void testRun.submit(form, { method: 'post', action: '/workflows/test-run', encType: 'multipart/form-data' });
  };
  return (
    <div className="contents">
      <Button
        disabled={disabled || busy}
        onClick={() => (inputEntries.length > 0 ? setOpen(true) : submit(new FormData()))}
      >
        <FlaskConical aria-hidden="true" /> {busy ? 'Starting…' : 'Test run'}
      </Button>
      {failure && <Notice tone="bad">{failure.message}</Notice>}
      {state && <Progress key={state.run} first={state} steps={steps} onStepStatuses={onStepStatuses} />}
      <Dialog open={open} onClose={() => setOpen(false)} title="Test run inputs">
        <TestRunForm inputs={inputEntries} onSubmit={submit} />
      </Dialog>
    </div>
  );
}

/** Status line of the test run. */
function Progress({
  first,
  steps,
  onStepStatuses,
}: Pick<TestRunProps, 'steps' | 'onStepStatuses'> & { first: RunState }) {
  const { state, connection } = useRunState(first);
  useEffect(() => onStepStatuses(stepStatusesOf(state, steps)), [state, steps, onStepStatuses]);
  const stepError = state.steps.find(({ error }) => error)?.error ?? state.error;
  return (
    <p role="status" className="flex min-w-0 flex-wrap items-center gap-2 text-sm">
      <RunStatusBadge status={state.status} />
      <Link to={`/runs/${state.run}`} target="_blank" className="underline">
        View run
      </Link>
      {connection === 'lost' && <span className="text-warn">Connection lost</span>}
      {stepError && <span className="text-bad wrap-anywhere">{stepError.message}</span>}
    </p>
  );
}

/** Statuses of the graph steps. A block has the status of its active step, and a loop that of its last iteration. */
function stepStatusesOf(state: RunState, steps: readonly OutlineStep[]): StepStatuses {
  const stepKeys = new Set(steps.map(({ key }) => key));
  const stepStatuses = new Map<string, StepDisplayStatus>();
  for (const step of state.steps) {
    const status = displayStatusOf(step, state.status);
    let path = pathOfRunStep(step.path, steps);
    // Steps of a called workflow belong to the calling step.
    while (path.length > 0 && !stepKeys.has(keyOf(path))) path = path.slice(0, -2);
    if (path.length === 0) continue;
    stepStatuses.set(keyOf(path), status);
    for (let around = path.slice(0, -2); around.length > 0; around = around.slice(0, -2))
      stepStatuses.set(keyOf(around), status);
  }
  return stepStatuses;
}
