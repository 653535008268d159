import type { FleetView, WorkerView } from '@pilothouse/contract/fleet/fleet.schema';
import { Badge, Button, Cell, Table, type Tone } from '@pilothouse/ui-kit';
import { CircleSlash, LogOut, Undo2 } from 'lucide-react';
import { Link, useFetcher } from 'react-router';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { workerStateLabels } from '../shared/labels.ts';
import { TimeAgo } from '../shared/relative-time.tsx';
import type { FleetActionResult } from './fleets.actions.server.ts';

const states: Record<WorkerView['state'], Tone> = {
  starting: 'plain',
  ready: 'good',
  draining: 'warn',
  disconnected: 'bad',
};

/** Actions on a worker, by `intent` of the form. */
const workerActions = {
  cordon: { name: 'Cordon', icon: CircleSlash, title: 'Accept no new runs; keep the worker' },
  uncordon: { name: 'Uncordon', icon: Undo2, title: 'Accept runs again' },
  drain: { name: 'Drain', icon: LogOut, title: 'Accept no new runs, finish current runs, then exit' },
} as const;

/** Workers of a fleet. @param canOperate true if the viewer may drain and cordon them */
export const WorkerTable = ({ fleet, canOperate }: { fleet: FleetView; canOperate: boolean }) => (
  <div className="border-t border-line">
    {fleet.workers.length === 0 ? (
      <p className="px-3 py-2 text-sm text-muted">{noWorkersText(fleet)}</p>
    ) : (
      <Table
        label={`Workers of ${fleet.name}`}
        head={['Worker', 'State', 'Slots', 'Runs', 'Version', 'Started', 'Last heartbeat', '']}
      >
        {fleet.workers.map((worker) => (
          <WorkerRow key={worker.id} fleet={fleet.name} worker={worker} canOperate={canOperate} />
        ))}
      </Table>
    )}
  </div>
);

function noWorkersText({ maxWorkers: max, paused, waiting }: FleetView): string {
  if (paused) return 'No workers: the fleet is paused.';
  if (max === 0) return 'No workers: the maximum is 0.';
  return waiting === 0 ? 'Scaled to zero. The next run starts a worker.' : 'Waiting for a worker to start or join…';
}

function WorkerRow({ fleet, worker, canOperate }: { fleet: string; worker: WorkerView; canOperate: boolean }) {
  const { id, name, state, busy, slots, cordoned, runs, version, startedAt, lastSeenAt } = worker;
  const fetcher = useFetcher<FleetActionResult>();
  const otherProjectRuns = busy - runs.length;
  const availableActions = state === 'draining' ? [] : ([cordoned ? 'uncordon' : 'cordon', 'drain'] as const);
  return (
    <tr>
      <Cell className="font-mono text-xs whitespace-nowrap">{name}</Cell>
      <Cell className="whitespace-nowrap">
        <Badge tone={states[state]}>{workerStateLabels[state]}</Badge> {cordoned && <Badge tone="warn">Cordoned</Badge>}
      </Cell>
      <Cell className="whitespace-nowrap">
        {busy}/{slots}
      </Cell>
      <Cell className="min-w-40">
        <span className="flex flex-wrap gap-x-2">
          {runs.map((run) => (
            <Link key={run.id} to={`/runs/${run.id}`} title={run.name} className="max-w-64 truncate underline">
              {run.name}
            </Link>
          ))}
          {otherProjectRuns > 0 && <span className="text-muted">{otherProjectRuns} from other projects</span>}
        </span>
      </Cell>
      <Cell className="font-mono text-xs text-muted">{version}</Cell>
      <Cell className="text-muted">
        <TimeAgo time={startedAt} />
      </Cell>
      <Cell className="text-muted">
        <TimeAgo time={lastSeenAt} />
      </Cell>
      <Cell className="text-right whitespace-nowrap">
        {fetcher.data?.failure && <span className="mr-2 text-xs text-bad">{fetcher.data.failure.message}</span>}
        {canOperate &&
          availableActions.map((intent) => {
            const { name: verb, icon: Icon, title } = workerActions[intent];
            const button = {
              variant: 'quiet',
              disabled: fetcher.state !== 'idle',
              'aria-label': `${verb} ${name}`,
            } as const;
            const send = () => void fetcher.submit({ intent, fleet, worker: id }, { method: 'post' });
            const label = (
              <>
                <Icon aria-hidden="true" /> {verb}
              </>
            );
            return intent === 'drain' ? (
              <ConfirmButton
                key={intent}
                {...button}
                tooltip={title}
                confirmation={{
                  title: `Drain worker ${name}?`,
                  text: 'The worker accepts no new runs, finishes its current runs, and exits. This cannot be undone.',
                  verb: 'Drain worker',
                  onConfirm: send,
                }}
              >
                {label}
              </ConfirmButton>
            ) : (
              <Button key={intent} {...button} title={title} onClick={send}>
                {label}
              </Button>
            );
          })}
      </Cell>
    </tr>
  );
}
