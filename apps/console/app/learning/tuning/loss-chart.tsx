import type { LossPoint } from '@pilothouse/contract/learning/tuning-progress.schema';
import { Cell, Table } from '@pilothouse/ui-kit';

/** Sizes in SVG units. */
const WIDTH = 600;
const HEIGHT = 180;

const series = [
  { name: 'Training', field: 'trainingLoss', stroke: 'stroke-accent', fill: 'fill-accent', color: 'bg-accent' },
  { name: 'Validation', field: 'validationLoss', stroke: 'stroke-warn', fill: 'fill-warn', color: 'bg-warn' },
] as const;

/** Rows of the table below the chart. */
const LISTED_POINTS = 50;

const lossText = (loss: number | null) => (loss === null ? '—' : loss.toFixed(4));

/** Loss by step for training and validation, with the values in a table. */
export function LossChart({ loss }: { loss: readonly LossPoint[] }) {
  const steps = loss.map(({ step }) => step);
  const values = loss.flatMap(({ trainingLoss, validationLoss }) => [trainingLoss ?? [], validationLoss ?? []].flat());
  const [minStep, maxStep] = [Math.min(...steps), Math.max(...steps)];
  const maxLoss = Math.max(...values);
  const x = (step: number) => (maxStep === minStep ? WIDTH / 2 : ((step - minStep) / (maxStep - minStep)) * WIDTH);
  const y = (value: number) => HEIGHT - (maxLoss === 0 ? 0 : (value / maxLoss) * (HEIGHT - 8)) - 2;
  const curves = series.map((item) => ({
    ...item,
    points: loss.flatMap(({ step, ...point }) => {
      const value = point[item.field];
      return value === null ? [] : [{ x: x(step), y: y(value), value }];
    }),
  }));
  const label = curves
    .filter(({ points }) => points.length > 0)
    .map(
      ({ name, points }) =>
        `${name} from ${lossText(points[0]?.value ?? null)} to ${lossText(points.at(-1)?.value ?? null)}`,
    )
    .join('; ');
  return (
    <figure>
      <figcaption className="mb-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {curves.map(({ name, color, points }) => (
          <span key={name} className="flex items-center gap-1.5">
            <span aria-hidden="true" className={`size-2 rounded-sm ${color}`} /> {name}
            {points.length === 0 && ' (no values)'}
          </span>
        ))}
      </figcaption>
      <svg
        role="img"
        aria-label={`Loss curve: ${label}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-44 w-full border-b border-l border-line"
      >
        {curves.map(({ name, stroke, fill, points }) => (
          <g key={name}>
            <polyline
              points={points.map((point) => `${point.x.toFixed(1)},${point.y.toFixed(1)}`).join(' ')}
              className={`fill-none ${stroke}`}
              strokeWidth={2}
              vectorEffect="non-scaling-stroke"
            />
            {points.length === 1 && points[0] && <circle cx={points[0].x} cy={points[0].y} r={4} className={fill} />}
          </g>
        ))}
      </svg>
      <p className="mt-1 flex justify-between text-xs text-muted">
        <span>Step {minStep}</span>
        <span>Loss 0 to {lossText(maxLoss)}</span>
        <span>Step {maxStep}</span>
      </p>
      <details className="mt-2 text-sm">
        <summary className="cursor-pointer text-muted">Values as a table</summary>
        <Table label="Loss by step" head={['Step', 'Training', 'Validation']}>
          {loss.slice(-LISTED_POINTS).map(({ step, trainingLoss, validationLoss }) => (
            <tr key={step}>
              <Cell>{step}</Cell>
              <Cell>{lossText(trainingLoss)}</Cell>
              <Cell>{lossText(validationLoss)}</Cell>
            </tr>
          ))}
        </Table>
      </details>
    </figure>
  );
}
