import { unwrapData } from '@pilothouse/client';
import type { Job } from '@pilothouse/contract/job/job.schema';
import { buttonClass, Card, Cell, Empty, Table } from '@pilothouse/ui-kit';
import { Link, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../../api/api-client.server.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { useAutoRefresh } from '../../shared/use-auto-refresh.ts';
import { ConnectionStatus } from '../../page/connection-lost.tsx';
import { PageHeader } from '../../page/page-header.tsx';
import { useRole } from '../../page/use-role.ts';
import { JobProgressBar } from '../job-progress-bar.tsx';
import { PageLinks } from '../page-links.tsx';
import { JobStatusBadge } from '../work-status-badge.tsx';
import { requestOf, tuningCostOf } from './tuning-job.ts';
import { tunerLabels } from './tuning-form.ts';

const REFRESH_INTERVAL_MS = 5_000;
const PAGE_SIZE = 50;

export const meta = () => [{ title: 'Tuning job · Pilothouse' }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const cursor = new URL(args.request.url).searchParams.get('cursor');
    const query = { kind: ['tune' as const], limit: PAGE_SIZE, ...(cursor !== null && { cursor }) };
    const page = await unwrapData(api.GET('/v1/learning/jobs', { params: { query } }));
    return { jobs: page.items, nextCursor: page.nextCursor, isFirst: cursor === null };
  });

export default function TuningJobs({ loaderData }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const { jobs, nextCursor, isFirst } = loaderData;
  const connection = useAutoRefresh(REFRESH_INTERVAL_MS);
  const isAdmin = useRole() === 'admin';
  const newTuningJob = isAdmin && (
    <Link to="/learning/tuning/new" className={buttonClass({ variant: 'primary' })}>
      New tuning job
    </Link>
  );
  return (
    <>
      <PageHeader title="Tuning" actions={jobs.length > 0 && newTuningJob}>
        <ConnectionStatus connection={connection} />
      </PageHeader>
      <Card flush>
        {jobs.length === 0 ? (
          <Empty title="No tuning jobs" actions={newTuningJob}>
            A tuning job uploads the export of a dataset to a tuner and registers the tuned model. Create an export in{' '}
            <Link to="/learning/datasets" className="underline">
              Datasets
            </Link>{' '}
            first.
          </Empty>
        ) : (
          <Table
            label="Tuning jobs"
            isFirstFixed
            head={['Model', 'Status', 'State at the tuner', 'Tuner', 'Base model', 'Progress', 'Cost', 'Created']}
          >
            {jobs.map((job) => (
              <TuningJobRow key={job.id} job={job} />
            ))}
          </Table>
        )}
      </Card>
      <PageLinks first={isFirst ? null : ''} next={nextCursor ? `cursor=${encodeURIComponent(nextCursor)}` : null} />
    </>
  );
}

function TuningJobRow({ job }: { job: Job }) {
  const { name, tuner, baseModel } = requestOf(job);
  return (
    <tr>
      <Cell className="min-w-36 py-1.5 font-medium wrap-anywhere">
        <Link to={`/learning/tuning/${job.id}`} className="underline">
          {name}
        </Link>
      </Cell>
      <Cell>
        <JobStatusBadge job={job} />
      </Cell>
      <Cell className="font-mono text-xs text-muted">{job.progress?.detail ?? '—'}</Cell>
      <Cell className="whitespace-nowrap">{tunerLabels[tuner]}</Cell>
      <Cell className="min-w-56 py-1.5 wrap-anywhere text-muted">{baseModel}</Cell>
      <Cell>
        <JobProgressBar job={job} label={`Progress of ${name}`} />
      </Cell>
      <Cell className="whitespace-nowrap">{tuningCostOf(job)}</Cell>
      <Cell className="text-muted">
        <TimeAgo time={job.createdAt} />
      </Cell>
    </tr>
  );
}
