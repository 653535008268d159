import { useEffect, useState } from 'react';
import { count } from '../shared/number-format.ts';
import { formatHour } from '../shared/duration.ts';

/** Pixels of the drawing; it is as wide as its place. */
const height = 96;
const gap = 2;
const wide = 24;

const parts = [
  { status: 'completed', name: 'completed', colour: 'fill-good' },
  { status: 'failed', name: 'failed', colour: 'fill-bad' },
  { status: 'cancelled', name: 'cancelled', colour: 'fill-edge' },
] as const;

/** Runs of an hour, by what became of them. */
export interface Hour {
  at: string;
  runs: Readonly<Record<string, number>>;
}

/** Runs by the hour in which they were submitted, what became of them one above the other. Drawn by the server, too. */
export function RunsPerHourChart({ hours }: { hours: readonly Hour[] }) {
  // The server does not know the zone of the viewer: local time comes after the page is alive.
  const [isLocal, setLocal] = useState(false);
  useEffect(() => setLocal(true), []);
  const sum = (runs: Hour['runs']) => Object.values(runs).reduce((all, some) => all + some, 0);
  const most = Math.max(1, ...hours.map(({ runs }) => sum(runs)));
  const words = parts.map(
    ({ status, name }) => `${count(hours.reduce((all, { runs }) => all + (runs[status] ?? 0), 0))} ${name}`,
  );
  return (
    <figure>
      <svg
        role="img"
        aria-label={`Runs by hour: ${words.join(', ')}; ${most} in the busiest hour`}
        viewBox={`0 0 ${hours.length * wide} ${height}`}
        preserveAspectRatio="none"
        className="h-24 w-full"
      >
        {hours.map(({ at, runs }, index) => {
          let top = height;
          const open = sum(runs) - parts.reduce((all, { status }) => all + (runs[status] ?? 0), 0);
          const bars = [
            ...parts.map(({ status, colour }) => ({ runs: runs[status] ?? 0, colour })),
            { runs: open, colour: 'fill-live' },
          ];
          return (
            <g key={at}>
              <title>{`${formatHour(at, isLocal)}: ${sum(runs)} runs, ${runs.failed ?? 0} failed`}</title>
              <rect x={index * wide} y={0} width={wide} height={height} className="fill-transparent" />
              {bars.map(({ runs: some, colour }) => {
                const tall = (some / most) * (height - 4);
                top -= tall;
                return (
                  some > 0 && (
                    <rect
                      key={colour}
                      x={index * wide + gap}
                      y={top}
                      width={wide - 2 * gap}
                      height={tall}
                      className={colour}
                    />
                  )
                );
              })}
              <rect x={index * wide + gap} y={height - 1} width={wide - 2 * gap} height={1} className="fill-line" />
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
