import type { ModelRequest } from '@pilothouse/contract/model/model.schema';
import type { Json } from '@pilothouse/contract/primitives.schema';
import { parseLooseJson } from './loose-json.ts';
import { withoutReasoning } from './reasoning-text.ts';

/**
 * Extracts the JSON object of an answer. Models wrap it in sentences or code fences, after reasoning. Reasoning tags inside of its strings are
 * text, e.g. of a page. null: no object.
 */
export function parseJsonObject(answer: string): Readonly<Record<string, unknown>> | null {
  const whole = parseObject(answer);
  if (whole) return whole;
  const braced = bracedText(answer);
  const quoting = withoutReasoning(braced) === braced ? null : parseObject(braced);
  const text = withoutReasoning(answer);
  return quoting ?? parseObject(text) ?? parseObject(bracedText(text));
}

/** Text from the first to the last brace. */
const bracedText = (text: string): string => text.slice(Math.max(0, text.indexOf('{')), text.lastIndexOf('}') + 1);

const asObject = (value: unknown) =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return asObject(parseLooseJson(text));
  }
}

/* Structured output for models whose endpoint does not support it. The prompt has the schema, and the answer is validated here. */

/** Moves the schema of a request into its system prompt. */
export function withJsonInstructions({ schema, system, ...rest }: ModelRequest): ModelRequest {
  if (!schema) return { ...rest, system };
  const instructions = `Reply with JSON only. It must match this JSON Schema: ${JSON.stringify(schema)}`;
  return { ...rest, system: system === '' ? instructions : `${system}\n\n${instructions}` };
}

/** The parsed value, or a sentence about the problem. */
export type StructuredResult = { readonly value: Json } | { readonly problem: string };

/** Parses an answer to `withJsonInstructions`, which may be wrapped in sentences or code fences. */
export function parseStructured(schema: NonNullable<ModelRequest['schema']>, text: string): StructuredResult {
  const value = parseJsonObject(text) as Json | null;
  if (value === null) return { problem: 'not JSON' };
  const problem = findMismatch(schema, value, '');
  return problem === null ? { value } : { problem };
}

const isObject = (value: Json | undefined): value is Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const typeOf = (value: Json): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

const isOfType = (type: Json, value: Json): boolean =>
  type === typeOf(value) || (type === 'integer' && Number.isInteger(value));

/**
 * Differences between a value and a schema in types, fields and enums. Patterns and references are ignored, because the schema comes from
 * an untrusted worker.
 */
function findMismatch(schema: Json, value: Json, pointer: string): string | null {
  if (!isObject(schema)) return null;
  const where = pointer === '' ? 'the value' : pointer;
  const { type, enum: allowed, properties, required, additionalProperties, items } = schema;
  if (type !== undefined && ![type].flat().some((allowedType) => isOfType(allowedType, value))) {
    return `${where} must be ${[type].flat().map(String).join(' or ')}`;
  }
  if (Array.isArray(allowed) && !allowed.some((allowedValue) => JSON.stringify(allowedValue) === JSON.stringify(value)))
    return `${where} must be one of ${JSON.stringify(allowed)}`;
  if (Array.isArray(value))
    return firstProblem(value.map((item, index) => () => findMismatch(items ?? true, item, `${pointer}/${index}`)));
  if (!isObject(value)) return null;
  const fields = isObject(properties) ? properties : {};
  const missing = Array.isArray(required) ? required.find((name) => !Object.hasOwn(value, String(name))) : undefined;
  if (missing !== undefined) return `${pointer}/${String(missing)} is missing`;
  const unexpected = Object.keys(value).find((name) => !Object.hasOwn(fields, name));
  if (additionalProperties === false && unexpected !== undefined) return `${pointer}/${unexpected} is not allowed`;
  return firstProblem(
    Object.entries(value).map(
      ([name, property]) =>
        () =>
          findMismatch(
            (Object.hasOwn(fields, name) ? fields[name] : undefined) ?? true,
            property,
            `${pointer}/${name}`,
          ),
    ),
  );
}

function firstProblem(checks: readonly (() => string | null)[]): string | null {
  for (const check of checks) {
    const problem = check();
    if (problem !== null) return problem;
  }
  return null;
}
