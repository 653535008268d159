import { isUnverified } from '@pilothouse/contract/run/outcome';
import { Badge, Button, classes } from '@pilothouse/ui-kit';
import { useState } from 'react';
import { nearestRows } from '../../shared/nearest-rows.ts';
import { tierNames } from '../tier-usage.ts';
import { displayStatusOf } from '../run-state-selectors.ts';
import type { RunState, StepState } from '../run-state.ts';
import { formatDuration, elapsedMs } from '../../shared/duration.ts';
import { unverifiedText } from './result-text.ts';
import { StepIcon } from '../../shared/status-badge.tsx';
import { countOf } from '../../shared/number-format.ts';

/** Steps that are rendered before the viewer asks for all. */
const MAX_RENDERED_STEPS = 150;

export interface StepTimelineProps {
  state: RunState;
  selected: number | undefined;
  onSelect: (step: number) => void;
}

/** Steps of a run in order, including pending ones. */
export function StepTimeline({ state, selected, onSelect }: StepTimelineProps) {
  const { steps } = state;
  const [showsAll, setShowsAll] = useState(false);
  const selectedRow = steps.findIndex(({ index }) => index === selected);
  const { start, end } = showsAll
    ? { start: 0, end: steps.length }
    : nearestRows(steps.length, selectedRow, MAX_RENDERED_STEPS);
  const hiddenSteps = (count: number, position: string) =>
    count > 0 && (
      <li className="border-b border-line px-3 py-1 last:border-b-0">
        <Button variant="quiet" onClick={() => setShowsAll(true)}>
          {count} {position}. Show all
        </Button>
      </li>
    );
  if (steps.length === 0) return <p className="p-3 text-sm text-muted">Steps appear when the run starts.</p>;
  return (
    <ol className="grid" aria-label="Steps">
      {hiddenSteps(start, 'before')}
      {steps.slice(start, end).map((step) => (
        <li key={step.index} className="border-b border-line last:border-b-0">
          <button
            type="button"
            data-row
            aria-current={selected === step.index ? 'step' : undefined}
            onClick={() => onSelect(step.index)}
            className={classes(
              'grid w-full grid-cols-[1rem_minmax(0,1fr)_auto] items-center gap-x-2 px-3 py-2 text-left text-sm',
              selected === step.index ? 'bg-raised' : 'hover:bg-raised/60',
            )}
          >
            <StepIcon status={displayStatusOf(step, state.status)} />
            <span className={classes('truncate', step.status === 'pending' && 'text-muted')} title={step.title}>
              <span className="mr-1.5 text-xs text-muted">{step.number}</span>
              {step.title}
            </span>
            <span className="flex items-center gap-1.5 text-xs text-muted">
              {step.attempts > 1 && <Badge tone="warn">{countOf(step.attempts, 'attempt')}</Badge>}
              <UnverifiedBadge result={step.result} />
              {step.healedElement !== null && <Badge tone="warn">Healed</Badge>}
              {step.tier !== null && step.tier !== 'replay' && <Badge tone="live">{tierNames[step.tier]}</Badge>}
              <StepDuration step={step} />
            </span>
            <StepSummary
              step={step}
              isCancelled={displayStatusOf(step, state.status) === 'cancelled'}
              thinking={state.thinking.findLast((thought) => thought.step === step.index)?.text}
            />
            <ControlActions lines={step.controlActions} />
          </button>
        </li>
      ))}
      {hiddenSteps(steps.length - end, 'after')}
    </ol>
  );
}

/** Marks a completed step whose effect was not seen. It stands out if the surface gives a reason. */
const UnverifiedBadge = ({ result }: Pick<StepState, 'result'>) =>
  result && isUnverified(result) ? (
    <span title={unverifiedText(result)}>
      <Badge tone={result.effectReason === null ? 'plain' : 'warn'}>Not verified</Badge>
    </span>
  ) : null;

function StepDuration({ step: { startedAt, finishedAt } }: { step: StepState }) {
  const ms = finishedAt === null ? undefined : elapsedMs(startedAt, finishedAt, 0);
  return <>{ms === undefined ? '' : formatDuration(ms)}</>;
}

/** Control actions that the timeline shows for a step. The step detail shows all. */
const MAX_CONTROL_ACTIONS = 5;

/** Last control actions before a step resumed. */
function ControlActions({ lines }: { lines: readonly string[] }) {
  const hiddenCount = lines.length - MAX_CONTROL_ACTIONS;
  const lineClass = 'col-span-2 col-start-2 truncate text-xs';
  return (
    <>
      {hiddenCount > 0 && <span className={classes(lineClass, 'text-muted')}>+ {hiddenCount} more</span>}
      {lines.slice(-MAX_CONTROL_ACTIONS).map((line, index) => (
        <span key={index} className={classes(lineClass, 'text-live')} title={line}>
          {line}
        </span>
      ))}
    </>
  );
}

interface StepSummaryProps {
  step: StepState;
  isCancelled: boolean;
  thinking: string | undefined;
}

/** Last failed attempt of a step that waits for the next one. */
function retryLine({ status, failedAttempts }: StepState): string | undefined {
  const last = failedAttempts.at(-1);
  return status === 'retrying' && last
    ? `Attempt ${last.attempt} of ${last.maxAttempts} failed: ${last.message}`
    : undefined;
}

/** One-line summary of a step: its error, or the current thought of its agent. */
function StepSummary({ step, isCancelled, thinking }: StepSummaryProps) {
  const { error, note, status, turns } = step;
  const turn = turns.at(-1);
  // The table of the error has its message.
  const summary =
    error?.code ??
    retryLine(step) ??
    (status === 'skipped'
      ? note
      : status === 'running'
        ? (thinking ?? turn?.actions.at(-1)?.title ?? turn?.thought)
        : undefined);
  if (!summary) return null;
  return (
    <span
      className={classes('col-span-2 col-start-2 truncate text-xs', error && !isCancelled ? 'text-bad' : 'text-muted')}
      title={summary}
    >
      {summary}
    </span>
  );
}
