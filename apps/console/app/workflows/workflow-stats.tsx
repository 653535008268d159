import type { SurfaceKind } from '@pilothouse/contract/primitives.schema';
import type { WorkflowStats } from '@pilothouse/contract/api/workflow-stats.schema';
import { Badge, classes } from '@pilothouse/ui-kit';
import { Globe, Monitor } from 'lucide-react';
import { Link } from 'react-router';
import { countOf } from '../shared/number-format.ts';
import { RunStatusBadge } from '../shared/status-badge.tsx';
import { TimeAgo } from '../shared/relative-time.tsx';

const surfaces = { browser: Globe, desktop: Monitor } as const;

/** Thumbnail of a workflow: uploaded, taken from a run, or an icon. */
export function WorkflowThumbnail({
  surface,
  thumbnail,
  className,
}: {
  surface: SurfaceKind;
  thumbnail: WorkflowStats['thumbnail'];
  className: string;
}) {
  const Icon = surfaces[surface];
  const frame = classes('shrink-0 rounded border border-line bg-raised', className);
  // Decorative: the name is next to it.
  if (thumbnail)
    return (
      <img src={thumbnail.url} alt="" loading="lazy" decoding="async" className={`${frame} object-cover object-top`} />
    );
  return (
    <span className={`${frame} grid place-items-center text-muted`}>
      <Icon aria-hidden="true" className="size-4" />
    </span>
  );
}

/** Badges for surface, agent use and origin. */
export const WorkflowKinds = ({
  surface,
  stats: { usesAgent: agent, createdBy: origin },
}: {
  surface: SurfaceKind;
  stats: WorkflowStats;
}) => (
  <span className="inline-flex gap-1 max-md:flex-wrap">
    <Badge>{surface}</Badge>
    <Badge tone={agent ? 'live' : 'plain'}>{agent ? 'agent' : 'deterministic'}</Badge>
    {origin === 'heal' && <Badge tone="warn">healed</Badge>}
    {origin === 'compile' && <Badge tone="good">compiled</Badge>}
  </span>
);

/** Success rate of the recent runs. */
export function SuccessRate({ stats: { finishedRuns: finished, completed, retries } }: { stats: WorkflowStats }) {
  if (finished === 0) return <span className="text-muted">No runs</span>;
  const rate = completed / finished;
  const tone = rate >= 0.9 ? 'text-good' : rate >= 0.5 ? 'text-warn' : 'text-bad';
  return (
    <span className="whitespace-nowrap tabular-nums" title={`${completed} of the last ${finished} finished runs`}>
      <span className={`font-medium ${tone}`}>{Math.round(rate * 100)}%</span>{' '}
      <span className="text-xs text-muted">
        {completed} of {finished}
        {retries > 0 && ` · ${countOf(retries, 'step retry', 'step retries')}`}
      </span>
    </span>
  );
}

/** Status of the last run. */
export const LastRun = ({ stats: { lastRun } }: { stats: WorkflowStats }) =>
  lastRun && (
    <Link to={`/runs/${lastRun.id}`} className="inline-flex items-center gap-2 whitespace-nowrap hover:underline">
      <RunStatusBadge status={lastRun.status} />
      <span className="text-xs text-muted">
        <TimeAgo time={lastRun.createdAt} />
      </span>
    </Link>
  );
