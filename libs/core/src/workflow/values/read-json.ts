import type { Field } from '@pilothouse/contract/actions/extraction.schema';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { compilePath, runPath } from './json-path.ts';
import { parseValue } from './parse-value.ts';

/** A value in a JSON document, with its path. */
export interface JsonNode {
  readonly value: Json;
  /** Normalized path (RFC 9535, section 2.7). */
  readonly path: string;
}

/** Reason why a text is not a valid JSONPath; null: it is valid. */
export function jsonPathProblem(path: string): string | null {
  try {
    compilePath(path);
    return null;
  } catch (thrown) {
    return `Not a JSONPath (RFC 9535): ${(thrown as Error).message}`;
  }
}

/**
 * Evaluates a JSONPath (RFC 9535).
 * @throws PilothouseError EXTRACTION_FAILED for a syntax error or timeout
 */
export function queryJson(root: Json, path: string): JsonNode[] {
  const problem = jsonPathProblem(path);
  if (problem !== null) throw new PilothouseError('EXTRACTION_FAILED', `${path}: ${problem}`);
  try {
    return runPath(compilePath(path), root).map((node) => ({ value: node.value as Json, path: node.path }));
  } catch (thrown) {
    throw new PilothouseError('EXTRACTION_FAILED', `${path}: ${(thrown as Error).message}`);
  }
}

/** Language of numbers and dates in JSON. */
const LANGUAGE = 'en-US';

const short = (value: Json) => JSON.stringify(value).slice(0, 100);

/**
 * Converts a JSON value to the type of a field; null if it is null or missing. Without a type it is unchanged.
 * @param label name of the value in messages
 * @throws PilothouseError EXTRACTION_FAILED if it does not have the type
 */
export function readJsonValue(value: Json | undefined, field: Field, label: string, language = LANGUAGE): Json {
  const { type, pattern } = field;
  if (value === undefined || value === null) return null;
  const isPlain = type === undefined && pattern === undefined;
  if (isPlain || (type === 'boolean' && typeof value === 'boolean')) return value;
  if (typeof value === 'number' && pattern === undefined) {
    if (type === 'number' || (type === 'integer' && Number.isSafeInteger(value))) return value;
    if (type === 'money' && field.currency !== undefined) return { amount: value, currency: field.currency };
  }
  if (typeof value === 'object') {
    throw new PilothouseError(
      'EXTRACTION_FAILED',
      `${label}: ${short(value)} cannot be read as ${type ?? 'string'}: it is ${Array.isArray(value) ? 'a list' : 'an object'}`,
      { details: { field: label, text: short(value), type: type ?? 'string' } },
    );
  }
  return parseValue(String(value), { ...field, language }, label);
}

/**
 * Reads the single value that a field selects in a JSON document.
 * @returns value null and no path if it is missing
 * @throws PilothouseError EXTRACTION_FAILED when there are several, or it is not of the type
 */
export function readJsonField(root: JsonNode, field: Field, label: string, language?: string): JsonNode {
  const matches = field.path === undefined ? [root] : queryJson(root.value, field.path);
  const [first] = matches;
  if (matches.length > 1) {
    throw new PilothouseError(
      'EXTRACTION_FAILED',
      `${label}: ${field.path ?? ''} matches ${matches.length} values: ${matches
        .slice(0, 3)
        .map(({ value }) => short(value))
        .join(', ')}; use a more specific path`,
    );
  }
  const value = readJsonValue(first?.value, field, label, language);
  const path = first ? (field.path === undefined ? root.path : root.path + first.path.slice(1)) : root.path;
  if (value !== null || field.optional) return { value, path };
  throw new PilothouseError(
    'EXTRACTION_FAILED',
    `${label}: ${field.path ?? 'the value'} is ${first ? short(first.value) : 'missing'}, but ${field.type ?? 'a value'} is expected`,
    { details: { field: label, text: first ? short(first.value) : null, type: field.type ?? null } },
  );
}
