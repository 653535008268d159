import type { FleetHistory } from '@pilothouse/contract/fleet/fleet.schema';
import { useState } from 'react';
import { frameOf, pathOf, bucketIndexOf } from './fleet-chart-path.ts';
import { count, countOf } from '../shared/number-format.ts';
import { TimeAgo } from '../shared/relative-time.tsx';
import { scalingLabel } from '../shared/labels.ts';

/** Heights of the chart and the decision markers below it, in SVG units. */
const height = 96;
const markerHeight = 14;

const series = [
  { name: 'Queued', color: 'bg-warn' },
  { name: 'Running', color: 'bg-accent' },
  { name: 'Slots', color: 'bg-edge' },
] as const;

const describeSpan = ({ waiting, running, slots, workers }: FleetHistory['spans'][number]) =>
  `${count(waiting)} queued, ${count(running)} running, ${countOf(slots, 'slot')}, ${countOf(workers, 'worker')}`;

/** Queue and slots of a fleet over time, with the scaling decisions. A slider selects a time. */
export function FleetChart({ fleet, history }: { fleet: string; history: FleetHistory }) {
  const frame = frameOf(history);
  const [selected, setSelected] = useState<number>();
  const bucket = Math.min(selected ?? frame.last, frame.bucketCount - 1);
  const span = frame.buckets[bucket];
  const bucketOf = bucketIndexOf(history);
  const decisionsByBucket = Map.groupBy(history.decisions, ({ at: time }) => bucketOf(time));
  const maxWaiting = Math.max(0, ...history.spans.map(({ waiting }) => waiting));
  const bucketTime = new Date(Date.parse(history.from) + bucket * history.stepSeconds * 1_000).toISOString();
  return (
    <figure className="px-3 pb-2">
      <figcaption className="mb-1 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {series.map(({ name, color }) => (
          <span key={name} className="flex items-center gap-1.5">
            <span aria-hidden="true" className={`size-2 rounded-sm ${color}`} /> {name}
          </span>
        ))}
        <span className="flex items-center gap-1.5">
          <span aria-hidden="true">▲ ▼</span> Worker started / stopped
        </span>
      </figcaption>
      <svg
        role="img"
        aria-label={`${fleet}: queue and slots over time; peak queue ${count(maxWaiting)}; ${count(history.decisions.length)} scaling events`}
        viewBox={`0 0 ${frame.bucketCount} ${height + markerHeight}`}
        preserveAspectRatio="none"
        className="h-28 w-full"
        onPointerMove={({ clientX, currentTarget }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          setSelected(Math.max(0, Math.floor(((clientX - left) / width) * frame.bucketCount)));
        }}
        onPointerLeave={() => setSelected(undefined)}
      >
        <path d={pathOf(frame, ({ waiting, running }) => waiting + running, height, true)} className="fill-warn" />
        <path d={pathOf(frame, ({ running }) => running, height, true)} className="fill-accent" />
        <path
          d={pathOf(frame, ({ slots }) => slots, height)}
          className="fill-none stroke-edge"
          strokeWidth={1.5}
          vectorEffect="non-scaling-stroke"
        />
        <rect x={0} y={height} width={frame.bucketCount} height={0.8} className="fill-line" />
        {[...decisionsByBucket].map(([x, decisions]) => {
          const hasStarted = decisions.some(({ action }) => action === 'create');
          const hasStopped = decisions.some(({ action }) => action === 'drain' || action === 'stop');
          const hasFailed = decisions.some(({ error }) => error !== null);
          const markerWidth = frame.bucketCount / 120;
          return (
            <g key={x} className={hasFailed ? 'fill-bad' : 'fill-text'}>
              {hasStarted && (
                <path d={`M${x - markerWidth / 2 + 0.5} ${height + 7}h${markerWidth}l${-markerWidth / 2} -5Z`} />
              )}
              {hasStopped && (
                <path d={`M${x - markerWidth / 2 + 0.5} ${height + 8}h${markerWidth}l${-markerWidth / 2} 5Z`} />
              )}
            </g>
          );
        })}
        {selected !== undefined && (
          <rect x={bucket} y={0} width={frame.bucketCount / 480} height={height + markerHeight} className="fill-text" />
        )}
      </svg>
      <input
        type="range"
        min={0}
        max={frame.bucketCount - 1}
        value={bucket}
        onChange={({ target }) => setSelected(Number(target.value))}
        aria-label={`Time in the chart of ${fleet}`}
        aria-valuetext={span ? describeSpan(span) : 'No data'}
        className="moment h-6 w-full"
      />
      <p className="flex min-h-5 flex-wrap gap-x-3 text-xs text-muted">
        <TimeAgo key={bucketTime} time={bucketTime} />
        {span ? <span>{describeSpan(span)}</span> : <span>No data for this time.</span>}
        {(decisionsByBucket.get(bucket) ?? []).map(({ action, reason, workers, error }) => (
          <span key={`${action} ${reason}`} className={error === null ? 'text-text' : 'text-bad'}>
            {workers} {scalingLabel(action)}: {scalingLabel(reason)}
            {error !== null && ` (${error})`}
          </span>
        ))}
      </p>
    </figure>
  );
}
