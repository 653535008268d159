import { unwrapData } from '@pilothouse/client';
import { buttonClass, Card, classes, Notice } from '@pilothouse/ui-kit';
import { Lightbulb } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../api/api-client.server.ts';
import { count, countOf, dollars, short } from '../shared/number-format.ts';
import { monthlyUsage, nearLimit } from './monthly-usage.ts';
import { runStatuses } from '../runs/run-filter.ts';
import { readRows } from '../runs/run-page.server.ts';
import { formatDuration } from '../shared/duration.ts';
import { FleetSummary } from './fleet-summary.tsx';
import { SavingsCard } from './savings-card.tsx';
import { RunsPerHourChart } from './runs-per-hour-chart.tsx';
import { ConnectionStatus } from '../page/connection-lost.tsx';
import { PageHeader } from '../page/page-header.tsx';
import { RunList, EmptyRuns } from '../runs/run-list.tsx';
import { runStatusLabels } from '../shared/status-badge.tsx';
import { useAutoRefresh } from '../shared/use-auto-refresh.ts';

const REFRESH_INTERVAL_MS = 5_000;
const LISTED_RUNS = 6;

export const meta = () => [{ title: 'Home · Pilothouse' }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async (client) => {
    const { api } = client;
    const list = async (search: string) => (await readRows(client, new URLSearchParams(search), LISTED_RUNS)).rows;
    const [{ runs, budgets, usage: monthUsage }, statistics, fleets, proposals, savings, goals, open, waiting, failed] =
      await Promise.all([
        unwrapData(api.GET('/v1/projects/current')),
        unwrapData(api.GET('/v1/statistics')),
        unwrapData(api.GET('/v1/fleets')),
        unwrapData(api.GET('/v1/proposals', { params: { query: { status: ['open'], limit: 1 } } })),
        unwrapData(api.GET('/v1/savings')),
        unwrapData(api.GET('/v1/savings/repeated-goals')),
        list('status=running,queued'),
        list('status=awaiting_user'),
        list('status=failed&span=24h'),
      ]);
    const limits = nearLimit(monthlyUsage(budgets, monthUsage));
    return {
      runs,
      limits,
      month: monthUsage.month,
      statistics,
      fleets: fleets.items,
      hasProposals: proposals.items.length > 0,
      saved: savings.total,
      goalCount: goals.items.length,
      open,
      waiting,
      failed,
    };
  });

const share = (part: number | null) =>
  part === null ? '—' : `${(part * 100).toFixed(part > 0.99 && part < 1 ? 1 : 0)}%`;

export default function Home({ loaderData }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const { runs, limits, month, statistics, fleets, hasProposals, saved, goalCount, open, waiting, failed } = loaderData;
  const connection = useAutoRefresh(REFRESH_INTERVAL_MS);
  const { success, modelFree, usage, seconds, failures } = statistics;
  const metrics: [name: string, value: ReactNode, title?: string][] = [
    ['Success rate', share(success), 'Completed ÷ (completed + failed)'],
    ['Steps without model calls', share(modelFree)],
    [
      'Median duration',
      seconds ? formatDuration(seconds.median * 1000) : '—',
      seconds ? `p95 ${formatDuration(seconds.p95 * 1000)}` : undefined,
    ],
    ['Tokens', short(usage.tokens), countOf(usage.calls, 'model call')],
    ['Model cost', dollars(usage.usd)],
  ];
  const isEmpty = Object.values(runs).every((total) => total === 0);
  return (
    <>
      <PageHeader
        title="Home"
        actions={
          hasProposals && (
            <Link to="/proposals" prefetch="intent" className={buttonClass()}>
              <Lightbulb aria-hidden="true" /> Review proposals
            </Link>
          )
        }
      >
        <ConnectionStatus connection={connection} />
      </PageHeader>
      {limits.length > 0 && (
        <div className="mb-3">
          <Notice tone="warn">
            Model budget for {month} almost used: {limits.map(({ label }) => label).join(', ')}.{' '}
            <Link to="/settings" className="underline">
              Budgets
            </Link>
          </Notice>
        </div>
      )}
      <ul className="mb-3 grid grid-cols-2 gap-2 md:grid-cols-6">
        {runStatuses.map((status) => {
          const { label, Icon } = runStatusLabels[status];
          return (
            <li key={status}>
              <Link
                to={`/runs?status=${status}`}
                prefetch="intent"
                className={classes(
                  'grid gap-1 rounded-lg border border-line bg-surface p-3 hover:bg-raised',
                  status === 'running' && (runs[status] ?? 0) > 0 && 'run-haze',
                )}
              >
                <span className="flex items-center gap-1.5 text-xs text-muted">
                  <Icon aria-hidden="true" className="size-3.5" /> {label}
                </span>
                <span className="text-xl font-semibold">{count(runs[status] ?? 0)}</span>
              </Link>
            </li>
          );
        })}
      </ul>
      {isEmpty ? (
        <Card>
          <EmptyRuns />
        </Card>
      ) : (
        <div className="grid items-start gap-3 lg:grid-cols-3">
          <Card title="Last 24 hours" className="lg:col-span-2">
            <dl className="mb-3 flex flex-wrap gap-x-8 gap-y-2">
              {metrics.map(([name, value, title]) => (
                <div key={name} title={title}>
                  <dt className="text-xs text-muted">{name}</dt>
                  <dd className="text-base font-semibold">{value}</dd>
                </div>
              ))}
            </dl>
            <RunsPerHourChart hours={statistics.hours} />
          </Card>
          <Card title="Top errors">
            {failures.length === 0 ? (
              <p className="text-sm text-muted">No failed runs in the last 24 hours.</p>
            ) : (
              <ul className="grid gap-1.5 text-sm">
                {failures.map(({ code, runs: failedRuns }) => (
                  <li key={code} className="flex justify-between gap-2">
                    <Link
                      to={`/runs?status=failed&error=${code}&span=24h`}
                      className="truncate font-mono text-xs hover:underline"
                    >
                      {code}
                    </Link>
                    <span>{count(failedRuns)}</span>
                  </li>
                ))}
              </ul>
            )}
          </Card>
          <Card title="Needs your input" flush>
            <RunList rows={waiting} empty="Nothing needs your input." />
          </Card>
          <Card title="Running and queued" flush>
            <RunList rows={open} empty="No running or queued runs." />
          </Card>
          <Card title="Recent failures" flush>
            <RunList rows={failed} empty="No failed runs in the last 24 hours." />
          </Card>
          <SavingsCard total={saved} goalCount={goalCount} className="lg:col-span-3" />
          <Card title="Fleets" flush className="lg:col-span-3">
            <ul className="divide-y divide-line">
              {fleets.map((fleet) => (
                <FleetSummary key={fleet.id} fleet={fleet} />
              ))}
            </ul>
          </Card>
        </div>
      )}
    </>
  );
}
