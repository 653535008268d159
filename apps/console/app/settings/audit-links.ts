import { shortId } from '../shared/number-format.ts';

/** Link to what an audit entry names. */
export interface AuditLink {
  label: string;
  href: string;
}

/** The parts of an audit entry that links need. */
export interface AuditTarget {
  resource: string | null;
  target: string | null;
  details: Readonly<Record<string, unknown>>;
}

/** Maximum runs of a batch operation that are linked. */
const MAX_BATCH_LINKS = 3;

const runLink = (id: string): AuditLink => ({ label: `Run ${shortId(id)}`, href: `/runs/${id}` });

/** Name or email address of the target, as far as the operation stated it; null: only its id is known. */
export const auditNameOf = ({ details }: Pick<AuditTarget, 'details'>): string | null => {
  const name = details['name'] ?? details['email'];
  return typeof name === 'string' ? name : null;
};

/** Links to what an operation changed or created, and to the runs of a batch operation. */
export function auditLinksOf({ resource, target, details }: AuditTarget): AuditLink[] {
  const links: AuditLink[] = [];
  if (resource === 'runs' && target !== null) links.push(runLink(target));
  if (resource === 'workflows' && target !== null) {
    const name = typeof details['name'] === 'string' ? details['name'] : target;
    links.push({ label: `Workflow ${name}`, href: `/workflows/${name}` });
  }
  if (target !== null && resource === 'datasets')
    links.push({
      label: `Dataset ${auditNameOf({ details }) ?? shortId(target)}`,
      href: `/learning/datasets/${target}`,
    });
  if (target !== null && resource === 'tuning')
    links.push({
      label: `Tuning job ${auditNameOf({ details }) ?? shortId(target)}`,
      href: `/learning/tuning/${target}`,
    });
  const model = resource === 'registry' ? (auditNameOf({ details }) ?? target) : null;
  if (model !== null) links.push({ label: `Model ${model}`, href: `/learning/models/${encodeURIComponent(model)}` });
  if (resource !== 'runs' && resource !== 'workflows') return links;
  const { id, runs } = details;
  // The new run of a retry, or of a workflow.
  if (typeof id === 'string') links.push(runLink(id));
  if (Array.isArray(runs))
    links.push(...runs.slice(0, MAX_BATCH_LINKS).flatMap((run) => (typeof run === 'string' ? [runLink(run)] : [])));
  return links;
}
