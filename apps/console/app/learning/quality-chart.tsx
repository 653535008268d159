import type { TraceStats, TraceCounts } from '@pilothouse/contract/api/traces.routes';
import { Cell, Table } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { count } from '../shared/number-format.ts';
import { BarLegend, StackedBars } from '../shared/stacked-bars.tsx';
import { goodShare } from './traces/trace-quality.ts';

const series = [
  { quality: 'good', fill: 'fill-good', dot: 'bg-good' },
  { quality: 'bad', fill: 'fill-bad', dot: 'bg-bad' },
  { quality: 'unknown', fill: 'fill-warn', dot: 'bg-warn' },
] as const;

/** Stacked bars of scored steps by the UTC day of their run. */
export function QualityChart({ days }: { days: TraceStats['days'] }) {
  const sumOf = (day: TraceStats['days'][number]) => series.reduce((sum, { quality }) => sum + day[quality], 0);
  const maxSteps = Math.max(1, ...days.map(sumOf));
  const totals = series.map(({ quality, dot }) => ({
    dot,
    text: `${count(days.reduce((sum, day) => sum + day[quality], 0))} ${quality}`,
  }));
  return (
    <figure>
      <StackedBars
        label={`Scored steps per day: ${totals.map(({ text }) => text).join(', ')}; peak ${count(maxSteps)}`}
        max={maxSteps}
        className="h-28"
        bars={days.map((day) => ({
          key: day.day,
          title: `${day.day}: ${series.map(({ quality }) => `${day[quality]} ${quality}`).join(', ')}`,
          parts: series.map(({ quality, fill }) => ({ value: day[quality], fill })),
        }))}
      />
      <BarLegend start={days[0]?.day} end={days.at(-1)?.day} series={totals} />
    </figure>
  );
}

export interface QualityTableProps {
  label: string;
  /** Heading of the first column. */
  name: string;
  rows: readonly (TraceCounts & { name: string; href: string })[];
}

/** Counts of traces and steps by workflow or model. */
export const QualityTable = ({ label, name, rows }: QualityTableProps) => (
  <Table label={label} head={[name, 'Traces', 'To review', 'Good', 'Bad', 'Unknown', 'Good steps (%)']} isFirstFixed>
    {rows.map(({ name: rowName, href, traces, needsReview, good, bad, unknown }) => (
      <tr key={href}>
        <Cell className="max-w-40 min-w-32">
          <Link to={href} className="block truncate hover:underline" title={rowName}>
            {rowName}
          </Link>
        </Cell>
        <Cell>{count(traces)}</Cell>
        <Cell>{count(needsReview)}</Cell>
        <Cell>{count(good)}</Cell>
        <Cell>{count(bad)}</Cell>
        <Cell>{count(unknown)}</Cell>
        <Cell>{goodShare({ good, bad })}</Cell>
      </tr>
    ))}
  </Table>
);
