import type { RunState, Wait } from '../run-state.ts';

/** Range of a run's time axis, in milliseconds since 1970. */
export interface TimeRange {
  start: number;
  end: number;
}

/** A wait that the axis shows shorter than it was. Positions in fractions of the axis from 0 to 1. */
export interface CompressedWait {
  kind: Wait['kind'];
  durationMs: number;
  left: number;
  width: number;
}

/** Maps times to positions on the axis, and back. */
export interface TimeScale {
  range: TimeRange;
  compressedWaits: readonly CompressedWait[];
  /** Position from 0 to 1. @param ms milliseconds since 1970 */
  fractionOf: (ms: number) => number;
  /** Milliseconds since 1970. @param fraction from 0 to 1 */
  msAt: (fraction: number) => number;
}

/** Minimum duration of a compressed wait. */
const MIN_WAIT_MS = 2_000;

/** Minimum duration of a compressed wait, as a part of the time without waits. */
const MIN_WAIT_SHARE = 0.1;

/** Width of a compressed wait, as a fraction of the axis. */
const WAIT_WIDTH = 0.06;

/** Maximum width of all compressed waits together, as a fraction of the axis. */
const MAX_WAITS_WIDTH = 0.4;

interface WaitSpan {
  kind: Wait['kind'];
  start: number;
  end: number;
}

/** Part of the axis with one scale. */
interface Segment {
  fromMs: number;
  toMs: number;
  left: number;
  right: number;
}

/** Scale of the time axis. Long waits for a person or a worker are compressed, so that steps stay wide. */
export function timeScaleOf({ waits }: Pick<RunState, 'waits'>, range: TimeRange): TimeScale {
  const spans = spansOf(waits, range);
  const waitedMs = spans.reduce((sum, { start, end }) => sum + end - start, 0);
  const minimumMs = Math.max(MIN_WAIT_MS, (range.end - range.start - waitedMs) * MIN_WAIT_SHARE);
  const compressed = spans.filter(({ start, end }) => end - start >= minimumMs);
  const waitWidth = compressed.length === 0 ? 0 : Math.min(WAIT_WIDTH, MAX_WAITS_WIDTH / compressed.length);
  const compressedMs = compressed.reduce((sum, { start, end }) => sum + end - start, 0);
  const otherMs = Math.max(1, range.end - range.start - compressedMs);
  const otherWidth = 1 - compressed.length * waitWidth;
  const segments: Segment[] = [];
  const compressedWaits: CompressedWait[] = [];
  let [left, fromMs] = [0, range.start];
  const add = (toMs: number, width: number) => {
    segments.push({ fromMs, toMs, left, right: left + width });
    [left, fromMs] = [left + width, toMs];
  };
  for (const { kind, start, end } of compressed) {
    add(start, ((start - fromMs) / otherMs) * otherWidth);
    compressedWaits.push({ kind, durationMs: end - start, left, width: waitWidth });
    add(end, waitWidth);
  }
  add(range.end, ((range.end - fromMs) / otherMs) * otherWidth);
  return {
    range,
    compressedWaits,
    fractionOf(ms) {
      const {
        fromMs: start,
        toMs,
        left: first,
        right,
      } = segments.find((segment) => ms <= segment.toMs) ?? lastOf(segments);
      return clamp(toMs === start ? first : first + ((ms - start) / (toMs - start)) * (right - first));
    },
    msAt(fraction) {
      const {
        fromMs: start,
        toMs,
        left: first,
        right,
      } = segments.find((segment) => clamp(fraction) <= segment.right) ?? lastOf(segments);
      return right === first ? start : start + ((clamp(fraction) - first) / (right - first)) * (toMs - start);
    },
  };
}

const clamp = (fraction: number) => Math.min(1, Math.max(0, fraction));

const lastOf = (segments: readonly Segment[]): Segment => segments.at(-1) ?? { fromMs: 0, toMs: 1, left: 0, right: 1 };

/** Waits within the range, in order and without overlap. */
function spansOf(waits: readonly Wait[], range: TimeRange): WaitSpan[] {
  const spans: WaitSpan[] = [];
  for (const { kind, startedAt, endedAt } of waits) {
    const start = Math.max(Date.parse(startedAt), spans.at(-1)?.end ?? range.start);
    const end = Math.min(endedAt === null ? range.end : Date.parse(endedAt), range.end);
    if (end > start) spans.push({ kind, start, end });
  }
  return spans;
}
