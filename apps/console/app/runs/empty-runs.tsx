import { buttonClass, Empty } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { useRole } from '../shell/use-role.ts';

/** Placeholder while there are no runs. */
export function EmptyRuns() {
  const role = useRole();
  return (
    <Empty
      title="Nothing has run yet"
      actions={
        role !== 'viewer' && (
          <Link to="/workflows/new" className={buttonClass({ variant: 'primary' })}>
            Write a workflow
          </Link>
        )
      }
    >
      <p>A run carries out a workflow, or reaches a goal in words. Submit one from a terminal:</p>
      <pre className="mt-2 overflow-x-auto rounded bg-raised p-2 text-left font-mono text-xs">
        npx pilothouse run my-workflow.yaml
      </pre>
    </Empty>
  );
}
