import { unwrapData } from '@pilothouse/client';
import { Card, classes, Empty } from '@pilothouse/ui-kit';
import { Link, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../api/api-client.server.ts';
import { useAutoRefresh } from '../shared/use-auto-refresh.ts';
import { ConnectionStatus } from '../page/connection-lost.tsx';
import { PageHeader } from '../page/page-header.tsx';
import { FleetCard } from './fleet-card.tsx';

const REFRESH_INTERVAL_MS = 2_000;

/** Maximum listed decisions of a fleet. */
const LISTED_DECISIONS = 50;

/** Selectable periods of the charts. */
const periods = [
  { hours: 1, name: '1 h' },
  { hours: 6, name: '6 h' },
  { hours: 24, name: '24 h' },
  { hours: 168, name: '7 d' },
];

export { action } from './fleets.actions.server.ts';

export const meta = () => [{ title: 'Fleets · Pilothouse' }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const [fleets, queue] = await Promise.all([unwrapData(api.GET('/v1/fleets')), unwrapData(api.GET('/v1/queues'))]);
    const requestedHours = Number(new URL(args.request.url).searchParams.get('hours'));
    const hours = periods.find((period) => period.hours === requestedHours)?.hours ?? 1;
    const histories = await Promise.all(
      fleets.items.map(async ({ name: fleet }) => {
        const path = { fleet };
        const [history, decisions] = await Promise.all([
          unwrapData(api.GET('/v1/fleets/{fleet}/history', { params: { path, query: { hours } } })),
          unwrapData(api.GET('/v1/fleets/{fleet}/decisions', { params: { path, query: { limit: LISTED_DECISIONS } } })),
        ]);
        return { history, decisions: decisions.items };
      }),
    );
    return { fleets: fleets.items, queue: queue.items, histories, hours };
  });

export default function Fleets({
  loaderData: { fleets, queue, histories, hours },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const connection = useAutoRefresh(REFRESH_INTERVAL_MS);
  return (
    <>
      <PageHeader title="Fleets">
        {fleets.length > 0 && (
          <nav aria-label="Time range" className="flex gap-1">
            {periods.map((period) => (
              <Link
                key={period.hours}
                to={`?hours=${period.hours}`}
                replace
                preventScrollReset
                aria-current={period.hours === hours ? 'true' : undefined}
                className={classes(
                  'flex h-8 items-center rounded-md px-2.5 text-xs font-medium whitespace-nowrap max-md:h-9',
                  period.hours === hours ? 'bg-raised text-text' : 'text-muted hover:bg-raised hover:text-text',
                )}
              >
                {period.name}
              </Link>
            ))}
          </nav>
        )}
        <ConnectionStatus connection={connection} />
      </PageHeader>
      {fleets.length === 0 ? (
        <Card>
          <Empty title="No fleets">
            No fleet serves this project. Define fleets in the Helm values (<code>fleets</code>) or with{' '}
            <code>PILOTHOUSE_FLEETS</code>.
          </Empty>
        </Card>
      ) : (
        <div className="grid gap-3">
          {fleets.map((fleet, index) => (
            <FleetCard
              key={fleet.id}
              fleet={fleet}
              queue={queue.find(({ fleet: name }) => name === fleet.name)}
              history={histories[index]}
            />
          ))}
        </div>
      )}
    </>
  );
}
