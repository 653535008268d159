import { dataOf } from '@pilothouse/client';
import type { FleetDecision, FleetQueue, FleetView, WorkerView } from '@pilothouse/contract';
import { Badge, Button, Card, Cell, Empty, Notice, Table, type Tone } from '@pilothouse/ui-kit';
import { LogOut, Pause, Play } from 'lucide-react';
import { useFetcher, useRouteLoaderData, type ActionFunctionArgs, type LoaderFunctionArgs } from 'react-router';
import { tryApi, withApi } from '../lib/api.server.ts';
import { textOf } from '../lib/form.server.ts';
import { Load } from '../ui/fleet-line.tsx';
import { PageHead } from '../ui/page-head.tsx';
import { Ago } from '../ui/time.tsx';
import { useRefresh } from '../ui/use-refresh.ts';
import type { loader as layoutLoader } from './layout.tsx';

/** Milliseconds between two looks, and how many decisions of a fleet are listed. */
const everyMs = 2_000;
const listed = 50;

export const meta = () => [{ title: 'Fleets · Pilothouse' }];

export const loader = (asked: LoaderFunctionArgs) =>
  withApi(asked, async ({ api }) => {
    const [fleets, queue] = await Promise.all([dataOf(api.GET('/v1/fleets')), dataOf(api.GET('/v1/queue'))]);
    const decisions = await Promise.all(
      fleets.items.map(({ name: fleet }) =>
        dataOf(api.GET('/v1/fleets/{fleet}/decisions', { params: { path: { fleet }, query: { limit: listed } } })),
      ),
    );
    return { fleets: fleets.items, queue: queue.items, decisions: decisions.map(({ items }) => items) };
  });

/** Pauses a fleet, has it go on, or drains one of its workers. */
export async function action(asked: ActionFunctionArgs) {
  const form = await asked.request.formData();
  const params = { path: { fleet: textOf(form, 'fleet') } };
  const what = textOf(form, 'what');
  const worker = textOf(form, 'worker');
  const { failure } = await tryApi(asked, async ({ api }) => {
    if (what === 'drain') {
      const path = { ...params.path, worker };
      await api.POST('/v1/fleets/{fleet}/workers/{worker}/drain', { params: { path } });
    } else if (what === 'pause') await api.POST('/v1/fleets/{fleet}/pause', { params });
    else await api.POST('/v1/fleets/{fleet}/resume', { params });
  });
  return { failure };
}

export default function Fleets({
  loaderData: { fleets, queue, decisions },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  useRefresh(everyMs);
  return (
    <>
      <PageHead title="Fleets" />
      {fleets.length === 0 ? (
        <Card>
          <Empty title="No fleet serves this project">
            Fleets are configured where the house is installed: in the values of the chart, or with PILOTHOUSE_FLEETS.
          </Empty>
        </Card>
      ) : (
        <div className="grid gap-3">
          {fleets.map((fleet, index) => (
            <Fleet
              key={fleet.id}
              fleet={fleet}
              queue={queue.find(({ fleet: name }) => name === fleet.name)}
              decisions={decisions[index] ?? []}
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
  decisions: readonly FleetDecision[];
}

function Fleet({ fleet, queue, decisions }: FleetProps) {
  const fetcher = useFetcher<typeof action>();
  const role = useRouteLoaderData<typeof layoutLoader>('routes/layout')?.role;
  const facts: [name: string, value: React.ReactNode][] = [
    ['Waiting', fleet.waiting],
    ['At work', fleet.running],
    ['Wait for people', queue?.all.awaitingUser ?? 0],
    ['Oldest waits since', queue?.all.waitingSince ? <Ago key="at" at={queue.all.waitingSince} /> : '—'],
    ['Workers', `${fleet.workers.length}, ${fleet.min} to ${fleet.max}`],
    ['Kept warm', `${fleet.idle} slots`],
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
          <Load fleet={fleet} />
          {role === 'admin' && (
            <fetcher.Form method="post">
              <input type="hidden" name="fleet" value={fleet.name} />
              <Button
                type="submit"
                name="what"
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
              · {count} times since <Ago at={since} />, last <Ago at={lastSeenAt} />
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
      </div>
      {fleet.workers.length > 0 && (
        <div className="border-t border-line">
          <Table
            label={`Workers of ${fleet.name}`}
            head={['Worker', 'State', 'Slots', 'Version', 'Age', 'Last heard of', '']}
          >
            {fleet.workers.map((worker) => (
              <Worker key={worker.id} fleet={fleet.name} worker={worker} mayDrain={role === 'admin'} />
            ))}
          </Table>
        </div>
      )}
      {decisions.length > 0 && <Decisions fleet={fleet.name} decisions={decisions} />}
    </Card>
  );
}

const states: Record<WorkerView['state'], Tone> = { starting: 'plain', ready: 'good', draining: 'warn', gone: 'bad' };

function Worker({ fleet, worker, mayDrain }: { fleet: string; worker: WorkerView; mayDrain: boolean }) {
  const { id, name, state, busy, slots, version, startedAt, lastSeenAt } = worker;
  const fetcher = useFetcher<typeof action>();
  return (
    <tr>
      <Cell className="font-mono text-xs">{name}</Cell>
      <Cell>
        <Badge tone={states[state]}>{state}</Badge>
      </Cell>
      <Cell className="whitespace-nowrap">
        {busy} of {slots}
      </Cell>
      <Cell className="font-mono text-xs text-muted">{version}</Cell>
      <Cell className="text-muted">
        <Ago at={startedAt} />
      </Cell>
      <Cell className="text-muted">
        <Ago at={lastSeenAt} />
      </Cell>
      <Cell className="text-right">
        {fetcher.data?.failure && <span className="mr-2 text-xs text-bad">{fetcher.data.failure.message}</span>}
        {mayDrain && state !== 'draining' && (
          <fetcher.Form method="post" className="inline">
            <input type="hidden" name="fleet" value={fleet} />
            <input type="hidden" name="worker" value={id} />
            <Button
              type="submit"
              name="what"
              value="drain"
              look="quiet"
              disabled={fetcher.state !== 'idle'}
              aria-label={`Drain ${name}`}
              title="It takes no new run, finishes those it has, and exits"
            >
              <LogOut aria-hidden="true" /> Drain
            </Button>
          </fetcher.Form>
        )}
      </Cell>
    </tr>
  );
}

const words: Record<string, string> = {
  create: 'started',
  drain: 'drained',
  stop: 'stopped',
  'below-min': 'fewer than the least',
  waiting: 'runs wait',
  'idle-target': 'to be kept warm',
  cooldown: 'idle for long',
  'above-max': 'more than the most',
  'old-template': 'made of an old template',
  'start-timeout': 'did not start in time',
  'drain-timeout': 'did not exit in time',
  'out-of-touch': 'not heard of any more',
  'not-needed': 'needed no more',
};

/** Why workers came and went. */
const Decisions = ({ fleet, decisions }: { fleet: string; decisions: readonly FleetDecision[] }) => (
  <details className="border-t border-line">
    <summary className="cursor-pointer px-3 py-2 text-sm text-muted">Why workers came and went</summary>
    <Table label={`Decisions about ${fleet}`} head={['When', 'What', 'Why', 'Workers']}>
      {decisions.map(({ at, action, reason, workers, error }, index) => (
        <tr key={`${at} ${index}`}>
          <Cell className="text-muted">
            <Ago at={at} />
          </Cell>
          <Cell>{words[action] ?? action}</Cell>
          <Cell>{words[reason] ?? reason}</Cell>
          <Cell className="font-mono text-xs wrap-anywhere">
            {workers.join(', ')}
            {error && <span className="text-bad"> {error}</span>}
          </Cell>
        </tr>
      ))}
    </Table>
  </details>
);
