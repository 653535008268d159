import type { Trace } from '@pilothouse/contract/learning/trace.schema';
import { Badge } from '@pilothouse/ui-kit';
import { traceQualityLabels } from './trace-quality.ts';

/** Quality of a trace, with a mark if it needs review. */
export function TraceQualityBadge({
  trace: { quality, scoredAt, needsReview },
}: {
  trace: Pick<Trace, 'quality' | 'scoredAt' | 'needsReview'>;
}) {
  if (scoredAt === null) return <Badge>Not scored</Badge>;
  const { label, tone } = traceQualityLabels[quality];
  return (
    <>
      <Badge tone={tone}>{label}</Badge>
      {needsReview && <span className="text-xs text-muted max-md:hidden">needs review</span>}
    </>
  );
}
