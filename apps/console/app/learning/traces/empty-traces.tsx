import { buttonClass, Empty } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { useRole } from '../../page/use-role.ts';

/** Placeholder while the project has no traces. */
export function EmptyTraces() {
  const isAdmin = useRole() === 'admin';
  return (
    <Empty
      title="No traces yet"
      actions={
        <Link to="/settings#learning" className={buttonClass({ variant: isAdmin ? 'primary' : 'plain' })}>
          {isAdmin ? 'Record turns' : 'Show the setting'}
        </Link>
      }
    >
      A trace is a finished run with recorded turns: what the agent saw, what it did, and the results. Turns are
      recorded only if the project, the workflow or the run enables it.
    </Empty>
  );
}
