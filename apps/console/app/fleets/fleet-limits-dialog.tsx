import type { FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import { Button, Dialog, Field, Input, Notice } from '@pilothouse/ui-kit';
import { SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { useFetcher } from 'react-router';
import type { FleetActionResult } from './fleets.actions.server.ts';

const fields = [
  { name: 'minWorkers', label: 'Minimum workers', hint: 'Always running' },
  { name: 'maxWorkers', label: 'Maximum workers', hint: 'Upper limit, whatever the queue' },
  { name: 'idleSlots', label: 'Idle target (slots)', hint: 'Free slots kept ready. 0: scale down to the minimum.' },
] as const;

/** Notices for fleets whose limits cannot be changed in the console. */
export const limitNotices = {
  configuration: 'Limits are set in the Helm values (fleets) or in PILOTHOUSE_FLEETS, and cannot be changed here.',
  retired: 'Fleet removed from the configuration: no workers start and its runs stay queued.',
} as const;

/** Dialog that changes the worker limits of a fleet. */
export function FleetLimitsDialog({ fleet }: { fleet: FleetView }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <SlidersHorizontal aria-hidden="true" /> Edit limits
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={`Limits: ${fleet.name}`}>
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
        <Notice tone="good">Saved. Extra workers are removed once idle.</Notice>
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
      <p className="text-xs text-muted">Applies to every project this fleet serves, until its configuration changes.</p>
      <div className="flex gap-2">
        <Button type="submit" name="intent" value="update-limits" variant="primary" disabled={fetcher.state !== 'idle'}>
          Save
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </fetcher.Form>
  );
}
