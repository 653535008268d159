import { unwrapData, type Client } from '@pilothouse/client';
import type { Trace } from '@pilothouse/contract/learning/trace.schema';
import { buttonClass, Card, Empty } from '@pilothouse/ui-kit';
import { useEffect, useState } from 'react';
import { Link, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../../api/api-client.server.ts';
import { useAutoRefresh } from '../../shared/use-auto-refresh.ts';
import { ConnectionStatus } from '../../page/connection-lost.tsx';
import { PageHeader } from '../../page/page-header.tsx';
import { useRole } from '../../page/use-role.ts';
import { TraceBulkActions } from './trace-bulk-actions.tsx';
import { TraceFilterBar } from './trace-filter-bar.tsx';
import { queueFilterOf, queueSearchOf, traceFilterOf } from './trace-filter.ts';
import { TraceList, EmptyTraces } from './trace-list.tsx';
import { rowCountOf } from '../../shared/number-format.ts';

export { action } from './traces.actions.server.ts';

const REFRESH_INTERVAL_MS = 10_000;

/** Traces that are shown at first, and that one click adds. */
const TRACES_PER_PAGE = 50;
const MAX_TRACES = 1000;

/** Page size of the API. */
const MAX_PAGE = 200;

/** Days whose workflows and models the filter offers. */
const OPTION_DAYS = 90;
const DAY_MS = 86_400_000;

export const meta = () => [{ title: 'Review · Pilothouse' }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, async (client) => {
    const search = new URL(args.request.url).searchParams;
    const filter = queueFilterOf(search);
    const limit = Math.min(MAX_TRACES, Math.max(TRACES_PER_PAGE, Number(search.get('rows')) || 0));
    const start = `${new Date(Date.now() - OPTION_DAYS * DAY_MS).toISOString().slice(0, 10)}T00:00:00Z`;
    const [{ traces, hasMore }, stats, latest] = await Promise.all([
      readTraces(client, traceFilterOf(filter), limit),
      unwrapData(client.api.GET('/v1/traces/stats', { params: { query: { from: start } } })),
      unwrapData(client.api.GET('/v1/traces', { params: { query: { limit: 1 } } })),
    ]);
    return {
      filter,
      traces,
      hasMore,
      hasTraces: latest.items.length > 0,
      workflows: stats.workflows.map(({ workflow }) => workflow),
      models: stats.models.flatMap(({ model }) => model ?? []),
    };
  });

/** Reads the newest traces of a filter, page by page. */
async function readTraces(
  { api }: Client,
  { needsReview, ...filter }: ReturnType<typeof traceFilterOf>,
  limit: number,
): Promise<{ traces: Trace[]; hasMore: boolean }> {
  const traces: Trace[] = [];
  let cursor: string | null = null;
  do {
    const query = {
      ...filter,
      ...(needsReview !== undefined && { needsReview: String(needsReview) as 'true' | 'false' }),
      ...(cursor !== null && { cursor }),
      limit: Math.min(MAX_PAGE, limit - traces.length),
    };
    const page: { items: Trace[]; nextCursor: string | null } = await unwrapData(
      api.GET('/v1/traces', { params: { query } }),
    );
    traces.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null && traces.length < limit);
  return { traces, hasMore: cursor !== null };
}

export default function Traces({ loaderData }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const { filter, traces, hasMore, hasTraces, workflows, models } = loaderData;
  const connection = useAutoRefresh(REFRESH_INTERVAL_MS);
  const role = useRole();
  const canOperate = role !== undefined && role !== 'viewer';
  const search = queueSearchOf(filter).toString();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => setSelected(new Set()), [search]);
  const select = (run: string, isSelected: boolean) =>
    setSelected(
      (previous) =>
        new Set(isSelected ? [...previous, run] : [...previous].filter((selectedRun) => selectedRun !== run)),
    );
  return (
    <>
      <PageHeader title="Review">
        <span className="text-sm text-muted" role="status">
          {rowCountOf(traces.length, 'trace', hasMore)}
        </span>
        <ConnectionStatus connection={connection} />
      </PageHeader>
      {hasTraces && <TraceFilterBar filter={filter} workflows={workflows} models={models} />}
      {canOperate && traces.length > 0 && (
        <TraceBulkActions
          search={search}
          selected={selected}
          onAll={() => setSelected(new Set(traces.slice(0, MAX_PAGE).map(({ run }) => run)))}
          onClear={() => setSelected(new Set())}
        />
      )}
      <Card flush>
        {traces.length > 0 ? (
          <TraceList traces={traces} search={search} canOperate={canOperate} selected={selected} onSelect={select} />
        ) : hasTraces ? (
          <NoMatch isQueue={search === ''} />
        ) : (
          <EmptyTraces />
        )}
      </Card>
      {hasMore && traces.length < MAX_TRACES && (
        <div className="mt-3 flex justify-center">
          <Link
            to={`?${new URLSearchParams([...queueSearchOf(filter), ['rows', String(traces.length + TRACES_PER_PAGE)]])}`}
            replace
            preventScrollReset
            className={buttonClass()}
          >
            Show more
          </Link>
        </div>
      )}
    </>
  );
}

const NoMatch = ({ isQueue }: { isQueue: boolean }) =>
  isQueue ? (
    <Empty
      title="Nothing to review"
      actions={
        <Link to="?review=all" className={buttonClass()}>
          Show all traces
        </Link>
      }
    >
      Traces with unknown or doubtful steps appear here.
    </Empty>
  ) : (
    <Empty title="No traces match">Remove a filter to see more traces.</Empty>
  );
