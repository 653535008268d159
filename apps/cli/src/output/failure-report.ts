import { errorDefinition } from '@pilothouse/contract/errors/error-codes';
import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { egressBlockSchema } from '@pilothouse/contract/project/egress.schema';
import { blockRemedy } from '@pilothouse/core/egress/egress-decision';
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

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const text = (value: unknown): string => clean(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
const quoted = (values: readonly unknown[]) => values.map((value) => `"${text(value)}"`).join(', ');

/** Lines about the error of a run: message, tried locators, page content, next steps. */
export function failureLines(error: ErrorView, context: FailureContext, style: Style): string[] {
  const details = error.details ?? {};
  const facts = factsOf(details);
  if (context.screenshot) facts.push(['screenshot', context.screenshot.url]);
  return [
    `${style.red(error.code)}  ${summaryOf(error)}`,
    ...triedLines(details, style).map((line) => `  ${line}`),
    ...pairs(facts, style).map((line) => `  ${line}`),
    '',
    'Next steps',
    ...advice(error, context).map((line) => `  ${line}`),
  ];
}

/** The message, without details that have lines of their own. */
function summaryOf({ code, message, details = {} }: ErrorView): string {
  if (list(details.tried).length > 0 || list(details.matches).length > 0) return errorDefinition(code).title;
  const unmet = list(details.unmet).map(String).join('; ');
  const unmetIndex = unmet === '' ? -1 : message.indexOf(unmet);
  return clean(unmetIndex < 0 ? message : message.slice(0, unmetIndex + unmet.length));
}

function triedLines(details: Record<string, unknown>, style: Style): string[] {
  const tried = list(details.tried).map(record);
  const rows = tried.map(({ locator, found }) => [text(locator), text(found)]);
  const nearby = list(details.nearby).map(record);
  return [
    ...(rows.length === 0 ? [] : table([{ head: 'tried' }, { head: 'found' }], rows, style)),
    ...nearby.map(({ kind, names }) => `${style.dim('on the page')}  ${text(kind)}: ${quoted(list(names))}`),
  ];
}

/** The other details by name. */
function factsOf(details: Record<string, unknown>): [string, string][] {
  const { tried, nearby, unmet, refusals, ...otherDetails } = details;
  return Object.entries(otherDetails).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === null || value === '') return [];
    if (name === 'matches' || name === 'options' || name === 'headers') return [[name, quoted(list(value))]];
    if (name === 'fields') {
      return list(value)
        .map(record)
        .map(({ pointer, detail }) => [text(pointer) || '(document)', text(detail)]);
    }
    return [[name === 'url' ? 'page' : name === 'text' ? 'text' : clean(name), text(value)]];
  });
}

/** Returns advice for the error of a run, one line for each hint. */
export function advice(error: ErrorView, context: FailureContext): string[] {
  const { run, file, screenshot } = context;
  const workflow = file ?? 'the workflow';
  const screenshotHint = screenshot ? ['Check the screenshot: is it the expected page?'] : [];
  const rerun = file ? `npx pilothouse run ${file}` : `npx pilothouse runs retry ${run}`;
  const rerunCorrected = `Then: ${correctedRun(context)}`;
  const log = `Full log: npx pilothouse logs ${run}`;
  const nearest = list(record(list(error.details?.nearby)[0]).names)[0];
  switch (error.code) {
    case 'TARGET_NOT_FOUND':
      return [
        ...screenshotHint,
        nearest === undefined
          ? `Fix the target in ${workflow} or add a fallback locator.`
          : `Fix the target in ${workflow}, e.g. "${text(nearest)}", or add a fallback locator.`,
        rerunCorrected,
      ];
    case 'TARGET_AMBIGUOUS':
      return [`Narrow the target in ${workflow} with nth, exact, hasText or within.`, rerunCorrected];
    case 'TARGET_NOT_ACTIONABLE':
    case 'CONDITION_NOT_MET':
    case 'STEP_TIMED_OUT':
      return [
        ...screenshotHint,
        `If the page is slow, increase the step timeout in ${workflow}.`,
        `Try again: ${rerun}`,
      ];
    case 'OUTPUT_INVALID':
    case 'EXTRACTION_FAILED':
    case 'TEMPLATE_INVALID':
      return [...screenshotHint, `Fix ${workflow}. Step outputs: npx pilothouse runs show ${run}`, rerunCorrected];
    case 'NAVIGATION_FAILED':
      return ['Check that the worker can reach the URL.', `Try again: npx pilothouse runs retry ${run}`];
    case 'EGRESS_BLOCKED':
      return [...egressRemedies(error), log];
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
      return [plainHelp(error), log, ...(error.retry === 'no' ? [] : [`Try again: npx pilothouse runs retry ${run}`])];
    }
  }
}

/** The help of an error, without the backticks that mark names in Markdown. */
const plainHelp = ({ code }: ErrorView) => errorDefinition(code).help.replaceAll('`', '');

/** Remedies that allow the blocked connections: an egress list or a setting of the worker. */
function egressRemedies(error: ErrorView): string[] {
  const remedies = list(error.details?.refusals).flatMap((refusal) => {
    const { data } = egressBlockSchema.safeParse(refusal);
    return data ? [clean(blockRemedy(data))] : [];
  });
  return remedies.length > 0 ? [...new Set(remedies)] : [plainHelp(error)];
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
