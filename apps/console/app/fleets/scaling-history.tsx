import type { FleetDecision } from '@pilothouse/contract/fleet/fleet.schema';
import { Cell, Table } from '@pilothouse/ui-kit';
import { TimeAgo } from '../shared/relative-time.tsx';
import { scalingLabel } from '../shared/labels.ts';

/** List of scaling decisions. */
export const ScalingHistory = ({ fleet, decisions }: { fleet: string; decisions: readonly FleetDecision[] }) => (
  <details className="border-t border-line">
    <summary className="cursor-pointer px-3 py-2 text-sm text-muted">Scaling history</summary>
    {decisions.length === 0 ? (
      <p className="px-3 pb-3 text-sm text-muted">No scaling events. Workers that join on their own are not listed.</p>
    ) : (
      <Table label={`Scaling history of ${fleet}`} head={['Time', 'Action', 'Reason', 'By', 'Workers']}>
        {decisions.map(({ at: time, action, reason, requestedBy: actor, workers, error }, index) => (
          <tr key={`${time} ${index}`}>
            <Cell className="text-muted">
              <TimeAgo time={time} />
            </Cell>
            <Cell>{scalingLabel(action)}</Cell>
            <Cell>{scalingLabel(reason)}</Cell>
            <Cell className="wrap-anywhere">{actor ?? <span className="text-muted">controller</span>}</Cell>
            <Cell className="font-mono text-xs wrap-anywhere">
              {workers.join(', ')}
              {error && <span className="text-bad"> {error}</span>}
            </Cell>
          </tr>
        ))}
      </Table>
    )}
  </details>
);
