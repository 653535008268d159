import { classes } from '@pilothouse/ui-kit';
import { useEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { elapsedMs, formatDuration } from '../../shared/duration.ts';
import { countOf } from '../../shared/number-format.ts';
import { stepStatusLabels, type StepDisplayStatus } from '../../shared/status-badge.tsx';
import { displayStatusOf } from '../run-state-selectors.ts';
import type { RunState, StepState } from '../run-state.ts';
import {
  frameAt,
  framesOf,
  placeFrames,
  stepAt,
  stepBarsOf,
  tickLabel,
  ticksOf,
  timeRangeOf,
  type Frame,
} from './time-axis.ts';
import { timeScaleOf, type CompressedWait, type TimeScale } from './time-scale.ts';
import { turnAt, turnBarsOf, turnOutcomeLabels, turnTimesOf, type TurnOutcome, type TurnTime } from './turn-bars.ts';
import { waitText, WaitMark } from './wait-mark.tsx';

/** Milliseconds between two updates of the axis of an active run. */
const REFRESH_MS = 1_000;

/** Widths in CSS pixels. */
const FRAME_GAP_PX = 4;
const WIDE_FRAME_PX = 92;
const NARROW_FRAME_PX = 62;
const TICK_PX = 80;
const PREVIEW_PX = 288;

/** Height of a frame divided by its width. */
const FRAME_HEIGHT_RATIO = 0.625;

/** Steps that Page Up and Page Down skip. */
const STEPS_PER_PAGE = 10;

export interface ScreenshotTimelineProps {
  state: RunState;
  selected: number | undefined;
  onSelect: (step: number) => void;
}

/** Steps of a run on a time axis, with screenshots. It renders nothing before the first step. */
export function ScreenshotTimeline({ state, selected, onSelect }: ScreenshotTimelineProps) {
  const now = useNow(state.finishedAt === null);
  const range = timeRangeOf(state, now);
  if (!range) return null;
  return <TimeAxis state={state} selected={selected} onSelect={onSelect} scale={timeScaleOf(state, range)} />;
}

/** Step and time at the pointer, in milliseconds since 1970. */
interface PointerTarget {
  step: StepState;
  ms: number;
}

function TimeAxis({ state, selected, onSelect, scale }: ScreenshotTimelineProps & { scale: TimeScale }) {
  const axis = useRef<HTMLDivElement>(null);
  const width = useWidth(axis);
  const [pointerTarget, setPointerTarget] = useState<PointerTarget>();
  const started = state.steps.filter(({ startedAt }) => startedAt !== null);
  const position = started.findIndex(({ index }) => index === selected);
  const current = started[position];
  const frames = framesOf(state);
  const frameWidth = width < 600 ? NARROW_FRAME_PX : WIDE_FRAME_PX;
  const frameHeight = Math.round(frameWidth * FRAME_HEIGHT_RATIO);
  const { stepMs, ticks } = ticksOf(scale, Math.max(2, Math.floor((width || 800) / TICK_PX)));
  const { compressedWaits, fractionOf } = scale;

  const point = ({ clientX }: { clientX: number }) => {
    const box = axis.current?.getBoundingClientRect();
    if (!box) return;
    const ms = scale.msAt((clientX - box.left) / box.width);
    const step = stepAt(state.steps, ms);
    setPointerTarget(step && { step, ms });
    return step;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') return setPointerTarget(undefined);
    const next = { ...keyMoves[event.key] };
    if (next.distance === undefined && next.index === undefined) return;
    event.preventDefault();
    const target = Math.min(started.length - 1, Math.max(0, next.index ?? position + (next.distance ?? 0)));
    const step = started.at(target);
    if (!step) return;
    onSelect(step.index);
    setPointerTarget({ step, ms: Date.parse(step.finishedAt ?? step.startedAt ?? '') });
  };

  return (
    <div className="relative mb-3">
      <div
        ref={axis}
        role="slider"
        tabIndex={0}
        aria-label="Steps on the time axis"
        aria-valuemin={1}
        aria-valuemax={started.length}
        aria-valuenow={position < 0 ? 1 : position + 1}
        aria-valuetext={current ? valueText(current, state) : 'No step selected'}
        onKeyDown={onKeyDown}
        onPointerMove={point}
        onPointerLeave={() => setPointerTarget(undefined)}
        onBlur={() => setPointerTarget(undefined)}
        onClick={(event) => {
          const step = point(event);
          if (step) onSelect(step.index);
        }}
        className="cursor-pointer touch-pan-y overflow-hidden rounded-lg border border-line bg-surface select-none"
      >
        {frames.length > 0 && (
          <div className="relative bg-raised" style={{ height: frameHeight + 2 * FRAME_GAP_PX }}>
            {width > 0 &&
              placeFrames(frames, scale, width, frameWidth + FRAME_GAP_PX).map(({ frame, left }) => (
                <img
                  key={frame.artifact.id}
                  src={`/runs/${state.run}/files/${frame.artifact.id}`}
                  alt=""
                  draggable={false}
                  decoding="async"
                  className={classes(
                    'absolute rounded-sm border object-cover object-top',
                    frame.artifact.step === selected ? 'border-primary ring-1 ring-primary' : 'border-line',
                  )}
                  style={{
                    left: left + FRAME_GAP_PX / 2,
                    top: FRAME_GAP_PX,
                    width: frameWidth,
                    height: frameHeight,
                  }}
                />
              ))}
          </div>
        )}
        <div className="relative mx-px h-5 border-t border-line">
          {stepBarsOf(state.steps, scale).map(({ step, left, width: barWidth }) => (
            <span
              key={step.index}
              className={classes(
                'absolute inset-y-1 min-w-0.75 rounded-sm',
                // The bars of its turns are drawn above.
                step.turns.length > 0 && step.finishedAt !== null
                  ? 'bg-edge/30'
                  : barColors[displayStatusOf(step, state.status)],
                step.index === selected && 'outline-2 outline-offset-1 outline-primary',
              )}
              style={{ left: percent(left), width: `max(3px, calc(${percent(barWidth)} - 1px))` }}
            />
          ))}
          {turnBarsOf(state.steps, scale).map(({ step, turn, outcome, left, width: barWidth }) => (
            <span
              key={`${step.index} ${turn.branch} ${turn.turn}`}
              data-turn={turn.turn}
              className={classes('absolute inset-y-1 rounded-sm', turnColors[outcome])}
              style={{ left: percent(left), width: `max(2px, calc(${percent(barWidth)} - 2px))` }}
            />
          ))}
          {compressedWaits.map((wait) => (
            <WaitMark key={wait.left} wait={wait} axisPx={width} />
          ))}
          {pointerTarget && (
            <span
              className="absolute -top-px bottom-0 w-px bg-text"
              style={{ left: percent(fractionOf(pointerTarget.ms)) }}
            />
          )}
        </div>
        <div className="relative h-4 text-[0.6875rem] leading-4 text-muted">
          {ticks.map(
            ({ ms, left }) =>
              // A label at the end would be cut off.
              left < 0.96 && (
                <span key={ms} className="absolute border-l border-line pl-1" style={{ left: percent(left) }}>
                  {tickLabel(ms, stepMs)}
                </span>
              ),
          )}
        </div>
      </div>
      {pointerTarget && (
        <Preview
          pointerTarget={pointerTarget}
          frame={frameAt(frames, pointerTarget.step.index, pointerTarget.ms)}
          state={state}
          startMs={scale.range.start}
          wait={compressedWaits.find(({ left, width: share }) => {
            const fraction = fractionOf(pointerTarget.ms);
            return fraction > left && fraction < left + share;
          })}
          left={Math.max(0, Math.min(width - PREVIEW_PX, fractionOf(pointerTarget.ms) * width - PREVIEW_PX / 2))}
        />
      )}
    </div>
  );
}

const percent = (fraction: number) => `${(fraction * 100).toFixed(3)}%`;

interface PreviewProps {
  pointerTarget: PointerTarget;
  frame: Frame | undefined;
  state: RunState;
  /** Start of the axis, in milliseconds since 1970. */
  startMs: number;
  /** Compressed wait at the pointer. */
  wait: CompressedWait | undefined;
  left: number;
}

/** Screenshot and step at the pointer. */
function Preview({ pointerTarget: { step, ms }, frame, state, startMs, wait, left }: PreviewProps) {
  const duration = step.finishedAt === null ? undefined : elapsedMs(step.startedAt, step.finishedAt, 0);
  const turnTime = turnAt(step, ms);
  return (
    <div
      data-preview
      className="pointer-events-none absolute top-full z-20 mt-1 grid gap-1.5 rounded-lg border border-line bg-surface p-2 text-xs shadow-lg"
      style={{ left, width: PREVIEW_PX, maxWidth: '100%' }}
    >
      {frame && (
        <img
          src={`/runs/${state.run}/files/${frame.artifact.id}`}
          alt={`${frame.artifact.moment === 'before' ? 'Before' : 'Screenshot of'} ${step.title}`}
          className="max-h-48 w-full rounded border border-line bg-raised object-contain"
        />
      )}
      <p className="font-medium wrap-anywhere">
        <span className="text-muted">{step.number}</span> {step.title}
      </p>
      {turnTime && (
        <p className="wrap-anywhere">
          {turnText(turnTime)}
          {turnTime.turn.thought && <span className="block text-muted">{turnTime.turn.thought}</span>}
        </p>
      )}
      {wait && <p>{waitText(wait)}</p>}
      <p className="flex flex-wrap gap-x-2 text-muted">
        <span>{stepStatusLabels[displayStatusOf(step, state.status)].label}</span>
        <span>at {formatDuration(ms - startMs)}</span>
        {duration !== undefined && <span>duration {formatDuration(duration)}</span>}
      </p>
    </div>
  );
}

const barColors: Readonly<Record<StepDisplayStatus, string>> = {
  pending: 'bg-edge/40',
  running: 'bg-live animate-pulse',
  retrying: 'bg-warn',
  completed: 'bg-good/70',
  failed: 'bg-bad',
  skipped: 'bg-edge/40',
  interrupted: 'bg-warn',
  cancelled: 'bg-edge',
};

const turnColors: Readonly<Record<TurnOutcome, string>> = {
  completed: 'bg-good/70',
  failed: 'bg-bad',
  problem: 'bg-warn',
};

/** A turn in words: `Turn 2, 1.4 s, Done`. */
const turnText = ({ turn, startMs, endMs, outcome }: TurnTime): string =>
  `Turn ${turn.branch === null ? '' : `${turn.branch} `}${turn.turn}, ${formatDuration(endMs - startMs)}, ${turnOutcomeLabels[outcome]}`;

const keyMoves: Readonly<Record<string, { distance?: number; index?: number }>> = {
  ArrowRight: { distance: 1 },
  ArrowDown: { distance: 1 },
  ArrowLeft: { distance: -1 },
  ArrowUp: { distance: -1 },
  PageDown: { distance: STEPS_PER_PAGE },
  PageUp: { distance: -STEPS_PER_PAGE },
  Home: { index: 0 },
  End: { index: Infinity },
};

const valueText = (step: StepState, { status }: RunState): string =>
  [
    `${step.number} ${step.title}`,
    stepStatusLabels[displayStatusOf(step, status)].label,
    ...(step.turns.length > 0 ? [countOf(turnTimesOf(step).length, 'turn')] : []),
  ].join(', ');

/** Current time of an active run; null while the server renders, and after the run has ended. */
function useNow(isActive: boolean): number | null {
  const [now, setNow] = useState<number | null>(null);
  useEffect(() => {
    if (!isActive) return setNow(null);
    const update = () => setNow(Date.now());
    update();
    const timer = setInterval(update, REFRESH_MS);
    return () => clearInterval(timer);
  }, [isActive]);
  return now;
}

/** Width of an element in CSS pixels; 0 before it is known. */
function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element.current) return undefined;
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
