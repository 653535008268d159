import { useEffect, useState } from 'react';
import { count } from '../shared/number-format.ts';
import { formatHour } from '../shared/duration.ts';

/** Sizes in SVG units. */
const height = 96;
const gap = 2;
const barWidth = 24;

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

/** Stacked bars of runs by the hour of their submission. Rendered on the server, too. */
export function RunsPerHourChart({ hours }: { hours: readonly HourlyRuns[] }) {
  // The server does not know the time zone of the viewer: local time appears after hydration.
  const [isLocal, setIsLocal] = useState(false);
  useEffect(() => setIsLocal(true), []);
  const sum = (runs: HourlyRuns['runs']) => Object.values(runs).reduce((all, value) => all + value, 0);
  const maxRuns = Math.max(1, ...hours.map(({ runs }) => sum(runs)));
  const labels = series.map(
    ({ status, name }) => `${count(hours.reduce((all, { runs }) => all + (runs[status] ?? 0), 0))} ${name}`,
  );
  return (
    <figure>
      <svg
        role="img"
        aria-label={`Runs by hour: ${labels.join(', ')}; ${maxRuns} in the busiest hour`}
        viewBox={`0 0 ${hours.length * barWidth} ${height}`}
        preserveAspectRatio="none"
        className="h-24 w-full"
      >
        {hours.map(({ at, runs }, index) => {
          let top = height;
          const open = sum(runs) - series.reduce((all, { status }) => all + (runs[status] ?? 0), 0);
          const bars = [
            ...series.map(({ status, color }) => ({ runs: runs[status] ?? 0, color })),
            { runs: open, color: 'fill-live' },
          ];
          return (
            <g key={at}>
              <title>{`${formatHour(at, isLocal)}: ${sum(runs)} runs, ${runs.failed ?? 0} failed`}</title>
              <rect x={index * barWidth} y={0} width={barWidth} height={height} className="fill-transparent" />
              {bars.map(({ runs: value, color }) => {
                const barHeight = (value / maxRuns) * (height - 4);
                top -= barHeight;
                return (
                  value > 0 && (
                    <rect
                      key={color}
                      x={index * barWidth + gap}
                      y={top}
                      width={barWidth - 2 * gap}
                      height={barHeight}
                      className={color}
                    />
                  )
                );
              })}
              <rect
                x={index * barWidth + gap}
                y={height - 1}
                width={barWidth - 2 * gap}
                height={1}
                className="fill-line"
              />
            </g>
          );
        })}
      </svg>
      <figcaption className="mt-1 flex justify-between text-xs text-muted">
        <span>{hours.length} h ago</span>
        <span>now</span>
      </figcaption>
    </figure>
  );
}
