import { shortId } from '../shared/number-format.ts';

/** Link to a run or workflow of an audit entry. */
export interface AuditLink {
  label: string;
  to: string;
}

/** The parts of an audit entry that links need. */
export interface AuditTarget {
  resource: string | null;
  target: string | null;
  details: Readonly<Record<string, unknown>>;
}

/** Maximum number of runs of a batch operation that are linked. */
const MAX_BATCH_LINKS = 3;

const runLink = (id: string): AuditLink => ({ label: `Run ${shortId(id)}`, to: `/runs/${id}` });

/** Links to the run or workflow that an operation changed or created, and to the runs of a batch operation. */
export function auditLinksOf({ resource, target, details }: AuditTarget): AuditLink[] {
  const links: AuditLink[] = [];
  if (resource === 'runs' && target !== null) links.push(runLink(target));
  if (resource === 'workflows' && target !== null) {
    const name = typeof details['name'] === 'string' ? details['name'] : target;
    links.push({ label: `Workflow ${name}`, to: `/workflows/${name}` });
  }
  if (resource !== 'runs' && resource !== 'workflows') return links;
  const { id, runs } = details;
  // The new run of a retry, or of a workflow.
  if (typeof id === 'string') links.push(runLink(id));
  if (Array.isArray(runs))
    links.push(...runs.slice(0, MAX_BATCH_LINKS).flatMap((run) => (typeof run === 'string' ? [runLink(run)] : [])));
  return links;
}
