import type { Json } from '@pilothouse/contract/primitives.schema';
import { compilePattern } from '../regex/linear-regex.ts';
import { parseDate } from '../workflow/values/parse-date.ts';
import { parseNumber } from '../workflow/values/parse-number.ts';

/*
 * Compares values by their types: case, spaces and formatting do not matter. A list in the place of an expected value
 * contains alternatives. The rules are those of WebArena-Verified: https://servicenow.github.io/webarena-verified/evaluation
 */

/** The parts of a JSON Schema that the comparison uses. */
interface TypeSchema {
  readonly type?: string;
  readonly format?: string;
  readonly items?: TypeSchema;
  readonly properties?: Readonly<Record<string, TypeSchema>>;
}

type JsonObject = { readonly [name: string]: Json };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const asList = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [value]);

/** Formats that are numbers with a unit or a currency. */
const numberFormats = new Set(['number', 'currency', 'integer', 'distance']);

/** Reads a value as a number; null: not a number. */
function asNumber(value: Json): number | null {
  if (typeof value === 'number') return value;
  if (typeof value !== 'string') return null;
  const parsed = parseNumber(value, 'en');
  return 'value' in parsed ? parsed.value : null;
}

/** Reads a value as a date, `YYYY-MM-DD`; null: not a date. */
function asDate(value: Json): string | null {
  if (typeof value !== 'string') return null;
  const parsed = parseDate(value, 'en');
  return 'value' in parsed ? parsed.value : null;
}

const trueWords = new Set(['true', 'yes', '1']);
const falseWords = new Set(['false', 'no', '0']);

function asBoolean(value: Json): boolean | null {
  if (typeof value === 'boolean') return value;
  const word = String(value).trim().toLowerCase();
  return trueWords.has(word) ? true : falseWords.has(word) ? false : null;
}

/** A text without differences in case, spaces, quotes and Unicode form. */
export const normalizeText = (value: Json): string =>
  (typeof value === 'string' ? value : JSON.stringify(value))
    .normalize('NFKC')
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

/** True if a text matches an expected text, or an expected regular expression that starts with `^`. */
export function matchesText(expected: string, actual: Json): boolean {
  if (expected.startsWith('^'))
    return compilePattern(expected, 'is').test(typeof actual === 'string' ? actual : JSON.stringify(actual));
  return normalizeText(expected) === normalizeText(actual);
}

/** Reader of a type or format; null: values are compared as text. */
function readerOf({ type, format }: TypeSchema): ((value: Json) => Json) | null {
  const name = format ?? type ?? '';
  if (numberFormats.has(name)) return asNumber;
  if (name === 'date') return asDate;
  return name === 'boolean' ? asBoolean : null;
}

function equalScalars(expected: Json, actual: Json, schema: TypeSchema, tolerance: number): boolean {
  if (expected === null || actual === null) return expected === actual;
  const reader =
    readerOf(schema) ?? (typeof expected === 'number' ? asNumber : typeof expected === 'boolean' ? asBoolean : null);
  const [expectedScalar, actualScalar] = reader ? [reader(expected), reader(actual)] : [null, null];
  if (typeof expectedScalar === 'number' && typeof actualScalar === 'number')
    return Math.abs(expectedScalar - actualScalar) <= tolerance + 1e-9;
  if (expectedScalar !== null && actualScalar !== null) return expectedScalar === actualScalar;
  return matchesText(typeof expected === 'string' ? expected : JSON.stringify(expected), actual);
}

/** Options of the comparison. */
export interface TypedComparison {
  readonly schema?: Readonly<Record<string, Json>> | undefined;
  /** True if the order of list items matters. */
  readonly isOrdered: boolean;
  readonly tolerance: number;
}

/** True if the actual value is the expected one, or one of the expected alternatives. */
export const equalsByType = (
  expected: Json,
  actual: Json,
  { schema = {}, isOrdered, tolerance }: TypedComparison,
): boolean => equals(expected, actual, schema as TypeSchema, isOrdered, tolerance);

function equals(expected: Json, actual: Json, schema: TypeSchema, isOrdered: boolean, tolerance: number): boolean {
  if (schema.type === 'array') {
    const items = schema.items ?? {};
    const isEqual = (expectedItem: Json, actualItem: Json) =>
      equals(expectedItem, actualItem, items, isOrdered, tolerance);
    return equalLists(asList(expected), asList(actual), isEqual, isOrdered);
  }
  if (Array.isArray(expected))
    return expected.some((alternative) => equals(alternative, actual, schema, isOrdered, tolerance));
  if (isObject(expected)) {
    if (!isObject(actual)) return false;
    return Object.entries(expected).every(([name, value]) =>
      equals(value, actual[name] ?? null, schema.properties?.[name] ?? {}, isOrdered, tolerance),
    );
  }
  return !isObject(actual) && !Array.isArray(actual) && equalScalars(expected, actual, schema, tolerance);
}

/** Maximum items of a list that is compared without order. */
const MAX_UNORDERED_ITEMS = 500;

function equalLists(
  expected: readonly Json[],
  actual: readonly Json[],
  isEqual: (expected: Json, actual: Json) => boolean,
  isOrdered: boolean,
): boolean {
  if (expected.length !== actual.length) return false;
  if (isOrdered || expected.length > MAX_UNORDERED_ITEMS)
    return expected.every((value, index) => isEqual(value, actual[index] ?? null));
  return hasPerfectMatching(expected, actual, isEqual);
}

/** True if each expected item can be assigned an actual item of its own (bipartite matching by augmenting paths). */
function hasPerfectMatching(
  expected: readonly Json[],
  actual: readonly Json[],
  isEqual: (expected: Json, actual: Json) => boolean,
): boolean {
  const candidates = expected.map((value) =>
    actual.flatMap((actualValue, index) => (isEqual(value, actualValue) ? [index] : [])),
  );
  const assigned = new Map<number, number>();
  const assign = (item: number, visited: Set<number>): boolean =>
    (candidates[item] ?? []).some((candidate) => {
      if (visited.has(candidate)) return false;
      visited.add(candidate);
      const owner = assigned.get(candidate);
      if (owner !== undefined && !assign(owner, visited)) return false;
      assigned.set(candidate, item);
      return true;
    });
  return expected.every((_, item) => assign(item, new Set()));
}
