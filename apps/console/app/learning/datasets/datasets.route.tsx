import { unwrapData } from '@pilothouse/client';
import type { DatasetView } from '@pilothouse/contract/learning/dataset.schema';
import { Badge, buttonClass, Card, Cell, Empty, Table } from '@pilothouse/ui-kit';
import { X } from 'lucide-react';
import { Link, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../../api/api-client.server.ts';
import { count, shortId } from '../../shared/number-format.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { useAutoRefresh } from '../../shared/use-auto-refresh.ts';
import { ConnectionStatus } from '../../page/connection-lost.tsx';
import { PageHeader } from '../../page/page-header.tsx';
import { useRole } from '../../page/use-role.ts';
import { PageLinks } from '../page-links.tsx';
import { WorkStatusBadge } from '../work-status-badge.tsx';

const DATASETS_PER_PAGE = 50;

/** Refresh intervals in milliseconds: `active` during a build or deletion. */
const REFRESH_INTERVAL_MS = { active: 2_000, idle: 15_000 } as const;

export const meta = () => [{ title: 'Datasets · Pilothouse' }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async ({ api }) => {
    const { searchParams } = new URL(args.request.url);
    const name = searchParams.get('name')?.trim() || undefined;
    const cursor = searchParams.get('cursor') ?? undefined;
    const page = await unwrapData(
      api.GET('/v1/datasets', { params: { query: { limit: DATASETS_PER_PAGE, cursor, name } } }),
    );
    return { items: page.items, nextCursor: page.nextCursor, name, isFirst: cursor === undefined };
  });

const searchOf = (name: string | undefined, cursor?: string): string =>
  new URLSearchParams({ ...(name !== undefined && { name }), ...(cursor !== undefined && { cursor }) }).toString();

export default function Datasets({
  loaderData: { items, nextCursor, name, isFirst },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const isActive = items.some(({ status }) => status === 'building' || status === 'deleting');
  const connection = useAutoRefresh(REFRESH_INTERVAL_MS[isActive ? 'active' : 'idle']);
  const isAdmin = useRole() === 'admin';
  return (
    <>
      <PageHeader
        title="Datasets"
        actions={
          isAdmin && (
            <Link to="/learning/datasets/new" className={buttonClass({ variant: 'primary' })}>
              New dataset
            </Link>
          )
        }
      >
        <ConnectionStatus connection={connection} />
      </PageHeader>
      {name !== undefined && (
        <p className="mb-3 flex flex-wrap items-center gap-2 text-sm">
          <span className="min-w-0 wrap-anywhere">
            Versions of <span className="font-medium">{name}</span>
          </span>
          <Link to="/learning/datasets" className={buttonClass({ variant: 'quiet' })}>
            <X aria-hidden="true" /> Show all datasets
          </Link>
        </p>
      )}
      <Card flush>
        {items.length === 0 ? (
          <NoDatasets isFiltered={name !== undefined || !isFirst} isAdmin={isAdmin} />
        ) : (
          <Table label="Datasets" head={['Dataset', 'Status', 'Steps', 'License', 'Created by', 'Created']}>
            {items.map((dataset) => (
              <DatasetRow key={dataset.id} dataset={dataset} />
            ))}
          </Table>
        )}
      </Card>
      <PageLinks
        first={isFirst ? null : searchOf(name)}
        next={nextCursor === null ? null : searchOf(name, nextCursor)}
      />
    </>
  );
}

function DatasetRow({ dataset }: { dataset: DatasetView }) {
  const { id, name, version, status, isStale, exampleCount, license, createdBy, createdAt, error } = dataset;
  return (
    <tr>
      <Cell className="min-w-48 py-1.5">
        <Link
          to={`/learning/datasets/${id}`}
          prefetch="intent"
          data-row
          className="font-medium wrap-anywhere hover:underline"
        >
          {name} v{version}
        </Link>
        <span className="ml-1.5 font-mono text-xs text-muted">{shortId(id)}</span>
        {error !== null && (
          <p className="line-clamp-2 max-w-xl text-xs text-bad wrap-anywhere" title={error}>
            {error}
          </p>
        )}
      </Cell>
      <Cell>
        <span className="flex gap-1">
          <WorkStatusBadge status={status} />
          {isStale && <Badge tone="warn">Stale</Badge>}
        </span>
      </Cell>
      <Cell className="tabular-nums">{status === 'ready' ? count(exampleCount) : '—'}</Cell>
      <Cell className="max-w-48 truncate text-muted">
        <span title={license}>{license}</span>
      </Cell>
      <Cell className="max-w-48 truncate text-muted">{createdBy?.name ?? 'Pilothouse'}</Cell>
      <Cell className="text-muted">
        <TimeAgo time={createdAt} />
      </Cell>
    </tr>
  );
}

function NoDatasets({ isFiltered, isAdmin }: { isFiltered: boolean; isAdmin: boolean }) {
  if (isFiltered) return <Empty title="No datasets match">Show all datasets, or go to the first page.</Empty>;
  return (
    <Empty
      title="No datasets yet"
      actions={
        isAdmin && (
          <>
            <Link to="/learning/datasets/new" className={buttonClass({ variant: 'primary' })}>
              New dataset
            </Link>
            <Link to="/learning/traces" className={buttonClass()}>
              Review traces
            </Link>
          </>
        )
      }
    >
      A dataset is an immutable set of labeled steps. Record and review traces first, then select their steps with a
      query.
    </Empty>
  );
}
