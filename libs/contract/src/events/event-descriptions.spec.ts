import { z } from 'zod';
import { eventData, runEventSchema } from './event-log.schema.ts';

/** Schema of a field as JSON Schema: the form in which clients read the description. */
interface JsonSchema {
  readonly description?: string;
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly anyOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
}

/** Paths of an object's fields, and of the objects in it, that have no description. A schema with an id has its own. */
function undescribedFields(schema: JsonSchema, path: string): string[] {
  const inner = [...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const fieldPath = `${path}.${name}`;
    const isDescribed = field.description !== undefined || field.$ref !== undefined;
    return [...(isDescribed ? [] : [fieldPath]), ...undescribedFields(field, fieldPath)];
  });
  return [...fields, ...inner.flatMap((each) => undescribedFields(each, path))];
}

const toJsonSchema = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: 'output', unrepresentable: 'any' }) as JsonSchema;

test.each(Object.entries(eventData))('each field of %s has a description', (type, schema) => {
  expect(undescribedFields(toJsonSchema(schema), type)).toEqual([]);
});

test('each field of the envelope has a description', () => {
  expect(undescribedFields(toJsonSchema(runEventSchema), 'event')).toEqual([]);
});
