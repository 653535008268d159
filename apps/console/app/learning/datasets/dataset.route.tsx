import { unwrapData, type Client } from '@pilothouse/client';
import type { DatasetDetail, DatasetView } from '@pilothouse/contract/learning/dataset.schema';
import type { Job } from '@pilothouse/contract/job/job.schema';
import { Badge, Button, Card, Notice } from '@pilothouse/ui-kit';
import { Link, useActionData, useNavigation, useSubmit, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../../api/api-client.server.ts';
import { ConfirmButton } from '../../shared/confirm-button.tsx';
import { ShortId } from '../../shared/copyable-values.tsx';
import { useAutoRefresh } from '../../shared/use-auto-refresh.ts';
import { ConnectionStatus } from '../../page/connection-lost.tsx';
import { PageHeader } from '../../page/page-header.tsx';
import { useRole } from '../../page/use-role.ts';
import { isActiveJob } from '../jobs/job-labels.ts';
import { JobProgressBar } from '../job-progress-bar.tsx';
import { WorkStatusBadge } from '../work-status-badge.tsx';
import { DatasetContent, DatasetTerms } from './dataset-facts.tsx';
import { ExportList } from './export-list.tsx';
import { NewExportCard } from './new-export-card.tsx';
import type { action } from './dataset.actions.server.ts';

export { action } from './dataset.actions.server.ts';

/** Refresh intervals in milliseconds: `active` during a build, export or deletion. */
const REFRESH_INTERVAL_MS = { active: 2_000, idle: 15_000 } as const;

/** Number of versions that the page links. */
const LISTED_VERSIONS = 20;

export const meta = ({ loaderData }: { loaderData?: Awaited<ReturnType<typeof loader>> }) => [
  { title: `${loaderData ? `${loaderData.dataset.name} v${loaderData.dataset.version}` : 'Dataset'} · Pilothouse` },
];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const params = { path: { dataset: args.params.dataset ?? '' } };
    const [dataset, exports] = await Promise.all([
      unwrapData(api.GET('/v1/datasets/{dataset}', { params })),
      unwrapData(api.GET('/v1/datasets/{dataset}/exports', { params })),
    ]);
    const { items } = exports;
    const { name } = dataset;
    // A failed one may be retried.
    const writers = [dataset, ...items].filter(({ status }) => status !== 'ready');
    const [versions, jobs] = await Promise.all([
      unwrapData(api.GET('/v1/datasets', { params: { query: { name, limit: LISTED_VERSIONS } } })),
      readJobs(
        api,
        writers.flatMap(({ job }) => job ?? []),
      ),
    ]);
    return { dataset, exports: items, versions: versions.items, jobs };
  });

/** Jobs by id. A job that was deleted is left out. */
async function readJobs(api: Client['api'], ids: readonly string[]): Promise<Readonly<Record<string, Job>>> {
  const jobs = await Promise.all(
    ids.map((job) => unwrapData(api.GET('/v1/learning/jobs/{job}', { params: { path: { job } } })).catch(() => null)),
  );
  return Object.fromEntries(jobs.flatMap((job) => (job ? [[job.id, job]] : [])));
}

export default function Dataset({
  loaderData: { dataset, exports, versions, jobs },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const { id, name, version, status, isStale } = dataset;
  const isActive = status === 'deleting' || Object.values(jobs).some(isActiveJob);
  const connection = useAutoRefresh(REFRESH_INTERVAL_MS[isActive ? 'active' : 'idle']);
  const answer = useActionData<typeof action>();
  const isAdmin = useRole() === 'admin';
  const pageFailure = answer?.intent === 'create-export' ? undefined : answer?.failure;
  return (
    <>
      <PageHeader
        breadcrumbs={[
          { label: 'Datasets', href: '/learning/datasets' },
          { label: name, href: `/learning/datasets?name=${name}` },
          { label: `v${version}` },
        ]}
        title={`${name} v${version}`}
        actions={isAdmin && <DatasetActions dataset={dataset} exportCount={exports.length} />}
      >
        <WorkStatusBadge status={status} />
        {isStale && <Badge tone="warn">Stale</Badge>}
        <ShortId id={id} />
        <ConnectionStatus connection={connection} />
      </PageHeader>
      <div className="grid gap-3">
        {pageFailure && <Notice tone="bad">{pageFailure.message}</Notice>}
        {isStale && (
          <Notice tone="warn">
            Data of this version was deleted. Build the next version without it, then delete this version with its
            exports.
          </Notice>
        )}
        <BuildState dataset={dataset} job={dataset.job === null ? undefined : jobs[dataset.job]} />
        <Versions versions={versions} current={id} />
        {dataset.card && <DatasetContent card={dataset.card} />}
        {status === 'ready' && <ExportList exports={exports} jobs={jobs} />}
        {status === 'ready' && isAdmin && (
          <NewExportCard answer={answer?.intent === 'create-export' ? answer : undefined} />
        )}
        <DatasetTerms dataset={dataset} />
      </div>
    </>
  );
}

function DatasetActions({
  dataset: { name, version, status },
  exportCount,
}: {
  dataset: DatasetDetail;
  exportCount: number;
}) {
  const submit = useSubmit();
  const isBusy = useNavigation().state !== 'idle';
  const post = (intent: string) => void submit({ intent }, { method: 'post' });
  const exportText = exportCount === 0 ? '' : ` and its ${exportCount} exports`;
  return (
    <>
      <Button onClick={() => post('build-version')} disabled={isBusy || status === 'building' || status === 'deleting'}>
        Build next version
      </Button>
      <ConfirmButton
        disabled={isBusy}
        confirmation={{
          title: `Delete ${name} v${version}?`,
          text: `The files of the dataset${exportText} are deleted. They cannot be restored. Models that were trained with it remain.`,
          verb: 'Delete dataset',
          onConfirm: () => post('delete-dataset'),
        }}
      >
        Delete
      </ConfirmButton>
    </>
  );
}

/** Progress of the build or the deletion, or why the build failed. */
function BuildState({ dataset: { status, error, job: jobId }, job }: { dataset: DatasetDetail; job: Job | undefined }) {
  const link = jobId !== null && (
    <Link to={`/learning/jobs/${jobId}`} className="underline">
      Show the job
    </Link>
  );
  if (status === 'deleting')
    return (
      <Notice tone="warn">
        Deleting the files of this dataset. If the deletion does not finish, delete the dataset again.
      </Notice>
    );
  if (status === 'building' || (job && isActiveJob(job)))
    return (
      <Card title="Building">
        <div className="grid gap-2 text-sm">
          <p className="text-muted">
            {job?.status === 'queued'
              ? 'The build is queued. A job runner starts it.'
              : 'A job runner builds the dataset.'}{' '}
            {link}
          </p>
          {job && <JobProgressBar job={job} label="Progress of the build" />}
          {job?.error && <p className="text-warn wrap-anywhere">The last attempt failed: {job.error.message}</p>}
        </div>
      </Card>
    );
  if (status === 'ready') return null;
  return (
    <Notice tone={status === 'failed' ? 'bad' : 'warn'}>
      <p className="wrap-anywhere">{error ?? 'The build was cancelled.'}</p>
      <p className="mt-1 text-text">Build the next version, or retry the job. {link}</p>
    </Notice>
  );
}

/** Links to the other versions. */
function Versions({ versions, current }: { versions: readonly DatasetView[]; current: string }) {
  if (versions.length < 2) return null;
  return (
    <nav aria-label="Versions" className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
      <span className="text-muted">Versions</span>
      {versions.map(({ id, version, status, isStale }) => (
        <Link
          key={id}
          to={`/learning/datasets/${id}`}
          aria-current={id === current ? 'page' : undefined}
          className={id === current ? 'font-semibold' : 'underline'}
        >
          v{version}
          {isStale ? ' (stale)' : status === 'ready' ? '' : ` (${status})`}
        </Link>
      ))}
    </nav>
  );
}
