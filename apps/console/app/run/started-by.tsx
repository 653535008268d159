import type { RunOrigin } from '@pilothouse/contract/run/run-origin.schema';
import { Link } from 'react-router';
import { shortId } from '../shared/number-format.ts';
import { originLabels } from '../shared/labels.ts';
import { useRole } from '../page/use-role.ts';

/** Link to a run, by its short id. */
export const RunLink = ({ run }: { run: string }) => (
  <Link to={`/runs/${run}`} className="font-mono underline">
    {shortId(run)}
  </Link>
);

/** Origin of a run: its label, the run that it names, and the user or key. Admins get a link to the audit log entries. */
export function StartedBy({ run, origin }: { run: string; origin: RunOrigin }) {
  const role = useRole();
  const { kind, actor } = origin;
  return (
    <>
      {originLabels[kind]}
      {'run' in origin && (
        <>
          {' '}
          <RunLink run={origin.run} />
        </>
      )}
      {actor && (
        <>
          {', '}
          {role === 'admin' ? (
            <Link to={`/settings/audit?target=${run}`} className="underline" title="Audit log of this run">
              {actor.name}
            </Link>
          ) : (
            actor.name
          )}
          {actor.kind === 'key' && <span className="text-muted"> (API key)</span>}
        </>
      )}
    </>
  );
}
