import type { Json } from '@pilothouse/contract/primitives.schema';

/* A form of JSON Schemas that the schema converters of llama.cpp, vLLM and Ollama accept. Answers are validated against the whole schema. */

type Schema = Readonly<Record<string, Json>>;

const isObject = (value: Json | undefined): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Keywords that constrain no shape, or that converters refuse. */
const REMOVED_KEYWORDS = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$comment',
  'title',
  'examples',
  'default',
  'format',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'minContains',
  'maxContains',
  'uniqueItems',
  'patternProperties',
  'propertyNames',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedItems',
  'unevaluatedProperties',
  'minProperties',
  'maxProperties',
  'multipleOf',
]);

/** Keywords whose values are schemas by name. */
const SCHEMA_MAPS = new Set(['properties', '$defs', 'definitions']);

/** Maximum depth of nested references, and maximum number of references. A deeper reference accepts any value. */
const MAX_DEPTH = 8;
const MAX_REFERENCES = 500;

/**
 * Converts a schema: local references are replaced, `const` becomes `enum`, `oneOf` becomes `anyOf`, unsupported keywords are removed, and
 * patterns are anchored.
 */
export function toPortableSchema(schema: Schema): Schema {
  return convert(schema, { schema, references: 0 }, 0) as Schema;
}

/** The whole schema, and the references that were replaced so far. */
interface Root {
  readonly schema: Schema;
  references: number;
}

function convert(schema: Json, root: Root, depth: number): Json {
  if (Array.isArray(schema)) return schema.map((item) => convert(item, root, depth));
  if (!isObject(schema)) return schema;
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    root.references += 1;
    const isAllowed = depth < MAX_DEPTH && root.references <= MAX_REFERENCES;
    const target = isAllowed ? resolve(reference, root.schema) : undefined;
    return target === undefined ? {} : convert(target, root, depth + 1);
  }
  const result: Record<string, Json> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (REMOVED_KEYWORDS.has(keyword) || keyword === '$defs' || keyword === 'definitions') continue;
    if (keyword === 'const') result['enum'] = [value];
    else if (keyword === 'enum') result['enum'] = value;
    else if (keyword === 'oneOf') result['anyOf'] = convert(value, root, depth);
    else if (keyword === 'pattern') Object.assign(result, portablePattern(value));
    else if (keyword === 'required') result['required'] = value;
    else if (SCHEMA_MAPS.has(keyword) && isObject(value)) {
      result[keyword] = Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, convert(each, root, depth)]),
      );
    } else result[keyword] = isObject(value) || Array.isArray(value) ? convert(value, root, depth) : value;
  }
  return withoutMixedBounds(result);
}

/** Removes lengths beside a pattern: vLLM refuses both together. */
function withoutMixedBounds(schema: Record<string, Json>): Schema {
  if (typeof schema['pattern'] !== 'string') return schema;
  const { minLength: _min, maxLength: _max, ...others } = schema;
  return others;
}

/** Target of a local reference, e.g. `#/$defs/Item`. */
function resolve(reference: string, root: Schema): Json | undefined {
  if (!reference.startsWith('#/')) return undefined;
  let target: Json | undefined = root;
  for (const part of reference.slice(2).split('/')) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    target = isObject(target) && Object.hasOwn(target, name) ? target[name] : undefined;
  }
  return target;
}

/** Groups, classes and escapes that converters do not translate. */
const UNSUPPORTED_PATTERN_PARTS = ['(?', '\\b', '\\B', '\\p', '\\P', '\\1', '\\2', '\\k'];

/** A pattern with both anchors; nothing if converters refuse it. */
function portablePattern(pattern: Json): { pattern?: string } {
  if (typeof pattern !== 'string' || UNSUPPORTED_PATTERN_PARTS.some((part) => pattern.includes(part))) return {};
  return pattern.startsWith('^') && pattern.endsWith('$') ? { pattern } : {};
}

/** Removes the lengths of strings, which OpenAI refuses in strict schemas. */
export function withoutTextLengths(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutTextLengths);
  if (!isObject(schema)) return schema;
  const entries = Object.entries(schema).filter(
    ([keyword, value]) => !((keyword === 'maxLength' || keyword === 'minLength') && typeof value === 'number'),
  );
  return Object.fromEntries(entries.map(([keyword, value]) => [keyword, withoutTextLengths(value)]));
}
