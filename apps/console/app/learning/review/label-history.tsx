import type { TraceLabel, TraceSource } from '@pilothouse/contract/learning/trace.schema';
import { Badge } from '@pilothouse/ui-kit';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { traceQualityLabels } from '../traces/trace-quality.ts';

const sourceLabels: Readonly<Record<TraceSource, string>> = { rule: 'Rule', model: 'Model', person: 'Person' };

/** Author of a label: a person or key, or the version of the score. */
export const labelAuthor = ({
  source,
  version,
  createdBy,
}: Pick<TraceLabel, 'source' | 'version'> & { createdBy?: TraceLabel['createdBy'] }): string =>
  createdBy?.name ?? `${sourceLabels[source]}${version === null ? '' : `, version ${version}`}`;

/** Labels of a step with author, time and reason, newest first. */
export const LabelHistory = ({ labels }: { labels: readonly TraceLabel[] }) => (
  <ol aria-label="Quality history" className="grid gap-2 text-sm">
    {labels.toReversed().map((label) => (
      <li key={label.id} className="grid gap-0.5 border-l-2 border-line pl-2">
        <span className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
          <Badge tone={traceQualityLabels[label.quality].tone}>{traceQualityLabels[label.quality].label}</Badge>
          <span className="wrap-anywhere text-text">{labelAuthor(label)}</span>
          <TimeAgo time={label.createdAt} />
        </span>
        <span className="wrap-anywhere">{label.reason}</span>
        {label.correctedThought !== null && (
          <span className="text-xs wrap-anywhere text-muted">Thought: {label.correctedThought}</span>
        )}
        {label.correctedActions && (
          <span className="text-xs text-muted">
            {label.correctedActions.length} corrected {label.correctedActions.length === 1 ? 'action' : 'actions'}
          </span>
        )}
      </li>
    ))}
  </ol>
);
