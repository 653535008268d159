import type { FleetHistory } from '@pilothouse/contract';
import { useState } from 'react';
import { frameOf, pathOf, bucketIndexOf } from './fleet-chart-path.ts';
import { count } from '../shared/number-format.ts';
import { TimeAgo } from '../shared/relative-time.tsx';
import { scalingLabel } from '../shared/labels.ts';

/** Units of the drawing, which is as wide as its place; below it stand the marks of decisions. */
const height = 96;
const marks = 14;

const figures = [
  { name: 'Wait', colour: 'bg-warn' },
  { name: 'At work', colour: 'bg-accent' },
  { name: 'Slots', colour: 'bg-edge' },
] as const;

const said = ({ waiting, running, slots, workers }: FleetHistory['spans'][number]) =>
  `waiting ${count(waiting)}, at work ${count(running)}, slots ${count(slots)}, workers ${count(workers)}`;

/** How a fleet stood over time, and when workers came and went. Any moment is looked at with the slider below. */
export function FleetChart({ fleet, history }: { fleet: string; history: FleetHistory }) {
  const frame = frameOf(history);
  const [chosen, setChosen] = useState<number>();
  const bucket = Math.min(chosen ?? frame.last, frame.bucketCount - 1);
  const looked = frame.at[bucket];
  const bucketOf = bucketIndexOf(history);
  const workerActions = Map.groupBy(history.decisions, ({ at }) => bucketOf(at));
  const most = Math.max(0, ...history.spans.map(({ waiting }) => waiting));
  const at = new Date(Date.parse(history.from) + bucket * history.stepSeconds * 1_000).toISOString();
  return (
    <figure className="px-3 pb-2">
      <figcaption className="mb-1 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {figures.map(({ name, colour }) => (
          <span key={name} className="flex items-center gap-1.5">
            <span aria-hidden="true" className={`size-2 rounded-sm ${colour}`} /> {name}
          </span>
        ))}
        <span className="flex items-center gap-1.5">
          <span aria-hidden="true">▲ ▼</span> Workers came, went
        </span>
      </figcaption>
      <svg
        role="img"
        aria-label={`Queue and slots of ${fleet} over time: at most ${count(most)} waited; ${count(history.decisions.length)} decisions`}
        viewBox={`0 0 ${frame.bucketCount} ${height + marks}`}
        preserveAspectRatio="none"
        className="h-28 w-full"
        onPointerMove={({ clientX, currentTarget }) => {
          const { left, width } = currentTarget.getBoundingClientRect();
          setChosen(Math.max(0, Math.floor(((clientX - left) / width) * frame.bucketCount)));
        }}
        onPointerLeave={() => setChosen(undefined)}
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
        {[...workerActions].map(([where, some]) => {
          const came = some.some(({ action }) => action === 'create');
          const went = some.some(({ action }) => action === 'drain' || action === 'stop');
          const failed = some.some(({ error }) => error !== null);
          const wide = frame.bucketCount / 120;
          return (
            <g key={where} className={failed ? 'fill-bad' : 'fill-text'}>
              {came && <path d={`M${where - wide / 2 + 0.5} ${height + 7}h${wide}l${-wide / 2} -5Z`} />}
              {went && <path d={`M${where - wide / 2 + 0.5} ${height + 8}h${wide}l${-wide / 2} 5Z`} />}
            </g>
          );
        })}
        {chosen !== undefined && (
          <rect x={bucket} y={0} width={frame.bucketCount / 480} height={height + marks} className="fill-text" />
        )}
      </svg>
      <input
        type="range"
        min={0}
        max={frame.bucketCount - 1}
        value={bucket}
        onChange={({ target }) => setChosen(Number(target.value))}
        aria-label={`Moment of ${fleet}`}
        aria-valuetext={looked ? said(looked) : 'not known'}
        className="moment h-6 w-full"
      />
      <p className="flex min-h-5 flex-wrap gap-x-3 text-xs text-muted">
        <TimeAgo key={at} at={at} />
        {looked ? <span>{said(looked)}</span> : <span>Nobody looked then.</span>}
        {(workerActions.get(bucket) ?? []).map(({ action, reason, workers, error }) => (
          <span key={`${action} ${reason}`} className={error === null ? 'text-text' : 'text-bad'}>
            {workers} {scalingLabel(action)}: {scalingLabel(reason)}
            {error !== null && ` (${error})`}
          </span>
        ))}
      </p>
    </figure>
  );
}
