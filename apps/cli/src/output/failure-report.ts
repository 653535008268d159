import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { failureReportOf, helpOf, quotedList, remediesOf, type FailureReport } from '@pilothouse/core/run/error-report';
import type { Style } from './text-style.ts';
import { pairs, table } from './text-table.ts';
import { clean, count } from './sanitize-text.ts';

/** Facts about a failed run besides its error. */
export interface FailureContext {
  /** The run id in commands. */
  readonly run: string;
  /** The workflow file of the run, if any. */
  readonly file: string | null;
  /** The name of the stored workflow, if any. */
  readonly workflow: string | null;
  readonly screenshot: { readonly name: string; readonly url: string } | null;
}

/** Lines about the error of a run: message, tried locators, page content, next steps. */
export function failureLines(error: ErrorView, context: FailureContext, style: Style): string[] {
  const report = failureReportOf(error);
  const facts = report.facts.map(([name, value]): [string, string] => [clean(name), clean(value)]);
  if (context.screenshot) facts.push(['screenshot', context.screenshot.url]);
  return [
    `${style.red(error.code)}  ${clean(report.summary)}`,
    ...triedLines(report, style).map((line) => `  ${line}`),
    ...pairs(facts, style).map((line) => `  ${line}`),
    '',
    'Next steps',
    ...advice(error, context).map((line) => `  ${line}`),
  ];
}

function triedLines({ tried, nearby }: FailureReport, style: Style): string[] {
  const rows = tried.map(({ locator, found }) => [clean(locator), clean(found)]);
  return [
    ...(rows.length === 0 ? [] : table([{ head: 'tried' }, { head: 'found' }], rows, style)),
    ...nearby.map(({ kind, names }) => `${style.dim('on the page')}  ${clean(`${kind}: ${quotedList(names)}`)}`),
  ];
}

/** Returns advice for the error of a run, one line for each hint. */
export function advice(error: ErrorView, context: FailureContext): string[] {
  const { run, file, screenshot } = context;
  const workflow = file ?? 'the workflow';
  const remedies = remediesOf(error, { workflow, hasScreenshot: screenshot !== null }).map(clean);
  const rerun = file ? `npx pilothouse run ${file}` : `npx pilothouse runs retry ${run}`;
  const rerunCorrected = `Then: ${correctedRun(context)}`;
  const log = `Full log: npx pilothouse logs ${run}`;
  switch (error.code) {
    case 'TARGET_NOT_FOUND':
    case 'TARGET_AMBIGUOUS':
      return [...remedies, rerunCorrected];
    case 'TARGET_NOT_ACTIONABLE':
    case 'CONDITION_NOT_MET':
    case 'STEP_TIMED_OUT':
      return [...remedies, `Try again: ${rerun}`];
    case 'OUTPUT_INVALID':
    case 'EXTRACTION_FAILED':
    case 'TEMPLATE_INVALID':
      return [
        ...(screenshot ? remedies.slice(0, 1) : []),
        `Fix ${workflow}. Step outputs: npx pilothouse runs show ${run}`,
        rerunCorrected,
      ];
    case 'NAVIGATION_FAILED':
      return [...remedies, `Try again: npx pilothouse runs retry ${run}`];
    case 'EGRESS_BLOCKED':
      return [...remedies, log];
    case 'BUDGET_EXCEEDED':
      if (error.details?.of === 'project')
        return [
          'Check the budget: npx pilothouse project show. Raise it (admin): npx pilothouse project set --monthly-budget …',
          log,
        ];
      return ['Raise --max-steps, --max-duration, --max-tokens or --max-cost, or the workflow timeout.', log];
    case 'PROFILE_NOT_FOUND':
    case 'PROFILE_INVALID':
      return ['List profiles: npx pilothouse profiles list', log];
    case 'RUN_EXPIRED':
    case 'SURFACE_UNAVAILABLE':
      return [
        'Check workers: npx pilothouse fleets list, npx pilothouse doctor',
        `Try again: npx pilothouse runs retry ${run}`,
      ];
    case 'REQUEST_FAILED':
    case 'SITE_LIMIT_TIMED_OUT':
    case 'UPLOAD_FAILED':
    case 'MODEL_UNAVAILABLE':
    case 'MODEL_INVALID':
      return [log, `Try again: npx pilothouse runs retry ${run}`];
    default: {
      const retry = error.retry === 'no' ? [] : [`Try again: npx pilothouse runs retry ${run}`];
      return [clean(helpOf(error)), log, ...retry];
    }
  }
}

/** A retry executes the same definition, so a corrected file needs a new run. */
const correctedRun = ({ file, workflow }: FailureContext) =>
  file
    ? `npx pilothouse run ${file}`
    : workflow
      ? `npx pilothouse workflows apply <file>, then npx pilothouse run ${workflow}`
      : 'npx pilothouse run <file>';

/** `3 of 24 steps` and the like, for the line of the end. @param total null when the number of steps is unknown */
export const completedStepsText = (completed: number, total: number | null) =>
  total === null || completed === total ? count(completed, 'step') : `${completed} of ${count(total, 'step')}`;
