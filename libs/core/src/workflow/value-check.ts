import type { FieldProblem, Json, ValueSchema } from '@pilothouse/contract';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { escapePointer } from './template.ts';

/** Compiled schemas kept. A workflow has two or three; beyond this the one used longest ago goes. */
export const COMPILED_SCHEMAS = 200;

const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: true, logger: false });
addFormats.default(ajv);

const compiled = new Map<string, { schema: object; validate: ValidateFunction }>();

function validatorOf(schema: ValueSchema): ValidateFunction {
  const key = JSON.stringify(schema);
  const found = compiled.get(key);
  if (found) {
    compiled.delete(key);
    compiled.set(key, found);
    return found.validate;
  }
  const copy = JSON.parse(key) as object;
  const validate = ajv.compile(copy);
  compiled.set(key, { schema: copy, validate });
  for (const [oldest, { schema: old }] of compiled) {
    if (compiled.size <= COMPILED_SCHEMAS) break;
    compiled.delete(oldest);
    ajv.removeSchema(old);
  }
  return validate;
}

/** How many compiled schemas are kept now. */
export const compiledSchemas = () => compiled.size;

const article = (type: string) => (/^[aeiou]/.test(type) ? `an ${type}` : type === 'null' ? 'null' : `a ${type}`);

function sentence({ keyword, params, message }: ErrorObject): string {
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
 * What is wrong with a value by its schema: at most 20 problems, with pointers into the value. Sentences never repeat the value.
 * @param base put before each pointer, e.g. `/inputs/order`
 */
export function checkValue(schema: ValueSchema, value: Json, base = ''): FieldProblem[] {
  const validate = validatorOf(schema);
  if (validate(value)) return [];
  return (validate.errors ?? [])
    .slice(0, 20)
    .map((error) => ({ pointer: `${base}${pointerOf(error)}`, detail: sentence(error) }));
}
