import type { Json } from '@pilothouse/contract';

/**
 * Whether every object of a JSON Schema names all it may hold and has to: only then OpenAI's `strict` takes the schema, and holds the model to it.
 */
export function isClosedSchema(schema: Json): boolean {
  if (Array.isArray(schema)) return schema.every(isClosedSchema);
  if (typeof schema !== 'object' || schema === null) return true;
  const { type, properties, additionalProperties, required } = schema;
  if (type === 'object') {
    const names = Object.keys(typeof properties === 'object' ? (properties ?? {}) : {});
    const has = Array.isArray(required) ? required : [];
    if (additionalProperties !== false || names.some((name) => !has.includes(name))) return false;
  }
  return Object.values(schema).every(isClosedSchema);
}
