import { unwrapData } from '@pilothouse/client';
import { Badge, buttonClass, Card, Notice, useToast } from '@pilothouse/ui-kit';
import { useEffect } from 'react';
import { Link, useActionData, useNavigation, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../api/api-client.server.ts';
import { withThumbnailUrl } from '../api/object-urls.server.ts';
import { renderContext } from '../api/request-context.server.ts';
import { RunList } from '../runs/run-list.tsx';
import { readRows } from '../runs/run-page.server.ts';
import { workflowBreadcrumbs } from '../page/breadcrumbs.tsx';
import { diffLines } from '@pilothouse/core/workflow/line-diff';
import { useAutoRefresh } from '../shared/use-auto-refresh.ts';
import { ConnectionStatus } from '../page/connection-lost.tsx';
import { PageHeader } from '../page/page-header.tsx';
import { useRole } from '../page/use-role.ts';
import { ThumbnailForm } from './thumbnail-form.tsx';
import { WorkflowActions } from './workflow-actions.tsx';
import { WorkflowDefinition } from './workflow-definition.tsx';
import { readVersion, versionOf } from './workflow-files.server.ts';
import { LastRun, SuccessRate, WorkflowKinds, WorkflowThumbnail } from './workflow-stats.tsx';
import { sourceTextOf, yamlOf } from './workflow-yaml.server.ts';
import type { action } from './workflow.actions.server.ts';

export { action } from './workflow.actions.server.ts';

const REFRESH_INTERVAL_MS = 5_000;

/** Maximum number of listed runs and selectable versions. */
const LISTED = { runs: 10, versions: 100 };

export const meta = ({ params }: { params: { workflow?: string } }) => [{ title: `${params.workflow} · Pilothouse` }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async (client) => {
    const { api } = client;
    const search = new URL(args.request.url).searchParams;
    const numberOf = (name: string) => Number(search.get(name)) || undefined;
    const path = { workflow: args.params.workflow ?? '' };
    const chosenVersion = versionOf(args.request);
    const fetchVersion = (version: number | undefined) => readVersion(client, path.workflow, version);
    const comparedVersion = numberOf('against');
    const [{ definition, source, ...workflow }, versions, runs, stats, compared] = await Promise.all([
      fetchVersion(chosenVersion),
      unwrapData(api.GET('/v1/workflows/{workflow}/versions', { params: { path, query: { limit: LISTED.versions } } })),
      readRows(client, new URLSearchParams(path), LISTED.runs),
      unwrapData(api.GET('/v1/workflows/{workflow}/stats', { params: { path } })),
      comparedVersion === undefined ? undefined : fetchVersion(comparedVersion),
    ]);
    // A source text and generated YAML differ in formatting: both sides must come from the same kind.
    const hasSources = source !== null && compared?.source !== null;
    const textOfVersion = hasSources ? sourceTextOf : (version: { definition: unknown }) => yamlOf(version.definition);
    const yaml = textOfVersion({ definition, source });
    return {
      workflow,
      chosenVersion,
      yaml,
      comparedVersion,
      diff: compared && diffLines(textOfVersion(compared), yaml),
      versions: versions.items.map(({ version, published, createdAt }) => ({ version, published, createdAt })),
      runs: runs.rows,
      stats: withThumbnailUrl(stats, args.context.get(renderContext).objectsEndpoint),
    };
  });

type Loaded = Awaited<ReturnType<typeof loader>>;

export default function Workflow({ loaderData }: { loaderData: Loaded }) {
  const { workflow, chosenVersion, runs, stats } = loaderData;
  const { name, title, description, surface, archived } = workflow;
  const connection = useAutoRefresh(REFRESH_INTERVAL_MS);
  const role = useRole();
  const canOperate = role !== undefined && role !== 'viewer';
  const busy = useNavigation().state !== 'idle';
  const result = useActionData<typeof action>();
  const failure = result?.failure;
  const toast = useToast();
  useEffect(() => {
    if (result?.message !== undefined) toast(result.message);
  }, [result, toast]);
  return (
    <>
      <PageHeader
        breadcrumbs={
          chosenVersion === undefined ? workflowBreadcrumbs(name) : workflowBreadcrumbs(`v${chosenVersion}`, name)
        }
        title={name}
        actions={canOperate && <WorkflowActions workflow={workflow} chosenVersion={chosenVersion} />}
      >
        {chosenVersion !== undefined && <span className="text-sm text-muted">v{chosenVersion}</span>}
        <WorkflowKinds surface={surface} stats={stats} />
        {archived && <Badge tone="warn">Archived</Badge>}
        <ConnectionStatus connection={connection} />
      </PageHeader>
      {failure && (
        <div className="mb-3">
          <Notice tone="bad">{failure.message}</Notice>
        </div>
      )}
      <div className="mb-3 flex items-start gap-3">
        <WorkflowThumbnail surface={surface} thumbnail={stats.thumbnail} className="h-20 w-32" />
        <div className="grid min-w-0 gap-1 text-sm">
          {(title ?? description) && (
            <p className="max-w-3xl text-muted wrap-anywhere">
              {title}
              {title && description && ': '}
              {description}
            </p>
          )}
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <SuccessRate stats={stats} />
            <LastRun stats={stats} />
          </p>
          {canOperate && (
            <div className="-ml-3">
              <ThumbnailForm isOwn={stats.thumbnail?.source === 'upload'} disabled={busy} />
            </div>
          )}
        </div>
      </div>
      <div className="grid items-start gap-3 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <WorkflowDefinition {...loaderData} />
        <Card
          title="Runs"
          flush
          actions={
            <Link to={`/runs?workflow=${name}`} className={buttonClass({ variant: 'quiet' })}>
              View all
            </Link>
          }
        >
          <RunList rows={runs} empty="No runs yet." canCancel={canOperate} />
        </Card>
      </div>
    </>
  );
}
