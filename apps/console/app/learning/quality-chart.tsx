import type { TraceStats } from '@pilothouse/contract/api/traces.routes';
import { count } from '../shared/number-format.ts';
import { BarLegend, StackedBars } from '../shared/stacked-bars.tsx';

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
