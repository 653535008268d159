import type { RunArtifact, RunState, StepState } from '../run-state.ts';
import type { TimeRange, TimeScale } from './time-scale.ts';

/** A screenshot with its position on the time axis. */
export interface Frame {
  artifact: RunArtifact;
  /** Milliseconds since 1970. */
  timeMs: number;
}

/** The part of the axis that a step covers, in fractions of the axis from 0 to 1. */
export interface StepBar {
  step: StepState;
  left: number;
  width: number;
}

/** Neighboring bars that are narrower than this fraction together are drawn as one. */
const MIN_BAR_WIDTH = 0.002;

const startedSteps = (steps: readonly StepState[]) => steps.filter(({ startedAt }) => startedAt !== null);

/**
 * Time from the start of a run to its end, or to now.
 * @param now milliseconds since 1970; null: unknown
 * @returns null before the first step
 */
export function timeRangeOf(state: RunState, now: number | null): TimeRange | null {
  const { steps, startedAt, finishedAt } = state;
  const started = startedSteps(steps);
  if (started.length === 0) return null;
  const times = [startedAt, ...started.flatMap((step) => [step.startedAt, step.finishedAt])].flatMap((time) =>
    time === null ? [] : [Date.parse(time)],
  );
  const start = times.reduce((first, time) => Math.min(first, time), Infinity);
  const last = times.reduce((latest, time) => Math.max(latest, time), start);
  const end = finishedAt === null ? Math.max(last, now ?? last) : Math.max(last, Date.parse(finishedAt));
  return { start, end: Math.max(end, start + 1) };
}

/** Bars of the steps that have started. A step without an end reaches to the end of the axis, or to the next step. */
export function stepBarsOf(steps: readonly StepState[], { fractionOf }: Pick<TimeScale, 'fractionOf'>): StepBar[] {
  const started = startedSteps(steps);
  const bars: StepBar[] = [];
  started.forEach((step, index) => {
    const next = started[index + 1]?.startedAt;
    const left = fractionOf(Date.parse(step.startedAt ?? ''));
    const end = step.finishedAt ?? next;
    const right = end ? fractionOf(Date.parse(end)) : 1;
    const bar = { step, left, width: Math.max(0, right - left) };
    const previous = bars.at(-1);
    const isMerged = previous && left + bar.width - previous.left < MIN_BAR_WIDTH;
    // A failed step stays visible among many short ones.
    if (!isMerged) bars.push(bar);
    else if (step.status === 'failed') bars[bars.length - 1] = { ...bar, left: previous.left };
  });
  return bars;
}

/** Screenshots in order of time. The start or end of the step is more exact than the upload time. */
export function framesOf({ artifacts, steps }: Pick<RunState, 'artifacts' | 'steps'>): Frame[] {
  const byIndex = new Map(steps.map((step) => [step.index, step]));
  return artifacts
    .filter(({ kind }) => kind === 'screenshot')
    .map((artifact) => {
      const step = artifact.step === null ? undefined : byIndex.get(artifact.step);
      const stepTime =
        artifact.moment === 'before'
          ? step?.startedAt
          : artifact.moment === 'after' || artifact.moment === 'failed'
            ? step?.finishedAt
            : null;
      return { artifact, timeMs: Date.parse(stepTime ?? artifact.createdAt) };
    })
    .sort((a, b) => a.timeMs - b.timeMs);
}

/**
 * Places frames side by side, close to their times and without overlap. If not all fit, evenly spaced ones are shown.
 * @param frameWidth width of a frame with its gap, in the same unit as `width`
 */
export function placeFrames(
  frames: readonly Frame[],
  { fractionOf }: Pick<TimeScale, 'fractionOf'>,
  width: number,
  frameWidth: number,
): { frame: Frame; left: number }[] {
  const slots = Math.max(1, Math.floor(width / frameWidth));
  const shownFrames =
    frames.length <= slots
      ? frames
      : Array.from({ length: slots }, (_, slot) =>
          frames.at(slots === 1 ? -1 : Math.round((slot * (frames.length - 1)) / (slots - 1))),
        ).filter((frame) => frame !== undefined);
  const placements = shownFrames.map((frame) => ({ frame, left: fractionOf(frame.timeMs) * width - frameWidth / 2 }));
  let free = 0;
  for (const placement of placements) {
    placement.left = Math.max(placement.left, free);
    free = placement.left + frameWidth;
  }
  let limit = width;
  for (const placement of placements.toReversed()) {
    placement.left = Math.min(placement.left, limit - frameWidth);
    limit = placement.left;
  }
  return placements;
}

/** The step that was active at a time. Before the first step: the first step. */
export function stepAt(steps: readonly StepState[], ms: number): StepState | undefined {
  const started = startedSteps(steps);
  return started.findLast(({ startedAt }) => Date.parse(startedAt ?? '') <= ms) ?? started[0];
}

/** The screenshot that shows a step at a time: the nearest one of the step, otherwise the last one before the time. */
export function frameAt(frames: readonly Frame[], step: number, ms: number): Frame | undefined {
  const own = frames.filter(({ artifact }) => artifact.step === step);
  return own.length > 0
    ? own.reduce((nearest, frame) => (Math.abs(frame.timeMs - ms) < Math.abs(nearest.timeMs - ms) ? frame : nearest))
    : frames.findLast(({ timeMs }) => timeMs <= ms);
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Minimum distance of two labels, as a part of the space for each. */
const MIN_TICK_SHARE = 0.7;

/** Intervals between two labels, up to 12 hours. */
const tickIntervalsMs = [
  ...[100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000],
  ...[1, 3, 6, 12].map((hours) => hours * HOUR_MS),
];

/** Label of the axis. */
export interface Tick {
  /** Milliseconds from the start of the axis. */
  ms: number;
  /** Position from 0 to 1. */
  left: number;
}

/** Evenly spaced labels of the axis, without those inside of compressed waits. @param max maximum number of labels */
export function ticksOf(
  { range, compressedWaits, fractionOf, msAt }: TimeScale,
  max: number,
): { stepMs: number; ticks: Tick[] } {
  const compressedMs = compressedWaits.reduce((sum, { durationMs }) => sum + durationMs, 0);
  const compressedWidth = compressedWaits.reduce((sum, { width }) => sum + width, 0);
  const length = (range.end - range.start - compressedMs) / (1 - compressedWidth);
  const stepMs = tickIntervalsMs.find((ms) => length / ms <= max) ?? Math.ceil(length / max / DAY_MS) * DAY_MS;
  const ticks: Tick[] = [];
  let left = 0;
  // Each part between two compressed waits.
  for (const end of [...compressedWaits.map((wait) => wait.left), 1]) {
    const [fromMs, toMs] = [msAt(left) - range.start, msAt(end) - range.start];
    for (let ms = Math.ceil(fromMs / stepMs) * stepMs; ms <= toMs; ms += stepMs) {
      const position = fractionOf(range.start + ms);
      if (position - (ticks.at(-1)?.left ?? -1) >= MIN_TICK_SHARE / max) ticks.push({ ms, left: position });
    }
    left = end + (compressedWaits.find((wait) => wait.left === end)?.width ?? 0);
  }
  return { stepMs, ticks };
}

/** Label of a time on the axis: `0.5 s`, `1:05`, `2:00:00`. */
export function tickLabel(ms: number, step: number): string {
  if (step < 1_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60];
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  return hours > 0
    ? `${hours}:${twoDigits(minutes)}:${twoDigits(seconds % 60)}`
    : `${minutes}:${twoDigits(seconds % 60)}`;
}
