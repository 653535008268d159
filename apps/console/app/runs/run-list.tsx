import { buttonClass, Empty } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { useRole } from '../page/use-role.ts';
import { shortId } from '../shared/number-format.ts';
import { reasonOf, type RunRow } from './run-row.ts';
import { CancelRunButton } from './cancel-run-button.tsx';
import { RunStatusBadge } from '../shared/status-badge.tsx';
import { TimeAgo } from '../shared/relative-time.tsx';

export interface RunListProps {
  rows: readonly RunRow[];
  /** Text for an empty list. */
  empty: string;
  /** True if the viewer may cancel unfinished runs. */
  canCancel?: boolean;
}

/** Short list of runs. */
export const RunList = ({ rows, empty, canCancel = false }: RunListProps) =>
  rows.length === 0 ? (
    <p className="p-3 text-sm text-muted">{empty}</p>
  ) : (
    <ul className="divide-y divide-line">
      {rows.map(({ id, name, status, error, question, createdAt, finishedAt }) => (
        <li key={id} className="flex items-center">
          <Link
            to={`/runs/${id}`}
            data-row
            prefetch="intent"
            className="grid min-w-0 flex-1 grid-cols-[auto_minmax(0,1fr)_auto] items-center gap-x-2 gap-y-0.5 px-3 py-2 text-sm hover:bg-raised"
          >
            <RunStatusBadge status={status} />
            <span className="truncate font-medium">
              {name} <span className="font-mono text-xs font-normal text-muted">{shortId(id)}</span>
            </span>
            <span className="text-xs text-muted">
              <TimeAgo time={createdAt} />
            </span>
            {(error ?? question) && (
              <span
                className="col-span-3 line-clamp-2 text-xs text-muted"
                title={error ? reasonOf(error) : (question ?? '')}
              >
                {error ? (
                  <>
                    <span className="mr-1 rounded bg-bad/10 px-1 font-mono text-bad">{error.code}</span>
                    {reasonOf(error)}
                  </>
                ) : (
                  question
                )}
              </span>
            )}
          </Link>
          {canCancel && finishedAt === null && <CancelRunButton run={{ id, name }} />}
        </li>
      ))}
    </ul>
  );

/** Placeholder while there are no runs. */
export function EmptyRuns() {
  const role = useRole();
  return (
    <Empty
      title="No runs yet"
      actions={
        role !== 'viewer' && (
          <Link to="/workflows/new" className={buttonClass({ variant: 'primary' })}>
            Create workflow
          </Link>
        )
      }
    >
      <p>A run executes a workflow or a goal.{role !== 'viewer' && ' Select New run, or use a terminal:'}</p>
      {role !== 'viewer' && (
        <pre className="mt-2 overflow-x-auto rounded bg-raised p-2 text-left font-mono text-xs">
          npx pilothouse run my-workflow.yaml
        </pre>
      )}
    </Empty>
  );
}
