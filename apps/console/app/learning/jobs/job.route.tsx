import { unwrapData } from '@pilothouse/client';
import type { Job } from '@pilothouse/contract/job/job.schema';
import { Card } from '@pilothouse/ui-kit';
import type { ReactNode } from 'react';
import { Link, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../../api/api-client.server.ts';
import { elapsedMs, formatDuration } from '../../shared/duration.ts';
import { Json } from '../../shared/json-viewer.tsx';
import { count, dollars } from '../../shared/number-format.ts';
import { RemainingTime, TimeAgo } from '../../shared/relative-time.tsx';
import { ShortId } from '../../shared/copyable-values.tsx';
import { ConnectionStatus } from '../../page/connection-lost.tsx';
import { PageHeader } from '../../page/page-header.tsx';
import { useRole } from '../../page/use-role.ts';
import { FactList } from '../fact-list.tsx';
import { JobProgressBar } from '../job-progress-bar.tsx';
import { useJobUpdates } from '../use-job-updates.ts';
import { JobStatusBadge } from '../work-status-badge.tsx';
import { JobActions } from './job-actions.tsx';
import { jobAdviceOf } from './job-advice.server.ts';
import { JobErrorNotice } from './job-error-notice.tsx';
import { isActiveJob, jobKindLabels, jobLinksOf, jobSubjectOf } from './job-labels.ts';

export { action } from './job.actions.server.ts';

export const meta = ({ loaderData }: { loaderData?: Awaited<ReturnType<typeof loader>> }) => [
  { title: `${loaderData ? jobTitleOf(loaderData.job) : 'Background job'} · Pilothouse` },
];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const path = { job: args.params.job ?? '' };
    const job = await unwrapData(api.GET('/v1/learning/jobs/{job}', { params: { path } }));
    return { job, advice: jobAdviceOf(job) };
  });

function jobTitleOf(job: Job): string {
  const subject = jobSubjectOf(job);
  return subject === undefined ? jobKindLabels[job.kind] : `${jobKindLabels[job.kind]} ${subject}`;
}

export default function JobPage({ loaderData: { job, advice } }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const { id, kind, params, result } = job;
  const connection = useJobUpdates(job);
  const role = useRole();
  const links = jobLinksOf(job);
  return (
    <>
      <PageHeader
        breadcrumbs={[{ label: 'Jobs', href: '/learning/jobs' }, { label: jobKindLabels[kind] }]}
        title={jobTitleOf(job)}
        actions={role !== undefined && role !== 'viewer' && <JobActions job={job} hasBudgetField />}
      >
        <JobStatusBadge job={job} />
        <ShortId id={id} />
        <ConnectionStatus connection={connection} />
      </PageHeader>
      <div className="grid gap-3">
        <JobErrorNotice job={job} advice={advice} />
        <Card title="Progress">
          <div className="grid gap-3">
            <JobProgressBar job={job} label="Progress of the job" />
            <FactList facts={factsOf(job)} />
          </div>
        </Card>
        {links.length > 0 && (
          <Card title="Linked resources">
            <ul className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
              {links.map(({ label, href }) => (
                <li key={href}>
                  <Link to={href} className="underline wrap-anywhere">
                    {label}
                  </Link>
                </li>
              ))}
            </ul>
          </Card>
        )}
        <div className="grid items-start gap-3 lg:grid-cols-2">
          <Card title="Parameters">
            <Json value={params} label="Parameters" />
          </Card>
          <Card title="Result">
            {result === null ? (
              <p className="text-sm text-muted">
                {isActiveJob(job) ? 'The result appears when the job completes.' : 'The job has no result.'}
              </p>
            ) : (
              <Json value={result} label="Result" />
            )}
          </Card>
        </div>
      </div>
    </>
  );
}

function factsOf({ createdBy, createdAt, startedAt, finishedAt, runAt, ...job }: Job): [string, ReactNode][] {
  const nextAttempt: [string, ReactNode][] =
    job.status === 'queued' ? [['Next attempt', <RemainingTime key="next" time={runAt} />]] : [];
  const runMs = finishedAt === null ? undefined : elapsedMs(startedAt, finishedAt, 0);
  return [
    [
      'Created',
      <span key="created">
        <TimeAgo time={createdAt} /> by {createdBy?.name ?? 'Pilothouse'}
      </span>,
    ],
    ['Started', startedAt === null ? '—' : <TimeAgo key="started" time={startedAt} />],
    ...nextAttempt,
    ['Finished', finishedAt === null ? '—' : <TimeAgo key="finished" time={finishedAt} />],
    ['Duration', runMs === undefined ? '—' : formatDuration(runMs)],
    ['Attempts', count(job.attempts)],
    ['Cost', dollars(job.usedUsd)],
    ['Budget', job.budgetUsd === null ? 'Monthly budget of the project only' : dollars(job.budgetUsd)],
    ['Tokens', count(job.usedTokens)],
  ];
}
