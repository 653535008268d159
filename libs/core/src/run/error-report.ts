import { errorDefinition } from '@pilothouse/contract/errors/error-codes';
import type { ErrorView } from '@pilothouse/contract/errors/pilothouse-error';
import { blockRemedy, remedyBlockOf } from '../egress/block-remedy.ts';

/*
 * The report of a failed run or step: a short message, rows of facts, and remedies. The CLI and the console show the same report. Texts
 * of pages are not cleaned: each client escapes them.
 */

/** Rows about an error. */
export interface FailureReport {
  readonly code: ErrorView['code'];
  /** The message, without details that have rows of their own. */
  readonly summary: string;
  /** Locators of the step, and the result of each. */
  readonly tried: readonly { readonly locator: string; readonly found: string }[];
  /** Elements that the page has instead, by kind. */
  readonly nearby: readonly { readonly kind: string; readonly names: readonly string[] }[];
  /** The other details: name and value. */
  readonly facts: readonly (readonly [name: string, value: string])[];
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const text = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** Texts in quotes, with commas between them. */
export const quotedList = (values: readonly unknown[]): string => values.map((value) => `"${text(value)}"`).join(', ');

/** Details that are part of another row. */
const hiddenDetails: ReadonlySet<string> = new Set(['tried', 'nearby', 'unmet', 'refusals']);

/** The rows of an error. */
export function failureReportOf(error: Pick<ErrorView, 'code' | 'message' | 'details'>): FailureReport {
  const details = error.details ?? {};
  return {
    code: error.code,
    summary: summaryOf(error),
    tried: list(details.tried)
      .map(record)
      .map(({ locator, found }) => ({ locator: text(locator), found: text(found) })),
    nearby: list(details.nearby)
      .map(record)
      .map(({ kind, names }) => ({ kind: text(kind), names: list(names).map(text) })),
    facts: factsOf(details),
  };
}

function summaryOf({ code, message, details = {} }: Pick<ErrorView, 'code' | 'message' | 'details'>): string {
  if (list(details.tried).length > 0 || list(details.matches).length > 0) return errorDefinition(code).title;
  const unmet = list(details.unmet).map(String).join('; ');
  const unmetIndex = unmet === '' ? -1 : message.indexOf(unmet);
  return unmetIndex < 0 ? message : message.slice(0, unmetIndex + unmet.length);
}

function factsOf(details: Readonly<Record<string, unknown>>): [string, string][] {
  return Object.entries(details).flatMap(([name, value]): [string, string][] => {
    if (hiddenDetails.has(name) || value === undefined || value === null || value === '') return [];
    if (name === 'matches' || name === 'options' || name === 'headers') return [[name, quotedList(list(value))]];
    if (name === 'fields') {
      return list(value)
        .map(record)
        .map(({ pointer, detail }) => [text(pointer) || '(document)', text(detail)]);
    }
    return [[name === 'url' ? 'page' : name, text(value)]];
  });
}

/** Where a reader finds what a remedy names. */
export interface RemedyContext {
  /** Name of the workflow in sentences, e.g. `order.yaml` or `the workflow`. */
  readonly workflow: string;
  /** True if the reader sees a screenshot of the failure. */
  readonly hasScreenshot: boolean;
}

/** Remedies of an error, one sentence each. They name no command. */
export function remediesOf(
  error: Pick<ErrorView, 'code' | 'details'>,
  { workflow, hasScreenshot }: RemedyContext,
): string[] {
  const screenshotHint = hasScreenshot ? ['Check the screenshot: is it the expected page?'] : [];
  switch (error.code) {
    case 'TARGET_NOT_FOUND': {
      const nearest = list(record(list(error.details?.nearby)[0]).names)[0];
      const example = nearest === undefined ? '' : `, e.g. "${text(nearest)}",`;
      return [...screenshotHint, `Fix the target in ${workflow}${example} or add a fallback locator.`];
    }
    case 'TARGET_AMBIGUOUS':
      return [`Narrow the target in ${workflow} with nth, exact, hasText or within.`];
    case 'TARGET_NOT_ACTIONABLE':
    case 'CONDITION_NOT_MET':
    case 'STEP_TIMED_OUT':
      return [...screenshotHint, `If the page is slow, increase the step timeout in ${workflow}.`];
    case 'NAVIGATION_FAILED':
      return ['Check that the worker can reach the URL.'];
    case 'EGRESS_BLOCKED': {
      const remedies = list(error.details?.refusals).flatMap((refusal) => {
        const block = remedyBlockOf(refusal);
        return block ? [blockRemedy(block)] : [];
      });
      return remedies.length > 0 ? [...new Set(remedies)] : [helpOf(error)];
    }
    case 'OUTPUT_INVALID':
    case 'EXTRACTION_FAILED':
    case 'TEMPLATE_INVALID':
      return [...screenshotHint, helpOf(error)];
    default:
      return [helpOf(error)];
  }
}

/** The help of an error, without the backticks that mark names in Markdown. */
export const helpOf = ({ code }: Pick<ErrorView, 'code'>): string => errorDefinition(code).help.replaceAll('`', '');
