type Json = unknown;

/** Names that the generator gives to schemas which have none but are used in several places. */
const NAMELESS = /^__schema\d+$/;
const REFERENCE = /^#\/components\/schemas\/(__schema\d+)$/;

/**
 * Puts schemas without a name where they are used: a name like `__schema3` says nothing, and changes with every route that is
 * added. They are small: any JSON, or a reference to one that has a name.
 */
export function inlineAnonymousSchemas<Document extends { components?: { schemas?: object } }>(
  document: Document,
): Document {
  const schemas = (document.components?.schemas ?? {}) as Record<string, Json>;
  const inline = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(inline);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref: reference, ...beside } = value as Record<string, Json>;
    const name = typeof reference === 'string' ? REFERENCE.exec(reference)?.[1] : undefined;
    if (name !== undefined) return { ...(inline(schemas[name]) as object), ...(inline(beside) as object) };
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, inline(part)]));
  };
  const inlined = inline(document) as Document & { components: { schemas: Record<string, Json> } };
  const named = Object.entries(inlined.components.schemas).filter(([name]) => !NAMELESS.test(name));
  return { ...inlined, components: { ...inlined.components, schemas: Object.fromEntries(named) } };
}
