import { Button, Dialog, Field, Input, Notice } from '@pilothouse/ui-kit';
import { useEffect, useState } from 'react';
import { useFetcher } from 'react-router';
import type { ModelActionResult } from './model.actions.server.ts';
import type { StageAction } from './stage-actions.ts';

/** Button with a dialog that confirms a change, with its reason. */
export function StageDialog({ name, change }: { name: string; change: StageAction }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant={change.isDangerous ? 'danger' : 'plain'} onClick={() => setOpen(true)}>
        {change.verb}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={`${change.verb}: ${name}`}>
        <StageForm change={change} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function StageForm({ change: { intent, verb, text, share }, onDone }: { change: StageAction; onDone: () => void }) {
  const fetcher = useFetcher<ModelActionResult>();
  const { failure } = fetcher.data ?? {};
  const isDone = fetcher.data !== undefined && !failure && fetcher.state === 'idle';
  useEffect(() => {
    if (isDone) onDone();
  }, [isDone, onDone]);
  return (
    <fetcher.Form method="post" className="grid gap-3">
      {failure && <Notice tone="bad">{failure.message}</Notice>}
      <p className="text-sm">{text}</p>
      {share && (
        <Field label={share.label} hint={share.hint}>
          {(controlProps) => (
            <Input
              {...controlProps}
              name="percent"
              type="number"
              min={1}
              max={share.max}
              defaultValue={share.defaultValue}
              required
            />
          )}
        </Field>
      )}
      {intent !== 'delete' && (
        <Field label="Reason" hint="For the history. Optional.">
          {(controlProps) => <Input {...controlProps} name="reason" maxLength={1000} autoComplete="off" />}
        </Field>
      )}
      <div className="flex gap-2">
        <Button type="submit" name="intent" value={intent} variant="primary" disabled={fetcher.state !== 'idle'}>
          {verb}
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </fetcher.Form>
  );
}
