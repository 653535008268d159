import { useEffect, useState } from 'react';
import { count, countOf } from '../shared/number-format.ts';
import { formatHour } from '../shared/duration.ts';
import { StackedBars } from '../shared/stacked-bars.tsx';

const series = [
  { status: 'completed', name: 'completed', color: 'fill-good' },
  { status: 'failed', name: 'failed', color: 'fill-bad' },
  { status: 'cancelled', name: 'cancelled', color: 'fill-edge' },
] as const;

/** Runs of one hour by status. */
export interface HourlyRuns {
  at: string;
  runs: Readonly<Record<string, number>>;
}

/** Stacked bars of runs by the hour of their creation. Also rendered on the server. */
export function RunsPerHourChart({ hours }: { hours: readonly HourlyRuns[] }) {
  // The server does not know the time zone of the viewer: local time appears after hydration.
  const [isLocal, setIsLocal] = useState(false);
  useEffect(() => setIsLocal(true), []);
  const sum = (runs: HourlyRuns['runs']) => Object.values(runs).reduce((total, value) => total + value, 0);
  const maxRuns = Math.max(1, ...hours.map(({ runs }) => sum(runs)));
  const labels = series.map(
    ({ status, name }) => `${count(hours.reduce((total, { runs }) => total + (runs[status] ?? 0), 0))} ${name}`,
  );
  return (
    <figure>
      <StackedBars
        label={`Runs per hour: ${labels.join(', ')}; peak ${maxRuns}`}
        max={maxRuns}
        className="h-24"
        bars={hours.map(({ at: hour, runs }) => {
          const ended = series.map(({ status, color }) => ({ value: runs[status] ?? 0, fill: color }));
          const openRuns = sum(runs) - ended.reduce((total, { value }) => total + value, 0);
          return {
            key: hour,
            title: `${formatHour(hour, isLocal)}: ${countOf(sum(runs), 'run')}, ${runs.failed ?? 0} failed`,
            parts: [...ended, { value: openRuns, fill: 'fill-live' }],
          };
        })}
      />
      <figcaption className="mt-1 flex justify-between text-xs text-muted">
        <span>{hours.length} h ago</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}
