import type { TraceCounts } from '@pilothouse/contract/api/traces.routes';
import type { TraceQuality } from '@pilothouse/contract/learning/trace.schema';
import type { Tone } from '@pilothouse/ui-kit';

/** Label and tone of qualities. */
export const traceQualityLabels: Readonly<Record<TraceQuality, { label: string; tone: Tone }>> = {
  good: { label: 'Good', tone: 'good' },
  bad: { label: 'Bad', tone: 'bad' },
  unknown: { label: 'Unknown', tone: 'warn' },
};

/** Share of good steps among the decided ones: `75%`. A dash without decided steps. */
export const goodShare = ({ good, bad }: Pick<TraceCounts, 'good' | 'bad'>): string =>
  good + bad === 0 ? '—' : `${Math.floor((good / (good + bad)) * 100)}%`;

/** Cohen's κ: `0.82`. A dash if it is not defined. */
export const formatKappa = (kappa: number | null): string => (kappa === null ? '—' : kappa.toFixed(2));
