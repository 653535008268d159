import type { FleetHistory } from '@pilothouse/contract/fleet/fleet.schema';

type Span = FleetHistory['spans'][number];

/** Frame of a chart: one bucket for each time span. */
export interface ChartFrame {
  bucketCount: number;
  /** Span of each bucket; undefined where no data was recorded. */
  buckets: readonly (Span | undefined)[];
  /** Index of the last recorded bucket, else of the last bucket. */
  last: number;
  /** Highest drawn value, at least 1. */
  max: number;
}

/** Assigns the spans of a history to buckets. */
export function frameOf({ from: start, to: end, stepSeconds, spans }: FleetHistory): ChartFrame {
  const bucketOf = bucketIndexOf({ from: start, stepSeconds });
  const bucketCount = Math.round((Date.parse(end) - Date.parse(start)) / (stepSeconds * 1_000));
  const buckets = Array.from<Span | undefined>({ length: bucketCount });
  for (const span of spans) buckets[bucketOf(span.at)] = span;
  const max = Math.max(1, ...spans.map(({ waiting, running, slots }) => Math.max(waiting + running, slots)));
  const lastFilled = buckets.findLastIndex((span) => span !== undefined);
  return { bucketCount, buckets, last: lastFilled < 0 ? bucketCount - 1 : lastFilled, max };
}

/** Returns a function that maps a time to its bucket. */
export const bucketIndexOf =
  ({ from: start, stepSeconds }: Pick<FleetHistory, 'from' | 'stepSeconds'>) =>
  (time: string): number =>
    Math.floor((Date.parse(time) - Date.parse(start)) / (stepSeconds * 1_000));

/** Ranges of consecutive recorded buckets, `[first, after the last]`. */
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
 * SVG path of a step chart, with gaps where no data was recorded.
 * @param value value of a span, from 0 to `max` of the frame
 * @param height height of the chart
 * @param isArea closes the path along the bottom
 */
export function pathOf(
  { buckets, max }: ChartFrame,
  value: (span: Span) => number,
  height: number,
  isArea = false,
): string {
  const yOf = (span: Span | undefined) => round(height - ((span ? value(span) : 0) / max) * height);
  return continuousRanges(buckets)
    .map(([first, end]) => {
      const steps = buckets.slice(first, end).map((span, index) => `V${yOf(span)}H${first + index + 1}`);
      return isArea
        ? `M${first} ${height}${steps.join('')}V${height}Z`
        : `M${first} ${yOf(buckets[first])}${steps.join('').replace(/^V[\d.]+/, '')}`;
    })
    .join('');
}

const round = (value: number) => Math.round(value * 100) / 100;
