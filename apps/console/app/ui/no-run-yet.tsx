import { buttonClass, Empty } from '@pilothouse/ui-kit';
import { Link, useRouteLoaderData } from 'react-router';
import type { loader as layoutLoader } from '../routes/layout.tsx';

/** What is shown where runs would be, and how the first one comes there. */
export function NoRunYet() {
  const role = useRouteLoaderData<typeof layoutLoader>('routes/layout')?.role;
  return (
    <Empty
      title="Nothing has run yet"
      actions={
        role !== 'viewer' && (
          <Link to="/workflows/new" className={buttonClass({ look: 'primary' })}>
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
