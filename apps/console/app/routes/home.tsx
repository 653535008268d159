import { dataOf } from '@pilothouse/client';
import { Card, classes } from '@pilothouse/ui-kit';
import { useEffect } from 'react';
import { Link, useRevalidator, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../lib/api.server.ts';
import { count } from '../lib/format.ts';
import { runStatuses } from '../lib/run-filter.ts';
import { PageHead } from '../ui/page-head.tsx';
import { runLooks } from '../ui/status.tsx';

/** Milliseconds between two looks while the page is seen. */
const everyMs = 5_000;

export const loader = (asked: LoaderFunctionArgs) =>
  withApi(asked, async ({ api }) => {
    const { runs } = await dataOf(api.GET('/v1/project'));
    return { runs };
  });

export default function Home({ loaderData: { runs } }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const { revalidate } = useRevalidator();
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && void revalidate(), everyMs);
    return () => clearInterval(timer);
  }, [revalidate]);
  return (
    <>
      <PageHead title="Home" />
      <Card title="Runs">
        <ul className="grid grid-cols-2 gap-2 md:grid-cols-6">
          {runStatuses.map((status) => {
            const { words, Icon } = runLooks[status];
            return (
              <li key={status}>
                <Link
                  to={`/runs?status=${status}`}
                  className={classes(
                    'grid gap-1 rounded-md border border-line p-3 hover:bg-raised',
                    status === 'running' && (runs[status] ?? 0) > 0 && 'run-haze',
                  )}
                >
                  <span className="flex items-center gap-1.5 text-xs text-muted">
                    <Icon aria-hidden="true" className="size-3.5" /> {words}
                  </span>
                  <span className="text-xl font-semibold">{count(runs[status] ?? 0)}</span>
                </Link>
              </li>
            );
          })}
        </ul>
      </Card>
    </>
  );
}
