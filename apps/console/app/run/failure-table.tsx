import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { failureReportOf, quotedList, remediesOf } from '@pilothouse/core/run/error-report';
import { buttonClass } from '@pilothouse/ui-kit';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { recommendedControlOf, replacementHref } from './recommended-control.ts';
import type { StepState } from './run-state.ts';
import { stepHref } from './steps/use-step-link.ts';

export interface FailureTableProps {
  run: Pick<RunView, 'id'>;
  error: ErrorView;
  /** The step that failed; undefined: no step. */
  step: StepState | undefined;
  hasScreenshot: boolean;
  /** Workflow that the viewer may edit; null: none. */
  workflow: RunView['workflow'];
}

/** Details that have a row of their own, or repeat the message. */
const hiddenFacts: ReadonlySet<string> = new Set(['page', 'suggestion', 'unmetParts']);

/** An error as a table: where, what happened, what to do. The CLI prints the same rows. */
export default function FailureTable({ run, error, step, hasScreenshot, workflow }: FailureTableProps) {
  const { code, summary, tried, nearby, facts } = failureReportOf(error);
  const page = facts.find(([name]) => name === 'page')?.[1] ?? step?.page?.url;
  const control = recommendedControlOf(error);
  const rows: [name: string, value: ReactNode][] = [
    [
      'Where',
      <span key="where">
        {step ? (
          <Link to={stepHref(run.id, step)} className="underline" preventScrollReset>
            Step {step.number}, {step.title}
          </Link>
        ) : (
          'The run, not one of its steps'
        )}
        {page !== undefined && <span className="block text-xs text-muted">{page}</span>}
      </span>,
    ],
    [
      'What happened',
      <span key="what">
        <span className="font-mono text-xs">{code}</span> {summary}
        {tried.map(({ locator, found }, index) => (
          <span key={index} className="block text-xs text-muted">
            <span className="font-mono">{locator}</span>: {found}
          </span>
        ))}
      </span>,
    ],
    ...nearby.map(({ kind, names }): [string, ReactNode] => ['On the page', `${kind}: ${quotedList(names)}`]),
    ...facts.filter(([name]) => !hiddenFacts.has(name)).map(([name, text]): [string, ReactNode] => [name, text]),
    [
      'What to do',
      <ul key="remedies" className="grid gap-0.5">
        {control && step && (
          <li className="flex flex-wrap items-center gap-x-2">
            A similar control is {control.role} “{control.name}”.
            {workflow && (
              <Link
                to={replacementHref(workflow, step, control)}
                className={buttonClass()}
                title={`Open a draft of ${workflow.name} in which the step uses ${control.role} “${control.name}”`}
              >
                Use this
              </Link>
            )}
          </li>
        )}
        {remediesOf(error, { workflow: 'the workflow', hasScreenshot }).map((remedy) => (
          <li key={remedy}>{remedy}</li>
        ))}
      </ul>,
    ],
  ];
  return (
    <div role="alert" aria-label="Error" className="rounded-md border border-bad/40 bg-surface px-3 py-2">
      <dl className="grid gap-x-4 gap-y-1.5 text-sm sm:grid-cols-[8rem_minmax(0,1fr)]">
        {rows.map(([name, value], index) => (
          <div key={index} className="contents">
            <dt className="text-xs leading-5 font-medium text-bad max-sm:mt-1">{name}</dt>
            <dd className="min-w-0 wrap-anywhere">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
