import type { TraceStep } from '@pilothouse/contract/learning/trace.schema';
import { classes } from '@pilothouse/ui-kit';
import { Check, CircleQuestionMark, X, type LucideIcon } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { traceQualityLabels } from '../traces/trace-quality.ts';

const icons: Readonly<Record<TraceStep['quality'], { Icon: LucideIcon; color: string }>> = {
  good: { Icon: Check, color: 'text-good' },
  bad: { Icon: X, color: 'text-bad' },
  unknown: { Icon: CircleQuestionMark, color: 'text-warn' },
};

export interface TraceStepListProps {
  steps: readonly TraceStep[];
  selected: number;
  onSelect: (ordinal: number) => void;
}

/** Steps of a trace in one line. */
export function TraceStepList({ steps, selected, onSelect }: TraceStepListProps) {
  const current = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Chromium returns a promise, which is no clean-up function.
    void current.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [selected]);
  return (
    <ol aria-label="Steps of the trace" className="mb-3 flex gap-1 overflow-x-auto pb-1">
      {steps.map(({ ordinal, quality, source, isDoubtful, actions }) => {
        const { Icon, color } = icons[quality];
        const isSelected = ordinal === selected;
        return (
          <li key={ordinal} className="shrink-0">
            <button
              ref={isSelected ? current : undefined}
              type="button"
              aria-current={isSelected ? 'step' : undefined}
              aria-label={`Step ${ordinal}: ${traceQualityLabels[quality].label}${isDoubtful ? ', doubtful' : ''}${source === 'person' ? ', labeled by a person' : ''}`}
              title={actions.map(({ title }) => title).join('\n')}
              onClick={() => onSelect(ordinal)}
              className={classes(
                'flex h-8 items-center gap-1 rounded-md border px-2 text-sm',
                isSelected ? 'border-primary bg-raised font-semibold' : 'border-line bg-surface hover:bg-raised',
                isDoubtful && 'border-dashed border-warn!',
              )}
            >
              {ordinal}
              <Icon aria-hidden="true" className={`size-4 ${color}`} />
            </button>
          </li>
        );
      })}
    </ol>
  );
}
