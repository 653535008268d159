import type { FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import { Badge } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { countOf } from '../shared/number-format.ts';

/** Busy slots and all slots of a fleet. */
export const slotsOf = ({ workers }: Pick<FleetView, 'workers'>) => ({
  busy: workers.reduce((sum, { busy }) => sum + busy, 0),
  total: workers.reduce((sum, { slots }) => sum + slots, 0),
});

/** Slot usage of a fleet as a bar and text. */
export function SlotUsage({ fleet }: { fleet: Pick<FleetView, 'workers'> }) {
  const { busy, total } = slotsOf(fleet);
  return (
    <span className="flex items-center gap-2 text-xs whitespace-nowrap text-muted">
      <span aria-hidden="true" className="h-1.5 w-24 max-md:w-12 overflow-hidden rounded-full bg-raised">
        <span className="block h-full bg-accent" style={{ width: `${total === 0 ? 0 : (busy / total) * 100}%` }} />
      </span>
      {busy}/{total} slots in use
    </span>
  );
}

/** One line for a fleet. */
export const FleetSummary = ({ fleet }: { fleet: FleetView }) => (
  <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2 text-sm">
    <Link to="/fleets" className="min-w-28 font-medium hover:underline">
      {fleet.name}
    </Link>
    <SlotUsage fleet={fleet} />
    <span className="text-xs text-muted">
      {fleet.workers.length}/{countOf(fleet.maxWorkers, 'worker')}
    </span>
    <span className="text-xs text-muted">{fleet.waiting} queued</span>
    {fleet.paused && <Badge tone="warn">Paused</Badge>}
    {fleet.conditions.map(({ reason, message }) => (
      <span key={reason} title={message}>
        <Badge tone="bad">{reason}</Badge>
      </span>
    ))}
  </li>
);
