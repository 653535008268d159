import { Button, Dialog, Field, Input, Notice, Select } from '@pilothouse/ui-kit';
import { useEffect, useState } from 'react';
import { Link, useFetcher } from 'react-router';
import type { ModelActionResult } from './model.actions.server.ts';

export interface EvaluateDialogProps {
  name: string;
  base: string | null;
  /** Datasets that are ready, newest first. */
  datasets: readonly { id: string; label: string }[];
}

/** Button with a dialog that starts evaluations of the model and its base. */
export function EvaluateDialog(props: EvaluateDialogProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>Evaluate</Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={`Evaluate: ${props.name}`}>
        <EvaluateForm {...props} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function EvaluateForm({ base, datasets, onDone }: EvaluateDialogProps & { onDone: () => void }) {
  const fetcher = useFetcher<ModelActionResult>();
  const [formToken] = useState(createFormToken);
  const { failure } = fetcher.data ?? {};
  const isDone = fetcher.data !== undefined && !failure && fetcher.state === 'idle';
  useEffect(() => {
    if (isDone) onDone();
  }, [isDone, onDone]);
  if (datasets.length === 0)
    return (
      <p className="text-sm">
        No dataset is ready.{' '}
        <Link to="/learning/datasets/new" className="underline">
          Create a dataset
        </Link>{' '}
        first.
      </p>
    );
  return (
    <fetcher.Form method="post" className="grid gap-3">
      <input type="hidden" name="formToken" value={formToken} />
      {failure && <Notice tone="bad">{failure.message}</Notice>}
      <p className="text-sm">
        The model answers recorded turns of a dataset. Its answers are compared with the labels. No run is started. The
        calls count for the budget of the project.
      </p>
      <Field label="Dataset">
        {(controlProps) => (
          <Select {...controlProps} name="dataset">
            {datasets.map(({ id, label }) => (
              <option key={id} value={id}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Budget of each model (USD)" hint="Blank: the budget of the project only.">
        {(controlProps) => <Input {...controlProps} name="budgetUsd" inputMode="decimal" autoComplete="off" />}
      </Field>
      {base !== null && (
        <label className="flex items-start gap-2 text-sm">
          <input type="checkbox" name="against" value={base} defaultChecked className="mt-0.5 size-4 accent-primary" />
          <span className="wrap-anywhere">Compare with the base {base}</span>
        </label>
      )}
      <div className="flex gap-2">
        <Button type="submit" name="intent" value="evaluate" variant="primary" disabled={fetcher.state !== 'idle'}>
          Evaluate
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </fetcher.Form>
  );
}

/** Identifies an open form. `crypto.randomUUID` requires HTTPS. */
const createFormToken = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');
