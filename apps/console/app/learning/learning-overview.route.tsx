import { unwrapData } from '@pilothouse/client';
import type { TraceStats } from '@pilothouse/contract/api/traces.routes';
import { Card, Cell, Table } from '@pilothouse/ui-kit';
import type { LoaderFunctionArgs } from 'react-router';
import { withApi } from '../api/api-client.server.ts';
import { count } from '../shared/number-format.ts';
import { useAutoRefresh } from '../shared/use-auto-refresh.ts';
import { ConnectionStatus } from '../page/connection-lost.tsx';
import { PageHeader } from '../page/page-header.tsx';
import { LatestTraces, ModelsInUse, RecentExports, RecentJobs } from './overview/overview-cards.tsx';
import { readLearningActivity } from './overview/overview-data.server.ts';
import { fillDays, firstDayOf, periodOf } from './overview-period.ts';
import { PeriodLinks } from './period-links.tsx';
import { QualityChart, QualityTable } from './quality-chart.tsx';
import { EmptyTraces } from './traces/trace-list.tsx';
import { goodShare, formatKappa } from './traces/trace-quality.ts';

const REFRESH_INTERVAL_MS = 10_000;

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async (client) => {
    const { api } = client;
    const now = Date.now();
    const period = periodOf(new URL(args.request.url).searchParams);
    const query = { from: `${firstDayOf(period, now)}T00:00:00Z` };
    const [stats, latest, activity] = await Promise.all([
      unwrapData(api.GET('/v1/traces/stats', { params: { query } })),
      unwrapData(api.GET('/v1/traces', { params: { query: { limit: 1 } } })),
      readLearningActivity(client, query.from),
    ]);
    const empty = { traces: 0, good: 0, bad: 0, unknown: 0, needsReview: 0 };
    return {
      period,
      activity,
      stats: stats as TraceStats,
      days: fillDays((stats as TraceStats).days, period, now, empty),
      hasTraces: latest.items.length > 0,
    };
  });

export default function LearningOverview({ loaderData }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const { period, stats, days, activity, hasTraces } = loaderData;
  const connection = useAutoRefresh(REFRESH_INTERVAL_MS);
  const { total, workflows, models, agreement } = stats;
  const facts: [name: string, value: string][] = [
    ['Scored traces', count(total.traces)],
    ['To review', count(total.needsReview)],
    ['Good steps', count(total.good)],
    ['Bad steps', count(total.bad)],
    ['Unknown steps', count(total.unknown)],
    ['Good steps (%)', goodShare(total)],
  ];
  const work = (
    <>
      <RecentJobs jobs={activity.jobs} />
      <ModelsInUse models={activity.models} />
      <RecentExports exports={activity.exports} />
    </>
  );
  return (
    <>
      <PageHeader title="Learning" actions={hasTraces && <PeriodLinks period={period} />}>
        <ConnectionStatus connection={connection} />
      </PageHeader>
      {!hasTraces ? (
        <div className="grid gap-3 lg:grid-cols-2">
          <Card className="lg:col-span-2">
            <EmptyTraces />
          </Card>
          {activity.jobs.length + activity.models.length > 0 && work}
        </div>
      ) : (
        <div className="grid gap-3 lg:grid-cols-2">
          <Card title={`Quality of the last ${period} days`} className="lg:col-span-2">
            <dl className="mb-3 flex flex-wrap gap-x-8 gap-y-2">
              {facts.map(([name, value]) => (
                <div key={name}>
                  <dt className="text-xs text-muted">{name}</dt>
                  <dd className="text-base font-semibold">{value}</dd>
                </div>
              ))}
            </dl>
            <QualityChart days={days} />
          </Card>
          <LatestTraces quality="bad" traces={activity.badTraces} />
          <LatestTraces quality="good" traces={activity.goodTraces} />
          {work}
          <Card title="Reviewer agreement" flush>
            <AgreementTable agreement={agreement} />
          </Card>
          <Card title="By workflow" flush>
            <QualityTable
              label="Quality by workflow"
              name="Workflow"
              rows={workflows.map(({ workflow, ...counts }) => ({
                ...counts,
                name: workflow,
                href: `/learning/traces?${new URLSearchParams({ review: 'all', workflow })}`,
              }))}
            />
          </Card>
          <Card title="By model" flush>
            <QualityTable
              label="Quality by model"
              name="Model"
              rows={models.map(({ model, ...counts }) => ({
                ...counts,
                name: model ?? 'No model',
                href: `/learning/traces?${new URLSearchParams({ review: 'all', ...(model !== null && { model }) })}`,
              }))}
            />
          </Card>
        </div>
      )}
    </>
  );
}

/** Agreement of each pair of reviewers. */
const AgreementTable = ({ agreement }: Pick<TraceStats, 'agreement'>) =>
  agreement.length === 0 ? (
    <p className="p-3 text-sm text-muted">Two people must label the same steps before agreement is measured.</p>
  ) : (
    <Table label="Reviewer agreement" head={['Reviewers', 'Steps', 'Same label', <Kappa key="kappa" />]}>
      {agreement.map(({ reviewers, count: steps, observed, kappa }) => (
        <tr key={reviewers.join(' ')}>
          <Cell className="max-w-56 min-w-32 wrap-anywhere">{reviewers.join(', ')}</Cell>
          <Cell>{count(steps)}</Cell>
          <Cell>{observed === null ? '—' : `${Math.floor(observed * 100)}%`}</Cell>
          <Cell>{formatKappa(kappa)}</Cell>
        </tr>
      ))}
    </Table>
  );

const Kappa = () => <span title="1: full agreement; 0: agreement by chance">Cohen’s κ</span>;
