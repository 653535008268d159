import { unwrapData } from '@pilothouse/client';
import { Card, Empty } from '@pilothouse/ui-kit';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { Link, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../api/api-client.server.ts';
import { filterOf, searchOf } from './run-filter.ts';
import { readRows } from './run-page.server.ts';
import { BulkActions } from './bulk-actions.tsx';
import { EmptyRuns } from './run-list.tsx';
import { PageHeader } from '../page/page-header.tsx';
import { FilterBar } from './filter-bar.tsx';
import { RunTable } from './run-table.tsx';
import { SavedViews } from './saved-views.tsx';
import { useRole } from '../page/use-role.ts';
import { useLiveRows } from './use-live-rows.ts';
import { rowCountOf } from '../shared/number-format.ts';

export { action } from './runs.actions.server.ts';

export const meta = () => [{ title: 'Runs · Pilothouse' }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async (client) => {
    const search = new URL(args.request.url).searchParams;
    const filter = filterOf(search);
    const [first, fleets, views] = await Promise.all([
      readRows(client, searchOf(filter)),
      unwrapData(client.api.GET('/v1/fleets')),
      unwrapData(client.api.GET('/v1/saved-views')),
    ]);
    return { filter, first, fleets: fleets.items.map(({ name, surface }) => ({ name, surface })), views: views.items };
  });

export default function Runs({
  loaderData: { filter, first, fleets, views },
}: {
  loaderData: Awaited<ReturnType<typeof loader>>;
}) {
  const search = useMemo(() => searchOf(filter).toString(), [filter]);
  const { rows, isStale, hasMore, loadMore, setVisibleRows } = useLiveRows(first, search);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const role = useRole();
  useEffect(() => setSelected(new Set()), [search]);
  const select = useCallback(
    (run: string, is: boolean) =>
      setSelected(
        (previous) => new Set(is ? [...previous, run] : [...previous].filter((selectedRun) => selectedRun !== run)),
      ),
    [],
  );
  return (
    <>
      <PageHeader title="Runs">
        <span className="text-sm text-muted" role="status">
          {isStale ? 'Connection lost. Reconnecting…' : `${rowCountOf(rows.length, 'run', hasMore)} · live`}
        </span>
        <Link to="/live" prefetch="intent" className="text-sm text-muted underline">
          Live grid
        </Link>
      </PageHeader>
      <SavedViews views={views} search={search} role={role} />
      <FilterBar filter={filter} fleets={fleets} />
      <BulkActions
        rows={rows}
        selected={selected}
        canOperate={role !== undefined && role !== 'viewer'}
        onAll={() => setSelected(new Set(rows.map(({ id }) => id)))}
        onDone={() => setSelected(new Set())}
      />
      <Card flush>
        {rows.length > 0 ? (
          <RunTable rows={rows} selected={selected} onSelect={select} onEnd={loadMore} onVisibleRows={setVisibleRows} />
        ) : (
          <NoRuns isFiltered={search !== ''} />
        )}
      </Card>
    </>
  );
}

const NoRuns = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? <Empty title="No runs match">Remove a filter to see more runs.</Empty> : <EmptyRuns />;
