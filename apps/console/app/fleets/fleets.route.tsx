import { unwrapData } from '@pilothouse/client';
import type { FleetDecision, FleetHistory, FleetQueue, FleetView } from '@pilothouse/contract';
import { Badge, Button, Card, classes, Empty, Notice } from '@pilothouse/ui-kit';
import { Pause, Play } from 'lucide-react';
import { Link, useFetcher, type ActionFunctionArgs, type LoaderFunctionArgs } from 'react-router';
import { tryApi, withApi } from '../api/api-client.server.ts';
import { textOf } from '../api/form-fields.server.ts';
import { assertNever, intentOf } from '../api/intent.server.ts';
import { SlotUsage } from '../home/fleet-summary.tsx';
import type { FleetActionResult } from './fleet-action-result.ts';
import { ScalingHistory } from './scaling-history.tsx';
import { FleetChart } from './fleet-chart.tsx';
import { limitNotices, FleetLimitsDialog } from './fleet-limits-dialog.tsx';
import { WorkerTable } from './worker-table.tsx';
import { ConnectionStatus } from '../shell/connection-lost.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { TimeAgo } from '../shared/relative-time.tsx';
import { useAutoRefresh } from '../shared/use-auto-refresh.ts';
import { useRole } from '../shell/use-role.ts';

/** Milliseconds between two looks, and how many decisions of a fleet are listed. */
const everyMs = 2_000;
const listed = 50;

/** Hours that may be looked back on. */
const backs = [
  { hours: 1, name: '1 h' },
  { hours: 6, name: '6 h' },
  { hours: 24, name: '24 h' },
  { hours: 168, name: '7 d' },
];

export const meta = () => [{ title: 'Fleets · Pilothouse' }];

export const loader = (from: LoaderFunctionArgs) =>
  withApi(from, async ({ api }) => {
    const [fleets, queue] = await Promise.all([unwrapData(api.GET('/v1/fleets')), unwrapData(api.GET('/v1/queues'))]);
    const asked = Number(new URL(from.request.url).searchParams.get('hours'));
    const hours = backs.find((back) => back.hours === asked)?.hours ?? 1;
    const past = await Promise.all(
      fleets.items.map(async ({ name: fleet }) => {
        const path = { fleet };
        const [history, decisions] = await Promise.all([
          unwrapData(api.GET('/v1/fleets/{fleet}/history', { params: { path, query: { hours } } })),
          unwrapData(api.GET('/v1/fleets/{fleet}/decisions', { params: { path, query: { limit: listed } } })),
        ]);
        return { history, decisions: decisions.items };
      }),
    );
    return { fleets: fleets.items, queue: queue.items, past, hours };
  });

/** Pauses a fleet, has it go on, changes its limits, or drains or cordons one of its workers. */
export async function action(asked: ActionFunctionArgs): Promise<FleetActionResult> {
  const form = await asked.request.formData();
  const params = { path: { fleet: textOf(form, 'fleet') } };
  const intent = intentOf(form, ['drain', 'cordon', 'uncordon', 'update-limits', 'pause', 'resume']);
  const worker = textOf(form, 'worker');
  const { failure } = await tryApi<unknown>(asked, ({ api }) => {
    const one = { params: { path: { ...params.path, worker } } };
    switch (intent) {
      case 'drain':
        return api.POST('/v1/fleets/{fleet}/workers/{worker}/drain', one);
      case 'cordon':
        return api.POST('/v1/fleets/{fleet}/workers/{worker}/cordon', one);
      case 'uncordon':
        return api.POST('/v1/fleets/{fleet}/workers/{worker}/uncordon', one);
      case 'update-limits': {
        const [minWorkers, maxWorkers, idleSlots] = ['minWorkers', 'maxWorkers', 'idleSlots'].map((field) =>
          Number(textOf(form, field)),
        );
        return api.PATCH('/v1/fleets/{fleet}', { params, body: { minWorkers, maxWorkers, idleSlots } });
      }
      case 'pause':
        return api.POST('/v1/fleets/{fleet}/pause', { params });
      case 'resume':
        return api.POST('/v1/fleets/{fleet}/resume', { params });
      default:
        return assertNever(intent);
    }
  });
  return { failure, saved: !failure };
}

export default function Fleets({
  loaderData: { fleets, queue, past, hours },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const connection = useAutoRefresh(everyMs);
  return (
    <>
      <PageHeader title="Fleets">
        {fleets.length > 0 && (
          <nav aria-label="How far back" className="flex gap-1">
            {backs.map((back) => (
              <Link
                key={back.hours}
                to={`?hours=${back.hours}`}
                replace
                preventScrollReset
                aria-current={back.hours === hours ? 'true' : undefined}
                className={classes(
                  'flex h-8 items-center rounded-md px-2.5 text-xs font-medium whitespace-nowrap max-md:h-9',
                  back.hours === hours ? 'bg-raised text-text' : 'text-muted hover:bg-raised hover:text-text',
                )}
              >
                {back.name}
              </Link>
            ))}
          </nav>
        )}
        <ConnectionStatus connection={connection} />
      </PageHeader>
      {fleets.length === 0 ? (
        <Card>
          <Empty title="No fleet serves this project">
            Fleets are configured where the house is installed: in the values of the chart, or with PILOTHOUSE_FLEETS.
          </Empty>
        </Card>
      ) : (
        <div className="grid gap-3">
          {fleets.map((fleet, index) => (
            <FleetCard
              key={fleet.id}
              fleet={fleet}
              queue={queue.find(({ fleet: name }) => name === fleet.name)}
              past={past[index]}
            />
          ))}
        </div>
      )}
    </>
  );
}

interface FleetProps {
  fleet: FleetView;
  queue: FleetQueue | undefined;
  past: { history: FleetHistory; decisions: readonly FleetDecision[] } | undefined;
}

function FleetCard({ fleet, queue, past }: FleetProps) {
  const fetcher = useFetcher<typeof action>();
  const role = useRole();
  const facts: [name: string, value: React.ReactNode][] = [
    ['Waiting', fleet.waiting],
    ['At work', fleet.running],
    ['Wait for people', queue?.total.awaitingUser ?? 0],
    ['Oldest waits since', queue?.total.oldestQueuedAt ? <TimeAgo key="at" at={queue.total.oldestQueuedAt} /> : '—'],
    ['Workers', `${fleet.workers.length}, ${fleet.minWorkers} to ${fleet.maxWorkers}`],
    ['Kept warm', `${fleet.idleSlots} slots`],
    ['Slots a worker', fleet.slots],
  ];
  return (
    <Card
      flush
      title={
        <span className="flex items-center gap-2">
          {fleet.name} <span className="text-xs font-normal text-muted">{fleet.surface}</span>
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
        {fleet.paused && <Notice tone="warn">Runs at work go on; no queued run is given to a worker.</Notice>}
        {fleet.conditions.map(({ reason, message, count, since, lastSeenAt }) => (
          <Notice key={reason} tone="bad">
            <strong>{reason}</strong> {message}
            <span className="text-xs">
              {' '}
              · {count} times since <TimeAgo at={since} />, last <TimeAgo at={lastSeenAt} />
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
      {past && <FleetChart fleet={fleet.name} history={past.history} />}
      <WorkerTable fleet={fleet} canOperate={role === 'admin'} />
      {past && <ScalingHistory fleet={fleet.name} decisions={past.decisions} />}
    </Card>
  );
}
