import { errorDefinition, type ErrorView } from '@pilothouse/contract';
import type { Style } from './text-style.ts';
import { pairs, table } from './text-table.ts';
import { clean, count } from './sanitize-text.ts';

/** What of a failed run its report names besides the error. */
export interface FailureContext {
  /** How the run is named in commands. */
  readonly run: string;
  /** The workflow file it was started from, if it was one. */
  readonly file: string | null;
  /** The name of the workflow of the project that it is of, if it is of one. */
  readonly workflow: string | null;
  readonly screenshot: { readonly name: string; readonly url: string } | null;
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const text = (value: unknown): string => clean(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
const quoted = (values: readonly unknown[]) => values.map((value) => `"${text(value)}"`).join(', ');

/** Lines about the error of a run: what went wrong, what was tried, what was there instead, and what to do next. */
export function failureLines(error: ErrorView, context: FailureContext, style: Style): string[] {
  const details = error.details ?? {};
  const facts = factsOf(details);
  if (context.screenshot) facts.push(['screenshot', context.screenshot.url]);
  return [
    `${style.red(error.code)}  ${said(error)}`,
    ...triedLines(details, style).map((line) => `  ${line}`),
    ...pairs(facts, style).map((line) => `  ${line}`),
    '',
    'What to do next',
    ...advice(error, context).map((line) => `  ${line}`),
  ];
}

/** The message, without what the lines below it show better. */
function said({ code, message, details = {} }: ErrorView): string {
  if (list(details.tried).length > 0 || list(details.matches).length > 0) return errorDefinition(code).title;
  const unmet = list(details.unmet).map(String).join('; ');
  const at = unmet === '' ? -1 : message.indexOf(unmet);
  return clean(at < 0 ? message : message.slice(0, at + unmet.length));
}

function triedLines(details: Record<string, unknown>, style: Style): string[] {
  const tried = list(details.tried).map(record);
  const rows = tried.map(({ locator, found }) => [text(locator), text(found)]);
  const nearby = list(details.nearby).map(record);
  return [
    ...(rows.length === 0 ? [] : table([{ head: 'tried' }, { head: 'found' }], rows, style)),
    ...nearby.map(({ kind, names }) => `${style.dim('there is')}  ${text(kind)}: ${quoted(list(names))}`),
  ];
}

/** The other details by name: known ones in words, the rest as they are. */
function factsOf(details: Record<string, unknown>): [string, string][] {
  const { tried, nearby, unmet, ...others } = details;
  return Object.entries(others).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === null || value === '') return [];
    if (name === 'matches' || name === 'options' || name === 'headers') return [[name, quoted(list(value))]];
    if (name === 'fields') {
      return list(value)
        .map(record)
        .map(({ pointer, detail }) => [text(pointer) || 'the whole', text(detail)]);
    }
    return [[name === 'url' ? 'page' : name === 'text' ? 'it says' : clean(name), text(value)]];
  });
}

/** Returns advice for the error of a run, one line for each hint. */
export function advice(error: ErrorView, context: FailureContext): string[] {
  const { run, file, screenshot } = context;
  const workflow = file ?? 'the workflow';
  const look = screenshot ? ['Look at the screenshot: is it the page you expect?'] : [];
  const again = file ? `npx pilothouse run ${file}` : `npx pilothouse retry ${run}`;
  const corrected = `Then: ${correctedRun(context)}`;
  const log = `See all of it: npx pilothouse logs ${run}`;
  const nearest = list(record(list(error.details?.nearby)[0]).names)[0];
  switch (error.code) {
    case 'TARGET_NOT_FOUND':
      return [
        ...look,
        nearest === undefined
          ? `Correct the target in ${workflow}, or add a locator to its list.`
          : `Correct the target in ${workflow}, e.g. to "${text(nearest)}", or add a locator to its list.`,
        corrected,
      ];
    case 'TARGET_AMBIGUOUS':
      return [`Say in ${workflow} which one: with nth, exact, hasText or within.`, corrected];
    case 'TARGET_NOT_READY':
    case 'CONDITION_NOT_MET':
    case 'STEP_TIMED_OUT':
      return [...look, `A slow page? Give the step a longer timeout in ${workflow}.`, `Try again: ${again}`];
    case 'OUTPUT_INVALID':
    case 'EXTRACTION_FAILED':
    case 'TEMPLATE_INVALID':
      return [...look, `Correct ${workflow}; what the steps read: npx pilothouse runs show ${run}`, corrected];
    case 'NAVIGATION_FAILED':
      return ['Can the machine of the worker open that address?', `Try again: npx pilothouse retry ${run}`];
    case 'BUDGET_EXCEEDED':
      if (error.details?.of === 'project')
        return [
          'What is left: npx pilothouse project; an admin raises it: npx pilothouse project set --budget-month',
          log,
        ];
      return [
        'Give it more with --budget-steps, --budget-seconds, --budget-tokens or --budget-usd, or raise timeout in the workflow.',
        log,
      ];
    case 'PROFILE_NOT_FOUND':
    case 'PROFILE_INVALID':
      return ['See the profiles of the project: npx pilothouse profiles', log];
    case 'RUN_EXPIRED':
    case 'SURFACE_UNAVAILABLE':
      return [
        'Are there workers? npx pilothouse fleets, npx pilothouse doctor',
        `Try again: npx pilothouse retry ${run}`,
      ];
    case 'REQUEST_FAILED':
    case 'SITE_BUSY':
    case 'UPLOAD_FAILED':
    case 'MODEL_UNAVAILABLE':
    case 'MODEL_INVALID':
      return [log, `Try again: npx pilothouse retry ${run}`];
    default:
      return error.retry === 'no' ? [log] : [log, `Try again: npx pilothouse retry ${run}`];
  }
}

/** A retry would run the same definition: what was corrected has to be given anew. */
const correctedRun = ({ file, workflow }: FailureContext) =>
  file
    ? `npx pilothouse run ${file}`
    : workflow
      ? `npx pilothouse workflows apply <file>, then npx pilothouse run ${workflow}`
      : 'npx pilothouse run <file>';

/** `3 of 24 steps` and the like, for the line of the end. @param all null where nobody knows how many there would have been */
export const stepsDone = (done: number, all: number | null) =>
  all === null || done === all ? count(done, 'step') : `${done} of ${count(all, 'step')}`;
