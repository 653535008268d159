import type { FleetView } from '@pilothouse/contract';
import { Button, Dialog, Field, Input, Notice } from '@pilothouse/ui-kit';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useFetcher } from 'react-router';
import type { FleetActionResult } from './fleet-action-result.ts';

const fields = [
  { name: 'minWorkers', label: 'Fewest workers', hint: 'Kept, with work or without' },
  { name: 'maxWorkers', label: 'Most workers', hint: 'However many runs wait' },
  { name: 'idleSlots', label: 'Free slots kept warm', hint: '0: it goes down to the fewest' },
] as const;

/** Notices for fleets whose limits cannot be changed in the console. */
export const limitNotices = {
  configuration:
    'The number of workers is set in the configuration of the installation: fleets, in the values of the chart.',
  retired: 'The configuration no longer names this fleet: it gets no workers, and its runs wait.',
} as const;

/** Dialog that changes the worker limits of a fleet. */
export function FleetLimitsDialog({ fleet }: { fleet: FleetView }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <SlidersHorizontal aria-hidden="true" /> Limits
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={`Limits of ${fleet.name}`}>
        <LimitsForm fleet={fleet} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function LimitsForm({ fleet, onDone }: { fleet: FleetView; onDone: () => void }) {
  const fetcher = useFetcher<FleetActionResult>();
  // Values at the time the form was opened: the page refreshes every two seconds.
  const [initialLimits] = useState({
    minWorkers: fleet.minWorkers,
    maxWorkers: fleet.maxWorkers,
    idleSlots: fleet.idleSlots,
  });
  const { failure, isSaved } = fetcher.data ?? {};
  const errorOf = (name: string) => failure?.fields?.find(({ pointer }) => pointer === `/${name}`)?.detail;
  const hasFormError = failure && !fields.some(({ name }) => errorOf(name));
  if (isSaved) {
    return (
      <div className="grid gap-3">
        <Notice tone="good">Saved. Workers that are too many go when they are idle.</Notice>
        <Button className="justify-self-start" onClick={onDone}>
          Close
        </Button>
      </div>
    );
  }
  return (
    <fetcher.Form method="post" className="grid gap-3">
      {hasFormError && <Notice tone="bad">{failure.message}</Notice>}
      <input type="hidden" name="fleet" value={fleet.name} />
      {fields.map(({ name, label, hint }) => (
        <Field key={name} label={label} hint={hint} error={errorOf(name)}>
          {(controlProps) => (
            <Input
              {...controlProps}
              name={name}
              type="number"
              min={0}
              max={10_000}
              required
              defaultValue={initialLimits[name]}
            />
          )}
        </Field>
      ))}
      <p className="text-xs text-muted">
        For all projects that it serves. It holds until the configuration of the fleet says something else than before.
      </p>
      <div className="flex gap-2">
        <Button type="submit" name="intent" value="update-limits" variant="primary" disabled={fetcher.state !== 'idle'}>
          Save
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </fetcher.Form>
  );
}
