import type { EvalCheck, EvalTask, OutputCheck } from '@pilothouse/contract/evaluation/eval-suite.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { HarEntry } from '@pilothouse/contract/run/capture.schema';
import type { RunView } from '@pilothouse/contract/run/run.schema';
import { requestProblem } from './request-check.ts';
import { equalsByType, normalizeText } from './typed-comparison.ts';

/** Reads a value by JSON Pointer (RFC 6901); undefined: no such value. */
function readPointer(root: Json, pointer: string): Json | undefined {
  if (pointer === '') return root;
  if (!pointer.startsWith('/')) return undefined;
  let value: Json | undefined = root;
  for (const token of pointer.slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) value = /^(0|[1-9]\d{0,9})$/.test(key) ? value[Number(key)] : undefined;
    else if (typeof value === 'object' && value !== null) value = Object.hasOwn(value, key) ? value[key] : undefined;
    else return undefined;
  }
  return value;
}

/** Result of a finished run. */
export interface EvalOutcome {
  readonly status: RunView['status'];
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly output: Json;
  /** Recorded requests; null: none were recorded. */
  readonly requests: readonly HarEntry[] | null;
}

/** True if the task needs the recorded requests of its runs. */
export const needsRequests = ({ checks }: Pick<EvalTask, 'checks'>): boolean =>
  checks.some((check) => 'request' in check);

/** Problems of a finished run; empty: the task succeeded. */
export function evalProblems({ checks }: Pick<EvalTask, 'checks'>, outcome: EvalOutcome): string[] {
  const expectedError = checks.find((check) => 'error' in check);
  const isExpected = outcome.status === 'completed' || (outcome.status === 'failed' && expectedError !== undefined);
  if (!isExpected) return [`The run ${outcome.status}${outcome.error ? `: ${outcome.error.message}` : ''}`];
  return checks.flatMap((check) => problemOf(check, outcome) ?? []);
}

function problemOf(check: EvalCheck, { error, output, requests }: EvalOutcome): string | null {
  if ('output' in check) return outputProblem(check.output, output);
  if ('request' in check)
    return requests === null ? 'The requests of the run were not recorded' : requestProblem(check.request, requests);
  if (error?.code === check.error) return null;
  return error
    ? `The run failed with ${error.code}, expected ${check.error}`
    : `The run completed, expected ${check.error}`;
}

/** Maximum length of a value in a message, in characters. */
const MAX_VALUE_TEXT = 200;

const textOf = (value: Json): string => {
  const text = JSON.stringify(value);
  return text.length > MAX_VALUE_TEXT ? `${text.slice(0, MAX_VALUE_TEXT)}…` : text;
};

function outputProblem(check: OutputCheck, output: Json): string | null {
  const { pointer, equals, contains, compare, schema, ordered, tolerance = 0 } = check;
  const value = readPointer(output, pointer);
  const name = pointer === '' ? 'The output' : `${pointer} of the output`;
  if (value === undefined) return `${name} is missing`;
  if (contains !== undefined) {
    const isContained = normalizeText(value).includes(normalizeText(contains));
    return isContained ? null : `${name} is ${textOf(value)}, expected to contain "${contains}"`;
  }
  const expected = equals ?? null;
  const isEqual =
    compare === 'typed'
      ? equalsByType(expected, value, { schema, isOrdered: ordered, tolerance })
      : equalsExactly(expected, value, ordered, tolerance);
  return isEqual ? null : `${name} is ${textOf(value)}, expected ${textOf(expected)}`;
}

/** Deep equality. Numbers may differ by the tolerance. */
function equalsExactly(expected: Json, actual: Json, isOrdered: boolean, tolerance: number): boolean {
  if (typeof expected === 'number' && typeof actual === 'number') return Math.abs(expected - actual) <= tolerance;
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    const remaining = [...actual];
    return expected.every((value) => {
      const index = isOrdered
        ? 0
        : remaining.findIndex((actualValue) => equalsExactly(value, actualValue, isOrdered, tolerance));
      const [candidate = null] = index < 0 ? [] : remaining.splice(index, 1);
      return index >= 0 && equalsExactly(value, candidate, isOrdered, tolerance);
    });
  }
  if (typeof expected !== 'object' || expected === null) return expected === actual;
  if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) return false;
  const names = Object.keys(expected);
  return (
    names.length === Object.keys(actual).length &&
    names.every(
      (name) =>
        Object.hasOwn(actual, name) &&
        equalsExactly(expected[name] ?? null, actual[name] ?? null, isOrdered, tolerance),
    )
  );
}
