import type { FleetHistory } from '@pilothouse/contract';

type Span = FleetHistory['spans'][number];

/** What a history is drawn in: places are numbered from 0, one a span. */
export interface ChartFrame {
  bucketCount: number;
  /** What stands in each place; undefined where nobody looked. */
  buckets: readonly (Span | undefined)[];
  /** The last one that is known, or the last of all. */
  last: number;
  /** The most of any figure that is drawn, at least 1. */
  max: number;
}

/** Puts the spans of a history in their places. */
export function frameOf({ from, to, stepSeconds, spans }: FleetHistory): ChartFrame {
  const bucketOf = bucketIndexOf({ from, stepSeconds });
  const bucketCount = Math.round((Date.parse(to) - Date.parse(from)) / (stepSeconds * 1_000));
  const buckets = Array.from<Span | undefined>({ length: bucketCount });
  for (const span of spans) buckets[bucketOf(span.at)] = span;
  const max = Math.max(1, ...spans.map(({ waiting, running, slots }) => Math.max(waiting + running, slots)));
  const lastKnown = buckets.findLastIndex((span) => span !== undefined);
  return { bucketCount, buckets, last: lastKnown < 0 ? bucketCount - 1 : lastKnown, max };
}

/** Says in which place an instant stands. */
export const bucketIndexOf =
  ({ from, stepSeconds }: Pick<FleetHistory, 'from' | 'stepSeconds'>) =>
  (at: string): number =>
    Math.floor((Date.parse(at) - Date.parse(from)) / (stepSeconds * 1_000));

/** Places that follow each other without a gap, `[first, after the last]`. */
function continuousRanges(buckets: ChartFrame['buckets']): [number, number][] {
  const ranges: [number, number][] = [];
  buckets.forEach((span, bucket) => {
    if (!span) return;
    const last = ranges.at(-1);
    if (last?.[1] === bucket) last[1] = bucket + 1;
    else ranges.push([bucket, bucket + 1]);
  });
  return ranges;
}

/**
 * An SVG path along the tops of values, flat over each place; it breaks off where nobody looked.
 * @param value of a span, from 0 to `most` of the frame
 * @param height of the drawing; values grow upwards
 * @param isArea closed along the ground
 */
export function pathOf(
  { buckets, max }: ChartFrame,
  value: (span: Span) => number,
  height: number,
  isArea = false,
): string {
  const up = (span: Span | undefined) => round(height - ((span ? value(span) : 0) / max) * height);
  return continuousRanges(buckets)
    .map(([first, after]) => {
      const steps = buckets.slice(first, after).map((span, index) => `V${up(span)}H${first + index + 1}`);
      return isArea
        ? `M${first} ${height}${steps.join('')}V${height}Z`
        : `M${first} ${up(buckets[first])}${steps.join('').replace(/^V[\d.]+/, '')}`;
    })
    .join('');
}

const round = (value: number) => Math.round(value * 100) / 100;
