/** Sizes in SVG units. */
const HEIGHT = 96;
const BAR_WIDTH = 24;
const GAP = 2;

export interface StackedBar {
  readonly key: string;
  /** Text of the tooltip. */
  readonly title: string;
  /** Parts from bottom to top, with a CSS class for the color. */
  readonly parts: readonly { readonly value: number; readonly fill: string }[];
}

interface StackedBarsProps {
  readonly bars: readonly StackedBar[];
  /** Value of a bar of full height. */
  readonly max: number;
  /** Accessible summary. */
  readonly label: string;
  /** CSS class for the height. */
  readonly className: string;
}

/** Bar chart whose bars have colored parts. Also rendered on the server. */
export const StackedBars = ({ bars, max, label, className }: StackedBarsProps) => (
  <svg
    role="img"
    aria-label={label}
    viewBox={`0 0 ${bars.length * BAR_WIDTH} ${HEIGHT}`}
    preserveAspectRatio="none"
    className={`${className} w-full`}
  >
    {bars.map((bar, index) => (
      <Bar key={bar.key} bar={bar} x={index * BAR_WIDTH} max={max} />
    ))}
  </svg>
);

function Bar({ bar: { title, parts }, x, max }: { bar: StackedBar; x: number; max: number }) {
  const inner = { x: x + GAP, width: BAR_WIDTH - 2 * GAP };
  let top = HEIGHT;
  return (
    <g>
      <title>{title}</title>
      <rect x={x} y={0} width={BAR_WIDTH} height={HEIGHT} className="fill-transparent" />
      {parts.map(({ value, fill }) => {
        const height = (value / max) * (HEIGHT - 4);
        top -= height;
        return height > 0 && <rect key={fill} {...inner} y={top} height={height} className={fill} />;
      })}
      <rect {...inner} y={HEIGHT - 1} height={1} className="fill-line" />
    </g>
  );
}

interface BarLegendProps {
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly series: readonly { readonly text: string; readonly dot: string }[];
}

/** First and last label of the bars, and their colors between. */
export const BarLegend = ({ start, end, series }: BarLegendProps) => (
  <figcaption className="mt-1 flex flex-wrap justify-between gap-x-4 text-xs text-muted">
    <span>{start}</span>
    <span className="flex flex-wrap justify-center gap-x-4 max-sm:order-last max-sm:basis-full">
      {series.map(({ text, dot }) => (
        <span key={dot} className="flex items-center gap-1.5">
          <span aria-hidden="true" className={`size-2 rounded-sm ${dot}`} /> {text}
        </span>
      ))}
    </span>
    <span>{end}</span>
  </figcaption>
);
