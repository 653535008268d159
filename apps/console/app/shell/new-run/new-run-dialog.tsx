import { Dialog, Notice, Tabs } from '@pilothouse/ui-kit';
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';
import { useFetcher } from 'react-router';
import { hasEnteredValues } from '../../shared/entered-form-values.ts';
import { DiscardDialog, UnsavedChanges } from '../../shared/unsaved-changes.tsx';
import { GoalRun } from './goal-run.tsx';
import type { loader as fleetsLoader } from './new-run.route.ts';
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

/** Starts a run of a workflow or of a goal. Asks before it discards entered values. */
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
