import { unwrapData } from '@pilothouse/client';
import type { Job } from '@pilothouse/contract/job/job.schema';
import { buttonClass, Card, Cell, Empty, Select, Table } from '@pilothouse/ui-kit';
import { X } from 'lucide-react';
import { Form, Link, useSubmit, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../../api/api-client.server.ts';
import { countOf, dollars, shortCountOf, shortId } from '../../shared/number-format.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { useAutoRefresh } from '../../shared/use-auto-refresh.ts';
import { ConnectionStatus } from '../../page/connection-lost.tsx';
import { PageHeader } from '../../page/page-header.tsx';
import { useRole } from '../../page/use-role.ts';
import { JobProgressBar } from '../job-progress-bar.tsx';
import { PageLinks } from '../page-links.tsx';
import { JobStatusBadge } from '../work-status-badge.tsx';
import { JobActions } from './job-actions.tsx';
import { jobFilterOf, jobSearchOf, type JobFilter } from './job-filter.ts';
import { isActiveJob, jobKindLabels, jobStatusLabels, jobSubjectOf } from './job-labels.ts';

const JOBS_PER_PAGE = 50;

/** Milliseconds between two refreshes while a job is active, and otherwise. */
const REFRESH_INTERVAL_MS = { active: 2_000, idle: 15_000 } as const;

export const meta = () => [{ title: 'Background jobs · Pilothouse' }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const { searchParams } = new URL(args.request.url);
    const filter = jobFilterOf(searchParams);
    const query = {
      limit: JOBS_PER_PAGE,
      cursor: searchParams.get('cursor') ?? undefined,
      ...(filter.kind && { kind: [filter.kind] }),
      ...(filter.status && { status: [filter.status] }),
    };
    const page = await unwrapData(api.GET('/v1/learning/jobs', { params: { query } }));
    return { ...page, items: page.items, filter, isFirst: query.cursor === undefined };
  });

export default function Jobs({
  loaderData: { items, nextCursor, filter, isFirst },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const connection = useAutoRefresh(REFRESH_INTERVAL_MS[items.some(isActiveJob) ? 'active' : 'idle']);
  const role = useRole();
  const canOperate = role !== undefined && role !== 'viewer';
  const isFiltered = filter.kind !== '' || filter.status !== '';
  return (
    <>
      <PageHeader title="Background jobs">
        <ConnectionStatus connection={connection} />
      </PageHeader>
      <JobFilterBar filter={filter} isFiltered={isFiltered} />
      <Card flush>
        {items.length === 0 ? (
          <NoJobs isFiltered={isFiltered} isFirst={isFirst} isAdmin={role === 'admin'} />
        ) : (
          <Table label="Background jobs" head={['Job', 'Status', 'Progress', 'Cost', 'Created', '']}>
            {items.map((job) => (
              <JobRow key={job.id} job={job} canOperate={canOperate} />
            ))}
          </Table>
        )}
      </Card>
      <PageLinks first={isFirst ? null : jobSearchOf(filter)} next={nextCursor && jobSearchOf(filter, nextCursor)} />
    </>
  );
}

function JobRow({ job, canOperate }: { job: Job; canOperate: boolean }) {
  const { id, kind, createdAt, usedTokens, usedUsd, error } = job;
  const subject = jobSubjectOf(job);
  return (
    <tr>
      <Cell className="min-w-48 py-1.5">
        <Link to={`/learning/jobs/${id}`} prefetch="intent" data-row className="font-medium hover:underline">
          {jobKindLabels[kind]}
          {subject !== undefined && <span className="wrap-anywhere"> {subject}</span>}
        </Link>
        <span className="ml-1.5 font-mono text-xs text-muted">{shortId(id)}</span>
        {error !== null && job.status !== 'completed' && (
          <p className="line-clamp-2 max-w-xl text-xs text-muted wrap-anywhere" title={error.message}>
            <span className="mr-1 rounded bg-bad/10 px-1 font-mono text-bad">{error.code}</span>
            {error.message}
          </p>
        )}
      </Cell>
      <Cell>
        <JobStatusBadge job={job} />
      </Cell>
      <Cell className="py-1">
        <JobProgressBar job={job} label={`Progress of ${jobKindLabels[kind]} ${shortId(id)}`} />
      </Cell>
      <Cell className="whitespace-nowrap text-muted">
        <span title={countOf(usedTokens, 'token')}>
          {usedTokens === 0 ? '—' : `${dollars(usedUsd)} · ${shortCountOf(usedTokens, 'token')}`}
        </span>
      </Cell>
      <Cell className="text-muted">
        <TimeAgo time={createdAt} />
      </Cell>
      <Cell className="py-1">{canOperate && <JobActions job={job} />}</Cell>
    </tr>
  );
}

/** Filter of the list. The URL contains it. */
function JobFilterBar({ filter, isFiltered }: { filter: JobFilter; isFiltered: boolean }) {
  const submit = useSubmit();
  return (
    <Form
      role="search"
      // Remounts the fields when the URL changes.
      key={JSON.stringify(filter)}
      className="mb-3 flex flex-wrap items-center gap-2"
      onChange={({ currentTarget }) => void submit(currentTarget)}
    >
      <Select name="kind" defaultValue={filter.kind} aria-label="Kind" className="w-auto!">
        <option value="">All kinds</option>
        <Options labels={jobKindLabels} />
      </Select>
      <Select name="status" defaultValue={filter.status} aria-label="Status" className="w-auto!">
        <option value="">All statuses</option>
        <Options labels={jobStatusLabels} />
      </Select>
      {isFiltered && (
        <Link to="/learning/jobs" className={buttonClass({ variant: 'quiet' })}>
          <X aria-hidden="true" /> Clear filters
        </Link>
      )}
    </Form>
  );
}

const Options = ({ labels }: { labels: Readonly<Record<string, string>> }) =>
  Object.entries(labels).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));

function NoJobs({ isFiltered, isFirst, isAdmin }: { isFiltered: boolean; isFirst: boolean; isAdmin: boolean }) {
  if (isFiltered || !isFirst) return <Empty title="No jobs match">Remove a filter to see more jobs.</Empty>;
  return (
    <Empty
      title="No background jobs yet"
      actions={
        isAdmin && (
          <>
            <Link to="/learning/datasets/new" className={buttonClass({ variant: 'primary' })}>
              Build a dataset
            </Link>
            <Link to="/settings" className={buttonClass()}>
              Record turns
            </Link>
          </>
        )
      }
    >
      Jobs score recorded runs, build and export datasets, and tune models. Record agent turns to create the first job.
    </Empty>
  );
}
