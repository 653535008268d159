import type { JsonSchema } from '@pilothouse/core/workflow/json-schema';

/** Plain data that a schema describes. */
type Data = unknown;

const isMap = (data: Data): data is Readonly<Record<string, unknown>> =>
  typeof data === 'object' && data !== null && !Array.isArray(data);

/** The schemas that may apply to a value. References are resolved, and alternatives that contradict the value are omitted. */
export function alternativesOf(root: JsonSchema, schema: JsonSchema, data: Data): JsonSchema[] {
  const { $ref, anyOf, oneOf, allOf, ...own } = schema;
  const parts = [
    ...($ref === undefined ? [] : [definitionOf(root, $ref)]),
    ...(anyOf ?? []),
    ...(oneOf ?? []),
    ...(allOf ?? []),
  ].flatMap((part) => alternativesOf(root, part, data));
  // A description next to a reference is more specific than the description of the definition.
  const described = parts.map((part) =>
    own.description === undefined ? part : { ...part, description: own.description },
  );
  return [
    ...(own.type !== undefined || own.enum || own.const !== undefined || own.properties ? [own] : []),
    ...described,
  ].filter((candidate) => isPossible(candidate, data));
}

const definitionOf = (root: JsonSchema, ref: string): JsonSchema => root.$defs?.[ref.split('/').at(-1) ?? ''] ?? {};

function isPossible({ type, properties = {} }: JsonSchema, data: Data): boolean {
  if (Array.isArray(data)) return type === undefined || type === 'array';
  if (!isMap(data)) return true;
  if (type !== undefined && type !== 'object') return false;
  return Object.entries(properties).every(
    ([name, { const: fixed }]) =>
      fixed === undefined || data[name] === undefined || data[name] === null || data[name] === fixed,
  );
}

/** Schemas of the value at a path. @param data the whole document as plain data */
export function schemasAt(root: JsonSchema, path: readonly (string | number)[], data: Data): JsonSchema[] {
  let schemas = alternativesOf(root, root, data);
  let value = data;
  for (const key of path) {
    value = typeof value === 'object' && value !== null ? (value as Record<string | number, unknown>)[key] : undefined;
    schemas = schemas.flatMap((schema) => {
      const child = childOf(schema, key);
      return child ? alternativesOf(root, child, value) : [];
    });
  }
  return schemas;
}

function childOf(
  { properties, additionalProperties, items }: JsonSchema,
  key: string | number,
): JsonSchema | undefined {
  if (typeof key === 'number') return items;
  return properties?.[key] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
}
