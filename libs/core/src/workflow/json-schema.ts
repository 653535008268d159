import {
  type FieldError,
  type Json,
  type ValueSchema,
  locatorKinds,
  workflowDefinitionSchema,
} from '@pilothouse/contract';
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

/** JSON Schema (draft 2020-12) of a workflow file for editors. `parseWorkflow` additionally checks templates and unique ids. */
export function workflowJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(workflowDefinitionSchema, {
    target: 'draft-2020-12',
    io: 'input',
    override: ({ jsonSchema }) => enrich(jsonSchema),
  });
  const { $schema, ...rest } = schema;
  return { $schema, $id: 'urn:pilothouse:schema:workflow', title: 'Pilothouse workflow', ...rest };
}

/** Maximum number of cached compiled schemas (least recently used). A workflow needs two or three. */
export const COMPILED_SCHEMAS = 200;

/** Instructions × characters that the patterns of one check may take, all texts together. */
const MAX_CHECK_STEPS = 4 * MAX_MATCH_STEPS;

/** Steps that the check at work has taken; a check is synchronous. */
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
          'The texts are too long for the patterns of their schema: send less, or make them smaller',
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
      return 'is not known here; remove it or correct its name';
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
