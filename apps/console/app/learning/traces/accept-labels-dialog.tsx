import { Button, Dialog, Field, Input } from '@pilothouse/ui-kit';
import { useState } from 'react';
import { countOf } from '../../shared/number-format.ts';
import type { TraceChange } from './traces.actions.server.ts';

export interface AcceptLabelsDialogProps {
  open: boolean;
  /** Counts of the labels that would be accepted. */
  counts: TraceChange;
  onAccept: (reason: string) => void;
  onClose: () => void;
}

/** Asks for a reason before many labels are accepted. */
export function AcceptLabelsDialog({
  open,
  counts: { traces, steps, isComplete },
  onAccept,
  onClose,
}: AcceptLabelsDialogProps) {
  const [reason, setReason] = useState('');
  return (
    <Dialog
      open={open}
      onClose={onClose}
      role="alertdialog"
      title={`Accept the current scores of ${isComplete ? '' : 'the first '}${countOf(traces, 'trace')}?`}
    >
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          onAccept(reason.trim());
        }}
      >
        <p className="text-sm text-muted">
          Adds your label to {countOf(steps, 'step')} with their current quality. Unknown steps and steps labeled by a
          person do not change. You can relabel a step later.
        </p>
        <Field label="Reason" hint="Stored with each label. Default: Accepted with a filter">
          {(attributes) => (
            <Input
              {...attributes}
              value={reason}
              maxLength={2000}
              placeholder="Checked a sample of ten"
              onChange={({ target }) => setReason(target.value)}
            />
          )}
        </Field>
        <div className="flex flex-wrap justify-end gap-2">
          <Button onClick={onClose}>Back</Button>
          <Button type="submit" variant="primary">
            Accept {countOf(steps, 'step')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
