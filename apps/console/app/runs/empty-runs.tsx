import { buttonClass, Empty } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { useRole } from '../page/use-role.ts';

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
