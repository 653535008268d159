import type { RequestCheck } from '@pilothouse/contract/evaluation/eval-suite.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { HarEntry } from '@pilothouse/contract/run/capture.schema';
import { compilePattern } from '../regex/linear-regex.ts';
import { wildcard } from '../regex/wildcard.ts';
import { queryJson } from '../workflow/values/read-json.ts';
import { equalsByType } from './typed-comparison.ts';

/* Compares the requests of a run, as recorded in its HAR file, with an expected request. */

const asList = <Value>(value: Value | readonly Value[]): readonly Value[] =>
  Array.isArray(value) ? (value as readonly Value[]) : [value as Value];

/** A URL without query, fragment and final slash. */
const withoutQuery = (url: string): string => (url.split(/[?#]/, 1)[0] ?? '').replace(/\/$/, '');

const matchesName = (pattern: string, name: string): boolean =>
  pattern.startsWith('^') ? compilePattern(pattern).test(name) : wildcard(pattern)(name);

/** True if a URL matches a pattern. A pattern without a query is compared with the URL without its query. */
function matchesUrl(pattern: string, url: string): boolean {
  if (pattern.startsWith('^')) return compilePattern(pattern).test(url);
  const [target, expected] = pattern.includes('?') ? [url, pattern] : [withoutQuery(url), pattern.replace(/\/$/, '')];
  return wildcard(expected)(target);
}

/** Parameters of the query, in order. */
const parametersOf = ({ request }: HarEntry): Map<string, string[]> => {
  const parameters = new Map<string, string[]>();
  for (const { name, value } of request.queryString) parameters.set(name, [...(parameters.get(name) ?? []), value]);
  return parameters;
};

/** The body of a request as an object: JSON, or the fields of a form. */
function bodyOf({ request: { postData } }: HarEntry): Json {
  if (!postData) return {};
  if (postData.params.length > 0) return Object.fromEntries(postData.params.map(({ name, value }) => [name, value]));
  if (/x-www-form-urlencoded/i.test(postData.mimeType)) return Object.fromEntries(new URLSearchParams(postData.text));
  return parseJson(postData.text);
}

function parseJson(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return {};
  }
}

const valueComparison = { isOrdered: true, tolerance: 0 };

/** The first member that differs from its expected value; null: all are equal. */
function differentMember(expected: Readonly<Record<string, Json>>, document: Json): string | null {
  for (const [name, value] of Object.entries(expected)) {
    const actual = name.startsWith('$') ? queryJson(document, name)[0]?.value : memberOf(document, name);
    if (!equalsByType(value, actual ?? null, valueComparison))
      return `${name} is ${JSON.stringify(actual ?? null)}, expected ${JSON.stringify(value)}`;
  }
  return null;
}

const memberOf = (document: Json, name: string): Json | undefined =>
  typeof document === 'object' && document !== null && !Array.isArray(document) && Object.hasOwn(document, name)
    ? document[name]
    : undefined;

/** The first difference of a request; null: it matches. */
function differenceOf(check: RequestCheck, entry: HarEntry): string | null {
  const { status, query = {}, strictQuery, ignoredQuery, body, response, headers = {} } = check;
  if (status !== undefined && !asList(status).includes(entry.response.status))
    return `the status is ${entry.response.status}, expected ${asList(status).join(' or ')}`;
  const parameters = parametersOf(entry);
  for (const [name, values] of Object.entries(query)) {
    const actual = parameters.get(name) ?? [];
    if (
      !asList(values).some((value) => actual.some((actualValue) => equalsByType(value, actualValue, valueComparison)))
    )
      return `the parameter ${name} is ${JSON.stringify(actual.at(-1) ?? null)}, expected ${asList(values).join(' or ')}`;
  }
  const hasQueryPattern = asList(check.url).some(
    (pattern) => /[?^]/.test(pattern) && matchesUrl(pattern, entry.request.url),
  );
  if (strictQuery && !hasQueryPattern) {
    const isAllowed = (name: string) =>
      Object.hasOwn(query, name) || ignoredQuery.some((pattern) => matchesName(pattern, name));
    const extraName = [...parameters.keys()].find((name) => !isAllowed(name));
    if (extraName !== undefined) return `the query has the parameter ${extraName}`;
  }
  for (const [name, values] of Object.entries(headers)) {
    const actual = entry.request.headers.find((header) => header.name.toLowerCase() === name.toLowerCase())?.value;
    if (!asList(values).some((value) => actual !== undefined && matchesUrl(value, actual)))
      return `the header ${name} is ${JSON.stringify(actual ?? null)}, expected ${asList(values).join(' or ')}`;
  }
  const bodyDifference = body && differentMember(body, bodyOf(entry));
  if (bodyDifference) return `in the body, ${bodyDifference}`;
  const responseDifference = response && differentMember(response, parseJson(entry.response.content.text ?? ''));
  return responseDifference ? `in the response, ${responseDifference}` : null;
}

const describe = ({ method, url }: RequestCheck): string => `${method ?? 'request'} ${asList(url).join(' or ')}`;

/** Checks the requests of a run. @param entries requests in order @returns the problem; null: the check holds */
export function requestProblem(check: RequestCheck, entries: readonly HarEntry[]): string | null {
  const { method, absent, lastOnly } = check;
  const candidates = entries.filter(
    ({ request }) =>
      (method === undefined || request.method.toUpperCase() === method.toUpperCase()) &&
      asList(check.url).some((pattern) => matchesUrl(pattern, request.url)),
  );
  const differences = (lastOnly ? candidates.slice(-1) : candidates).map((entry) => differenceOf(check, entry));
  const hasMatch = differences.includes(null);
  if (absent) return hasMatch ? `A request matches ${describe(check)}, expected none` : null;
  if (hasMatch) return null;
  const last = differences.at(-1);
  return last === undefined ? `No ${describe(check)}` : `${describe(check)}: ${last}`;
}
