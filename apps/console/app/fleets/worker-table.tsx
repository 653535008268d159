import type { FleetView, WorkerView } from '@pilothouse/contract';
import { Badge, Button, Cell, Table, type Tone } from '@pilothouse/ui-kit';
import { CircleSlash, LogOut, Undo2 } from 'lucide-react';
import { Link, useFetcher } from 'react-router';
import { ConfirmButton } from '../shared/confirm-button.tsx';
import { TimeAgo } from '../shared/relative-time.tsx';
import type { FleetActionResult } from './fleet-action-result.ts';

const states: Record<WorkerView['state'], Tone> = {
  starting: 'plain',
  ready: 'good',
  draining: 'warn',
  disconnected: 'bad',
};

/** Actions on a worker, by `intent` of the form. */
const workerActions = {
  cordon: { name: 'Cordon', icon: CircleSlash, title: 'It takes no new run, and stays' },
  uncordon: { name: 'Uncordon', icon: Undo2, title: 'It takes runs again' },
  drain: { name: 'Drain', icon: LogOut, title: 'It takes no new run, finishes those it has, and exits' },
} as const;

/** Workers of a fleet. @param canOperate true if the viewer may drain and cordon them */
export const WorkerTable = ({ fleet, canOperate }: { fleet: FleetView; canOperate: boolean }) => (
  <div className="border-t border-line">
    {fleet.workers.length === 0 ? (
      <p className="px-3 py-2 text-sm text-muted">{noWorkersText(fleet)}</p>
    ) : (
      <Table
        label={`Workers of ${fleet.name}`}
        head={['Worker', 'State', 'Slots', 'Runs', 'Version', 'Started', 'Last heard of', '']}
      >
        {fleet.workers.map((worker) => (
          <WorkerRow key={worker.id} fleet={fleet.name} worker={worker} canOperate={canOperate} />
        ))}
      </Table>
    )}
  </div>
);

function noWorkersText({ maxWorkers: max, paused, waiting }: FleetView): string {
  if (paused) return 'No worker: a paused fleet starts none.';
  if (max === 0) return 'No worker: at most none are allowed.';
  return waiting === 0
    ? 'No worker now: one is started with the next run.'
    : 'No worker yet: one is on its way, or joins from elsewhere.';
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
        <Badge tone={states[state]}>{state}</Badge> {cordoned && <Badge tone="warn">cordoned</Badge>}
      </Cell>
      <Cell className="whitespace-nowrap">
        {busy} of {slots}
      </Cell>
      <Cell>
        <span className="flex flex-wrap gap-x-2">
          {runs.map((run) => (
            <Link key={run.id} to={`/runs/${run.id}`} className="underline">
              {run.name}
            </Link>
          ))}
          {otherProjectRuns > 0 && <span className="text-muted">{otherProjectRuns} of other projects</span>}
        </span>
      </Cell>
      <Cell className="font-mono text-xs text-muted">{version}</Cell>
      <Cell className="text-muted">
        <TimeAgo at={startedAt} />
      </Cell>
      <Cell className="text-muted">
        <TimeAgo at={lastSeenAt} />
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
                  text: 'It takes no new run, finishes the runs it has, and exits. This cannot be undone.',
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
