import { Dialog, Notice, Tabs } from '@pilothouse/ui-kit';
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { useFetcher } from 'react-router';
import { DiscardDialog, UnsavedChanges } from '../../shared/unsaved-changes.tsx';
import { GoalFields } from './goal-fields.tsx';
import { errorBelow, SubmitRow, type Fleets, type RunFailure } from './run-options.tsx';
import type { loader as fleetsLoader, action } from './new-run.route.ts';
import { WorkflowRun } from './workflow-run.tsx';

export type NewRunKind = 'workflow' | 'goal';

export interface NewRunDialogProps {
  open: boolean;
  /** Initially selected kind of run. */
  kind: NewRunKind;
  /** Initially selected workflow. */
  workflow: string | null;
  onClose: () => void;
}

/** Starts a run of a workflow or a goal. Asks before it discards entered values. */
export default function NewRunDialog({ open, onClose, ...rest }: NewRunDialogProps) {
  const forms = useRef<HTMLDivElement>(null);
  const [isAsking, setAsking] = useState(false);
  const close = () => {
    setAsking(false);
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={() => (hasEnteredValues(forms.current) ? setAsking(true) : close())}
      title="New run"
      className="w-[min(40rem,calc(100vw-2rem))]!"
    >
      <NewRun forms={forms} {...rest} />
      <DiscardDialog open={isAsking} onDiscard={close} onClose={() => setAsking(false)}>
        The run is not started, and the entered values are lost.
      </DiscardDialog>
    </Dialog>
  );
}

interface NewRunProps extends Pick<NewRunDialogProps, 'kind' | 'workflow'> {
  /** Contains the forms of both kinds. */
  forms: RefObject<HTMLDivElement | null>;
}

function NewRun({ kind: initialKind, workflow, forms }: NewRunProps) {
  const [kind, setKind] = useState(initialKind);
  const { load, data } = useFetcher<typeof fleetsLoader>();
  useEffect(() => void load('/new-run'), [load]);
  const fleets = data?.result ?? [];
  return (
    <div ref={forms}>
      <UnsavedChanges isDirty={useCallback(() => hasEnteredValues(forms.current), [forms])} />
      {data?.failure && <Notice tone="bad">Loading the fleets failed: {data.failure.message}</Notice>}
      <Tabs
        label="Kind of run"
        selected={kind}
        onSelect={setKind}
        keepMounted
        tabs={[
          { name: 'workflow', title: 'Workflow', panel: () => <WorkflowRun fleets={fleets} initial={workflow} /> },
          { name: 'goal', title: 'Goal', panel: () => <GoalRun fleets={fleets} /> },
        ]}
      />
    </div>
  );
}

/** Fields of a goal that show their errors. */
const shownPointers = ['/goal', '/url', '/apps', '/fleet', '/budget', '/outputSchema'];

/** Form for a run of a goal. */
function GoalRun({ fleets }: { fleets: Fleets }) {
  const submission = useFetcher<typeof action>();
  const failure: RunFailure = submission.data?.failure;
  return (
    <submission.Form method="post" action="/new-run" encType="multipart/form-data" className="grid gap-4">
      {failure && !shownPointers.some((pointer) => errorBelow(failure, pointer)) && (
        <Notice tone="bad">{failure.message}</Notice>
      )}
      <GoalFields fleets={fleets} failure={failure} />
      <SubmitRow intent="goal" busy={submission.state !== 'idle'} />
    </submission.Form>
  );
}

/** True if the value of a control differs from its initial one. Values that a page sets by itself are initial values. */
function hasChanged(control: Element): boolean {
  if (control instanceof HTMLTextAreaElement) return control.value !== control.defaultValue;
  if (!(control instanceof HTMLInputElement)) return false;
  if (control.type === 'file') return control.files !== null && control.files.length > 0;
  if (control.type === 'checkbox' || control.type === 'radio') return control.checked !== control.defaultChecked;
  return control.value !== control.defaultValue;
}

/** True if a person typed text, chose a file or checked a box in the forms of a container. */
const hasEnteredValues = (container: HTMLElement | null): boolean =>
  container !== null && [...container.querySelectorAll('form input, form textarea')].some(hasChanged);
