import { Card, Empty } from '@pilothouse/ui-kit';
import { Link, type LoaderFunctionArgs } from 'react-router';
import { withApi } from '../api/api-client.server.ts';
import { readRows } from '../runs/run-page.server.ts';
import { ConnectionStatus } from '../page/connection-lost.tsx';
import { PageHeader } from '../page/page-header.tsx';
import { useAutoRefresh } from '../shared/use-auto-refresh.ts';
import { useLiveGrid } from './use-live-grid.ts';
import { LiveGridTile } from './live-grid-tile.tsx';

const REFRESH_INTERVAL_MS = 2_000;
const MAX_TILES = 48;

export const meta = () => [{ title: 'Live grid · Pilothouse' }];

export const loader = (args: LoaderFunctionArgs) =>
  withApi(args, (client) => readRows(client, new URLSearchParams('status=running,awaiting_user'), MAX_TILES));

export default function LiveGrid({ loaderData: { rows, next } }: { loaderData: Awaited<ReturnType<typeof loader>> }) {
  const connection = useAutoRefresh(REFRESH_INTERVAL_MS);
  const { contents, setVisible } = useLiveGrid();
  return (
    <>
      <PageHeader title="Live grid">
        <span className="text-sm text-muted">
          {rows.length}
          {next && '+'} active{next && ` · showing the newest ${MAX_TILES} · `}
          {next && (
            <Link to="/runs?status=running&status=awaiting_user" className="underline">
              Show all
            </Link>
          )}
        </span>
        <ConnectionStatus connection={connection} />
      </PageHeader>
      {rows.length === 0 ? (
        <Card>
          <Empty title="No active runs">The screen of each active run appears here.</Empty>
        </Card>
      ) : (
        <ul aria-label="Active runs" className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3 2xl:grid-cols-4">
          {rows.map((row) => (
            <LiveGridTile key={row.id} row={row} content={contents[row.id]} onVisible={setVisible} />
          ))}
        </ul>
      )}
    </>
  );
}
