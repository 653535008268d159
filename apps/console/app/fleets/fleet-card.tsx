import type { FleetQueue } from '@pilothouse/contract/api/fleets.routes';
import type { FleetDecision, FleetHistory, FleetView } from '@pilothouse/contract/fleet/fleet.schema';
import { Badge, Button, Card, Notice, Cell, Table } from '@pilothouse/ui-kit';
import { Pause, Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { useFetcher } from 'react-router';
import { SlotUsage } from '../home/fleet-summary.tsx';
import { surfaceLabel } from '../shared/surface-labels.ts';
import { TimeAgo } from '../shared/relative-time.tsx';
import { useRole } from '../page/use-role.ts';
import { scalingLabel } from '../shared/labels.ts';
import type { FleetActionResult } from './fleets.actions.server.ts';
import { FleetChart } from './fleet-chart.tsx';
import { FleetLimitsDialog, limitNotices } from './fleet-limits-dialog.tsx';
import { WorkerTable } from './worker-table.tsx';
import { countOf } from '../shared/number-format.ts';

/** List of scaling decisions. */
const ScalingHistory = ({ fleet, decisions }: { fleet: string; decisions: readonly FleetDecision[] }) => (
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

export interface FleetCardProps {
  fleet: FleetView;
  queue: FleetQueue | undefined;
  history: { history: FleetHistory; decisions: readonly FleetDecision[] } | undefined;
}

/** A fleet with its limits, workers and scaling history. */
export function FleetCard({ fleet, queue, history }: FleetCardProps) {
  const fetcher = useFetcher<FleetActionResult>();
  const role = useRole();
  const facts: [name: string, value: ReactNode][] = [
    ['Queued', fleet.waiting],
    ['Running', fleet.running],
    ['Needs input', queue?.total.awaitingUser ?? 0],
    ['Oldest queued', queue?.total.oldestQueuedAt ? <TimeAgo key="at" time={queue.total.oldestQueuedAt} /> : '—'],
    ['Workers', `${fleet.workers.length} (min ${fleet.minWorkers}, max ${fleet.maxWorkers})`],
    ['Idle target', `${fleet.idleSlots} slots`],
    ['Slots per worker', fleet.slots],
  ];
  return (
    <Card
      flush
      title={
        <span className="flex items-center gap-2">
          {fleet.name} <span className="text-xs font-normal text-muted">{surfaceLabel(fleet.surface)}</span>
          {fleet.paused && <Badge tone="warn">Paused</Badge>}
        </span>
      }
      actions={
        <>
          <SlotUsage fleet={fleet} />
          {role === 'admin' && fleet.limitsManagedBy === null && <FleetLimitsDialog fleet={fleet} />}
          {role === 'admin' && (
            <fetcher.Form method="post">
              <input type="hidden" name="fleet" value={fleet.name} />
              <Button
                type="submit"
                name="intent"
                value={fleet.paused ? 'resume' : 'pause'}
                disabled={fetcher.state !== 'idle'}
              >
                {fleet.paused ? <Play aria-hidden="true" /> : <Pause aria-hidden="true" />}
                {fleet.paused ? 'Resume' : 'Pause'}
              </Button>
            </fetcher.Form>
          )}
        </>
      }
    >
      <div className="grid gap-2 p-3">
        {fetcher.data?.failure && <Notice tone="bad">{fetcher.data.failure.message}</Notice>}
        {fleet.paused && <Notice tone="warn">Paused: running runs continue, queued runs wait.</Notice>}
        {fleet.conditions.map(({ reason, message, count, since, lastSeenAt }) => (
          <Notice key={reason} tone="bad">
            <strong>{reason}</strong> {message}
            <span className="text-xs">
              {' '}
              · {countOf(count, 'time')}, first <TimeAgo time={since} />, last <TimeAgo time={lastSeenAt} />
            </span>
          </Notice>
        ))}
        <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
          {facts.map(([name, value]) => (
            <div key={name} className="flex gap-1.5">
              <dt className="text-muted">{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {fleet.limitsManagedBy && <p className="text-xs text-muted">{limitNotices[fleet.limitsManagedBy]}</p>}
      </div>
      {history && <FleetChart fleet={fleet.name} history={history.history} />}
      <WorkerTable fleet={fleet} canOperate={role === 'admin'} />
      {history && <ScalingHistory fleet={fleet.name} decisions={history.decisions} />}
    </Card>
  );
}
