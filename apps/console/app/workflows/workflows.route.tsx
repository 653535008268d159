import { unwrapData } from '@pilothouse/client';
import { Badge, buttonClass, Card, Cell, Empty, Table } from '@pilothouse/ui-kit';
import { Plus } from 'lucide-react';
import { Link, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../api/api-client.server.ts';
import { renderContext } from '../api/request-context.server.ts';
import { withThumbnailUrl } from '../api/object-urls.server.ts';
import { PageHeader } from '../page/page-header.tsx';
import { TimeAgo } from '../shared/relative-time.tsx';
import { useRole } from '../page/use-role.ts';
import { LastRun, SuccessRate, WorkflowKinds, WorkflowThumbnail } from './workflow-stats.tsx';

export const meta = () => [{ title: 'Workflows · Pilothouse' }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const cursor = new URL(args.request.url).searchParams.get('cursor') ?? undefined;
    const archived = new URL(args.request.url).searchParams.get('archived') === 'true' ? ('true' as const) : undefined;
    const query = { limit: 100, cursor, archived };
    const { items, nextCursor } = await unwrapData(api.GET('/v1/workflows', { params: { query } }));
    const { objectsEndpoint } = args.context.get(renderContext);
    const workflows = items.map((workflow) => ({
      ...workflow,
      stats: withThumbnailUrl(workflow.stats, objectsEndpoint),
    }));
    return { workflows, next: nextCursor, archived: archived !== undefined };
  });

export default function Workflows({
  loaderData: { workflows, next, archived },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const role = useRole();
  const create = role !== undefined && role !== 'viewer' && (
    <Link to="/workflows/new" className={buttonClass({ variant: 'primary' })} data-shortcut="n">
      <Plus aria-hidden="true" /> New workflow
    </Link>
  );
  return (
    <>
      <PageHeader
        title={archived ? 'Archived workflows' : 'Workflows'}
        actions={
          <>
            <Link to={archived ? '/workflows' : '?archived=true'} className={buttonClass({ variant: 'quiet' })}>
              {archived ? 'Active workflows' : 'Archived'}
            </Link>
            {create}
          </>
        }
      />
      <Card flush>
        {workflows.length === 0 ? (
          <Empty title={archived ? 'No archived workflows' : 'No workflows yet'} actions={!archived && create}>
            A workflow is a versioned YAML file with typed inputs and steps.
          </Empty>
        ) : (
          <Table label="Workflows" head={['Name', 'Success rate', 'Last run', 'Type', 'Version', 'Updated']}>
            {workflows.map(({ id, name, title, surface, stats, latestVersion, publishedVersion, updatedAt }) => (
              <tr key={id} className="hover:bg-raised/60">
                <Cell className="h-14 max-w-md">
                  <span className="flex min-w-60 items-center gap-3">
                    <WorkflowThumbnail surface={surface} thumbnail={stats.thumbnail} className="h-10 w-16" />
                    <span className="grid min-w-0">
                      <Link
                        to={`/workflows/${name}`}
                        data-row
                        prefetch="intent"
                        className="font-medium wrap-anywhere hover:underline"
                      >
                        {name}
                      </Link>
                      {title && <span className="truncate text-xs text-muted">{title}</span>}
                    </span>
                  </span>
                </Cell>
                <Cell>
                  <SuccessRate stats={stats} />
                </Cell>
                <Cell>
                  <LastRun stats={stats} />
                </Cell>
                <Cell>
                  <WorkflowKinds surface={surface} stats={stats} />
                </Cell>
                <Cell className="whitespace-nowrap">
                  {publishedVersion !== null && `v${publishedVersion} `}
                  {publishedVersion !== latestVersion && <Badge tone="warn">Draft v{latestVersion}</Badge>}
                </Cell>
                <Cell className="whitespace-nowrap text-muted">
                  <TimeAgo time={updatedAt} />
                </Cell>
              </tr>
            ))}
          </Table>
        )}
      </Card>
      {next && (
        <p className="mt-3 text-center">
          <Link to={`?cursor=${encodeURIComponent(next)}${archived ? '&archived=true' : ''}`} className={buttonClass()}>
            Next page
          </Link>
        </p>
      )}
    </>
  );
}
