import { locatorKinds } from '@pilothouse/contract/actions/locator.schema';
import type { FieldError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Json } from '@pilothouse/contract/primitives.schema';
import type { ValueSchema } from '@pilothouse/contract/workflow/value.schema';
import { workflowDefinitionSchema } from '@pilothouse/contract/workflow/workflow.schema';
import { z } from 'zod';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { compilePattern, MAX_MATCH_STEPS, PatternError } from '../regex/linear-regex.ts';
import { escapePointer } from './templates.ts';

type Node = z.core.JSONSchema.BaseSchema;

/** Constraints of zod refinements for JSON Schema, by schema id. */
const refinements: Record<string, Node> = {
  Locator: { oneOf: locatorKinds.map((kind) => ({ required: [kind] })), dependentRequired: { name: ['role'] } },
  Condition: { minProperties: 1 },
  JsonSource: { oneOf: ['jsonLd', 'script', 'response'].map((part) => ({ required: [part] })) },
};

const oneOf = (...names: string[]): Node => ({ oneOf: names.map((part) => ({ required: [part] })) });

const extractAlternatives: Node = { allOf: [oneOf('target', 'json'), oneOf('value', 'list', 'table')] };

/** Adds information for editors: refinements, and titles and descriptions of actions. */
function enrich(node: Node): void {
  if (node.id && refinements[node.id]) Object.assign(node, refinements[node.id]);
  if (node.maximum === Number.MAX_SAFE_INTEGER) delete node.maximum;
  if (node.minimum === Number.MIN_SAFE_INTEGER) delete node.minimum;
  const action = node.properties?.['action'];
  if (typeof action !== 'object' || action.const === undefined) return;
  Object.assign(node, { title: action.const, description: action.description });
  if (action.const === 'extract') Object.assign(node, extractAlternatives);
}

/** The parts of a workflow's JSON Schema that forms, completion and documentation use. */
export interface JsonSchema {
  $ref?: string;
  $defs?: Readonly<Record<string, JsonSchema>>;
  type?: string;
  const?: unknown;
  enum?: readonly unknown[];
  description?: string;
  default?: unknown;
  maxLength?: number;
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: JsonSchema | boolean;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  oneOf?: readonly JsonSchema[];
  allOf?: readonly JsonSchema[];
}

/** JSON Schema (draft 2020-12) of a workflow file for editors. `parseWorkflow` additionally checks templates and unique ids. */
export function workflowJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(workflowDefinitionSchema, {
    target: 'draft-2020-12',
    io: 'input',
    override: ({ jsonSchema }) => enrich(jsonSchema),
  });
  const { $schema, ...rest } = schema;
  return { $schema, $id: 'urn:pilothouse:schema:workflow', title: 'Pilothouse workflow', ...rest } as JsonSchema;
}

/** Maximum number of cached compiled schemas (least recently used). A workflow needs two or three. */
export const COMPILED_SCHEMAS = 200;

/** Maximum instructions × characters of all patterns in one check. */
const MAX_CHECK_STEPS = 4 * MAX_MATCH_STEPS;

/** Steps of the current check. A check is synchronous. */
let checkStepCount = 0;

/** Runs the patterns of schemas in linear time. */
const linearRegExp = Object.assign(
  (source: string) => ({
    // ajv caches patterns by this key.
    toString: () => source,
    test: (text: string) => {
      const pattern = compilePattern(source);
      checkStepCount += pattern.size * text.length;
      if (checkStepCount > MAX_CHECK_STEPS)
        throw new PatternError(
          'The values are too long for the patterns of their schema: send shorter values, or simplify the patterns',
        );
      return pattern.test(text);
    },
  }),
  // Only for code that is written to a file.
  { code: 'linear' },
);

const ajv = new Ajv2020({
  allErrors: true,
  strict: false,
  validateFormats: true,
  logger: false,
  code: { regExp: linearRegExp },
});
addFormats.default(ajv);

const cache = new Map<string, { schema: object; validate: ValidateFunction }>();

function validatorOf(schema: ValueSchema): ValidateFunction {
  const key = JSON.stringify(schema);
  const cachedEntry = cache.get(key);
  if (cachedEntry) {
    cache.delete(key);
    cache.set(key, cachedEntry);
    return cachedEntry.validate;
  }
  const copy = JSON.parse(key) as object;
  const validate = ajv.compile(copy);
  cache.set(key, { schema: copy, validate });
  for (const [oldest, { schema: oldSchema }] of cache) {
    if (cache.size <= COMPILED_SCHEMAS) break;
    cache.delete(oldest);
    ajv.removeSchema(oldSchema);
  }
  return validate;
}

/** Number of cached compiled schemas. */
export const compiledSchemas = () => cache.size;

const article = (type: string) => (/^[aeiou]/.test(type) ? `an ${type}` : type === 'null' ? 'null' : `a ${type}`);

function describeError({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'type':
      return `must be ${[params['type']]
        .flat()
        .map((type) => article(String(type)))
        .join(' or ')}`;
    case 'required':
      return 'is missing';
    case 'additionalProperties':
      return 'is not allowed by the schema: remove it or fix the spelling';
    case 'enum':
      return `must be one of ${(params['allowedValues'] as Json[]).map((value) => JSON.stringify(value)).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'format':
      return `must have the format ${String(params['format'])}`;
    case 'pattern':
      return `must match the pattern ${String(params['pattern'])}`;
    default:
      return message ?? `fails ${keyword}`;
  }
}

function pointerOf({ keyword, instancePath, params }: ErrorObject): string {
  if (keyword === 'required') return `${instancePath}/${escapePointer(String(params['missingProperty']))}`;
  if (keyword === 'additionalProperties')
    return `${instancePath}/${escapePointer(String(params['additionalProperty']))}`;
  return instancePath;
}

/**
 * Validates a value. Reports at most 20 problems with pointers; messages never contain the value.
 * @param base prefix of all pointers, e.g. `/inputs/order`
 */
export function checkValue(schema: ValueSchema, value: Json, base = ''): FieldError[] {
  const validate = validatorOf(schema);
  checkStepCount = 0;
  try {
    if (validate(value)) return [];
  } catch (thrown) {
    if (thrown instanceof PatternError) return [{ pointer: base, detail: thrown.message }];
    throw thrown;
  }
  return (validate.errors ?? [])
    .slice(0, 20)
    .map((error) => ({ pointer: `${base}${pointerOf(error)}`, detail: describeError(error) }));
}
