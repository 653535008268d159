import type { Trace } from '@pilothouse/contract/learning/trace.schema';
import { Card } from '@pilothouse/ui-kit';
import { countOf, shortId } from '../../shared/number-format.ts';
import { TimeAgo } from '../../shared/relative-time.tsx';
import { traceQualityLabels } from '../traces/trace-quality.ts';
import { TraceQualityBadge } from '../traces/trace-quality-badge.tsx';
import { CardLink, OverviewRow, OverviewRows } from './overview-rows.tsx';

interface LatestTracesProps {
  quality: 'good' | 'bad';
  traces: readonly Trace[];
}

/** The last traces of a quality, with the number of their steps of this quality. */
export function LatestTraces({ quality, traces }: LatestTracesProps) {
  const title = `Latest ${traceQualityLabels[quality].label.toLowerCase()} traces`;
  return (
    <Card
      title={title}
      flush
      actions={<CardLink href={`/learning/traces?review=all&quality=${quality}`}>All {quality} traces</CardLink>}
    >
      <OverviewRows label={title} empty={`No ${quality} traces in this period.`}>
        {traces.map((trace) => (
          <OverviewRow
            key={trace.run}
            href={`/learning/traces/${trace.run}?review=all&quality=${quality}`}
            name={`${trace.workflowName} ${shortId(trace.run)}`}
            detail={
              <>
                {trace[`${quality}Count`]} of {countOf(trace.stepCount, 'step')} · <TimeAgo time={trace.createdAt} />
              </>
            }
          >
            <TraceQualityBadge trace={{ ...trace, needsReview: false }} />
          </OverviewRow>
        ))}
      </OverviewRows>
    </Card>
  );
}
