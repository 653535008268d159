import { Badge, classes, Notice } from '@pilothouse/ui-kit';
import { Link } from 'react-router';
import { DiffView } from '../../shared/diff-view.tsx';
import { formatDuration } from '../../shared/duration.ts';
import { diffLines } from '@pilothouse/core/workflow/line-diff';
import { StepIcon } from '../../shared/status-badge.tsx';
import { displayStatusOf } from '../run-state-selectors.ts';
import type { RunState, StepState } from '../run-state.ts';
import { stepHref } from '../steps/use-step-link.ts';
import { stepDurationMs, usedLocator, type StepDifference, type StepPair } from './compare-steps.ts';
import { countOf } from '../../shared/number-format.ts';

const differenceLabels: Readonly<Record<StepDifference, string>> = {
  missing: 'Only in one run',
  status: 'Status',
  error: 'Error',
  locator: 'Locator',
  output: 'Output',
};

/** A step counts as slower if its duration exceeds the other by more than this factor and this difference. */
const SLOWER_FACTOR = 2;
const SLOWER_DIFFERENCE_MS = 500;

/** Maximum length of both outputs together for a comparison by line. */
const MAX_DIFF_CHARS = 20_000;

const FIRST_DIFFERENCE_ID = 'first-difference';

export interface StepPairsProps {
  left: RunState;
  right: RunState;
  pairs: readonly StepPair[];
}

/** Steps of two runs side by side. The first difference is marked. */
export function StepPairs({ left, right, pairs }: StepPairsProps) {
  const first = pairs.find(({ differences }) => differences.length > 0);
  const count = pairs.filter(({ differences }) => differences.length > 0).length;
  const firstStep = first?.left ?? first?.right;
  return (
    <>
      <div className="border-b border-line p-3">
        {first && firstStep ? (
          <Notice>
            {countOf(count, 'step differs', 'steps differ')}. First difference:{' '}
            <a href={`#${FIRST_DIFFERENCE_ID}`} className="underline">
              {firstStep.number} {firstStep.title}
            </a>{' '}
            ({first.differences.map((difference) => differenceLabels[difference].toLowerCase()).join(', ')})
          </Notice>
        ) : (
          <Notice>No differences in status, error, locator and output.</Notice>
        )}
      </div>
      <ol aria-label="Compared steps">
        {pairs.map((pair) => {
          const step = pair.left ?? pair.right;
          const isFirst = pair === first;
          return (
            <li
              key={`${pair.left?.index} ${pair.right?.index}`}
              id={isFirst ? FIRST_DIFFERENCE_ID : undefined}
              className={classes(
                'grid gap-1.5 border-b border-line px-3 py-2 text-sm last:border-b-0',
                isFirst && 'scroll-mt-3 border-l-4 border-l-warn',
              )}
            >
              <p className="flex flex-wrap items-center gap-1.5">
                <span className="min-w-0 wrap-anywhere">
                  <span className="mr-1.5 text-xs text-muted">{step?.number}</span>
                  {step?.title}
                </span>
                {isFirst && <Badge tone="warn">First difference</Badge>}
                {pair.differences.map((difference) => (
                  <Badge key={difference} tone="plain">
                    {differenceLabels[difference]}
                  </Badge>
                ))}
              </p>
              <div className="grid grid-cols-2 gap-x-3">
                <ComparedStep run={left} step={pair.left} pair={pair} />
                <ComparedStep run={right} step={pair.right} pair={pair} otherStep={pair.left} />
              </div>
              {pair.differences.includes('output') && <OutputDiff pair={pair} />}
            </li>
          );
        })}
      </ol>
    </>
  );
}

interface ComparedStepProps {
  run: RunState;
  step: StepState | null;
  pair: StepPair;
  /** Step to compare the duration with. */
  otherStep?: StepState | null;
}

function ComparedStep({ run, step, pair: { differences, left, right }, otherStep }: ComparedStepProps) {
  if (!step) return <p className="text-xs text-muted">—</p>;
  const ms = stepDurationMs(step);
  const otherMs = otherStep ? stepDurationMs(otherStep) : null;
  const hasOtherTitle = left !== null && right !== null && left.title !== right.title;
  return (
    <div className="grid min-w-0 content-start gap-0.5 text-xs">
      <Link to={stepHref(run.run, step)} className="flex items-center gap-1.5 hover:underline">
        <StepIcon status={displayStatusOf(step, run.status)} />
        <span>{ms === null ? 'Open step' : formatDuration(ms)}</span>
        {ms !== null && otherMs !== null && <DurationChange ms={ms} otherMs={otherMs} />}
      </Link>
      {hasOtherTitle && <p className="text-muted wrap-anywhere">{step.title}</p>}
      {differences.includes('locator') && (
        <p className="font-mono text-muted wrap-anywhere">{usedLocator(step) ?? 'No locator'}</p>
      )}
      {step.error && (
        <p className="text-bad wrap-anywhere">
          <span className="font-mono">{step.error.code}</span> {step.error.message}
        </p>
      )}
    </div>
  );
}

function DurationChange({ ms, otherMs }: { ms: number; otherMs: number }) {
  const changeMs = ms - otherMs;
  const isSlower = ms > otherMs * SLOWER_FACTOR && changeMs > SLOWER_DIFFERENCE_MS;
  return (
    <span className={isSlower ? 'text-warn' : 'text-muted'}>
      {changeMs < 0 ? '−' : '+'}
      {formatDuration(Math.abs(changeMs))}
    </span>
  );
}

function OutputDiff({ pair: { left, right } }: { pair: StepPair }) {
  const [leftText, rightText] = [left, right].map((step) => JSON.stringify(step?.value ?? null, null, 2)) as [
    string,
    string,
  ];
  if (leftText.length + rightText.length > MAX_DIFF_CHARS)
    return (
      <p className="text-xs text-muted">The outputs are too long to compare here. Open each step to see its output.</p>
    );
  return (
    <details>
      <summary className="text-xs text-muted">Output difference</summary>
      <DiffView lines={diffLines(leftText, rightText)} />
    </details>
  );
}
