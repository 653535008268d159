import { unwrapData } from '@pilothouse/client';
import type { RepeatedGoal } from '@pilothouse/contract/run/savings.schema';
import { Card, Empty } from '@pilothouse/ui-kit';
import { useState } from 'react';
import type { ActionFunctionArgs, LoaderFunctionArgs } from 'react-router';
import { tryApi, withApi } from '../../api/api-client.server.ts';
import { textOf, intentOf } from '../../api/form-fields.server.ts';
import CompileDialog from '../../run/compile-dialog.tsx';
import { useAutoRefresh } from '../../shared/use-auto-refresh.ts';
import { count } from '../../shared/number-format.ts';
import { ConnectionStatus } from '../../page/connection-lost.tsx';
import { PageHeader } from '../../page/page-header.tsx';
import { fillDays, firstDayOf, periodOf } from '../overview-period.ts';
import { PeriodLinks } from '../period-links.tsx';
import { RepeatedGoals } from './repeated-goals.tsx';
import { mechanismLabels, timeText, tokensByDay, usdText } from './saved-amounts.ts';
import { SavingsChart, SavingsTable } from './savings-chart.tsx';

const REFRESH_INTERVAL_MS = 10_000;

/** Workflow names that Pilothouse generates for runs without a workflow. */
const generatedNames: readonly string[] = ['goal', 'steps'];

export const meta = () => [{ title: 'Savings · Pilothouse' }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const now = Date.now();
    const period = periodOf(new URL(args.request.url).searchParams);
    const goals = (dismissed: 'true' | 'false') =>
      unwrapData(api.GET('/v1/savings/repeated-goals', { params: { query: { days: period, dismissed } } }));
    const [savings, open, dismissed] = await Promise.all([
      unwrapData(api.GET('/v1/savings', { params: { query: { from: `${firstDayOf(period, now)}T00:00:00Z` } } })),
      goals('false'),
      goals('true'),
    ]);
    const empty = { action_cache: 0, compile: 0, heal: 0 };
    return {
      period,
      savings,
      days: fillDays(tokensByDay(savings.days), period, now, empty),
      goals: open.items,
      dismissed: dismissed.items,
    };
  });

/** Dismisses or restores a repeated goal. */
export async function action(args: ActionFunctionArgs) {
  const form = await args.request.formData();
  const params = { path: { goal: textOf(form, 'goal') } };
  const intent = intentOf(form, ['dismiss', 'restore']);
  const { failure } = await tryApi<unknown>(args, ({ api }) =>
    intent === 'dismiss'
      ? api.POST('/v1/savings/repeated-goals/{goal}/dismiss', { params })
      : api.POST('/v1/savings/repeated-goals/{goal}/restore', { params }),
  );
  return { failure };
}

export default function SavingsPage({ loaderData }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const { period, savings, days, goals, dismissed } = loaderData;
  const connection = useAutoRefresh(REFRESH_INTERVAL_MS);
  const [goalToCompile, setGoalToCompile] = useState<RepeatedGoal | null>(null);
  const { total, mechanisms, workflows } = savings;
  return (
    <>
      <PageHeader title="Savings" actions={<PeriodLinks period={period} />}>
        <ConnectionStatus connection={connection} />
      </PageHeader>
      <div className="grid gap-3 lg:grid-cols-2">
        <Card title="Repeated goals" flush className="lg:col-span-2">
          {goals.length === 0 ? (
            <p className="p-3 text-sm text-muted">
              No goal without a compiled workflow completed three times in the last {period} days.
            </p>
          ) : (
            <RepeatedGoals label="Repeated goals" goals={goals} onCompile={setGoalToCompile} />
          )}
          {dismissed.length > 0 && (
            <details className="border-t border-line">
              <summary className="cursor-pointer p-3 text-sm text-muted">Dismissed ({dismissed.length})</summary>
              <RepeatedGoals label="Dismissed goals" goals={dismissed} onCompile={setGoalToCompile} />
            </details>
          )}
        </Card>
        {total.runs === 0 ? (
          <Card className="lg:col-span-2">
            <Empty title={`No savings in the last ${period} days`}>
              Runs save model calls when they replay cached actions, use a compiled workflow, or heal a step. The first
              run of a goal has nothing to replay.
            </Empty>
          </Card>
        ) : (
          <>
            <Card title={`Saved in the last ${period} days`} className="lg:col-span-2">
              <dl className="mb-3 flex flex-wrap gap-x-8 gap-y-2">
                {[
                  ['Tokens', count(total.tokens)],
                  ['Cost', usdText(total)],
                  ['Time', timeText(total)],
                  ['Runs', count(total.runs)],
                ].map(([name, value]) => (
                  <div key={name}>
                    <dt className="text-xs text-muted">{name}</dt>
                    <dd className="text-base font-semibold">{value}</dd>
                  </div>
                ))}
              </dl>
              <SavingsChart days={days} />
            </Card>
            <Card title="By mechanism" flush>
              <SavingsTable
                label="Savings by mechanism"
                head="Mechanism"
                rows={mechanisms.map((row) => ({
                  ...row,
                  name: mechanismLabels[row.mechanism].name,
                  detail: `${count(row.count)} ${mechanismLabels[row.mechanism].unit}`,
                }))}
              />
            </Card>
            <Card title="By workflow" flush>
              <SavingsTable
                label="Savings by workflow"
                head="Workflow"
                rows={workflows.map(({ workflow, ...amount }) => ({
                  ...amount,
                  name: workflow,
                  href: `/runs?${new URLSearchParams({ workflow })}`,
                }))}
              />
            </Card>
          </>
        )}
      </div>
      {goalToCompile && (
        <CompileDialog
          key={goalToCompile.id}
          run={goalToCompile.best.run}
          name={generatedNames.includes(goalToCompile.best.workflow) ? '' : goalToCompile.best.workflow}
          open
          onClose={() => setGoalToCompile(null)}
        />
      )}
    </>
  );
}
