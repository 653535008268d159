import { Card } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { RunList } from '../runs/run-list.tsx';
import type { RunRows } from '../runs/run-row.ts';
import { useLiveRows } from '../runs/use-live-rows.ts';

/** Child runs on the page of their parent. */
const MAX_SHOWN = 5;

/** The newest child runs of a run; nothing if it has none. @param search selects them in the run list */
export function ChildRuns({ first, search }: { first: RunRows; search: string }) {
  const { rows } = useLiveRows(first, search);
  if (rows.length === 0) return null;
  return (
    <Card
      title="Child runs"
      flush
      className="mb-3"
      actions={
        rows.length > MAX_SHOWN && (
          <Link to={`/runs?${search}`} className="text-xs text-muted underline">
            Show all
          </Link>
        )
      }
    >
      <RunList rows={rows.slice(0, MAX_SHOWN)} empty="" />
    </Card>
  );
}
