import { Link } from 'react-router';
import { countOf, shortId } from '../../shared/number-format.ts';

/** Number of links without a click. */
const SHOWN_STEPS = 5;

interface StepLinksProps {
  /** Steps as `run/ordinal`. */
  steps: readonly string[];
  /** Number of all steps; the API names the first ones. */
  total: number;
}

/** Links to the traces of steps. */
export function StepLinks({ steps, total }: StepLinksProps) {
  const hidden = steps.slice(SHOWN_STEPS);
  return (
    <div className="flex flex-wrap items-baseline gap-x-3 text-xs">
      <Links steps={steps.slice(0, SHOWN_STEPS)} />
      {hidden.length > 0 && (
        <details>
          <summary className="cursor-pointer text-muted">{countOf(hidden.length, 'more step')}</summary>
          <div className="flex flex-wrap gap-x-3">
            <Links steps={hidden} />
          </div>
        </details>
      )}
      {total > steps.length && <span className="text-muted">and {countOf(total - steps.length, 'other')}</span>}
    </div>
  );
}

const Links = ({ steps }: { steps: readonly string[] }) =>
  steps.map((step) => {
    const [run = '', ordinal = ''] = step.split('/');
    return (
      <Link
        key={step}
        to={`/learning/traces/${encodeURIComponent(run)}?step=${encodeURIComponent(ordinal)}`}
        className="leading-6 font-mono whitespace-nowrap underline"
      >
        {shortId(run)}/{ordinal}
      </Link>
    );
  });
