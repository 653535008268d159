import { z } from 'zod';
import { jsonSchema } from '../primitives.schema.ts';

/** The subset of JSON Schema (2020-12) for inputs and outputs. It has no `$ref`, so schemas are finite and self-contained. */
export const valueSchema = z
  .strictObject({
    type: z.enum(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']).optional(),
    title: z.string().max(200).optional(),
    description: z.string().max(2000).optional(),
    enum: z.array(jsonSchema).min(1).max(500).optional(),
    const: jsonSchema.optional(),
    format: z.enum(['date', 'date-time', 'email', 'uri', 'uuid']).optional(),
    pattern: z
      .string()
      .max(500)
      .optional()
      .describe('Regular expression (ECMAScript with flag `u`), without look-around and back-references'),
    minLength: z.int().min(0).optional(),
    maxLength: z.int().min(0).optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    exclusiveMinimum: z.number().optional(),
    exclusiveMaximum: z.number().optional(),
    multipleOf: z.number().positive().optional(),
    minItems: z.int().min(0).optional(),
    maxItems: z.int().min(0).optional(),
    uniqueItems: z.boolean().optional(),
    get items(): z.ZodOptional<typeof valueSchema> {
      return valueSchema.optional();
    },
    get properties(): z.ZodOptional<z.ZodRecord<z.ZodString, typeof valueSchema>> {
      return z.record(z.string(), valueSchema).optional();
    },
    required: z
      .array(z.string(), {
        error:
          '`required` is a list of property names. An input is required by itself, unless it has `default` or `optional: true`',
      })
      .optional(),
    get additionalProperties(): z.ZodOptional<z.ZodUnion<readonly [z.ZodBoolean, typeof valueSchema]>> {
      return z.union([z.boolean(), valueSchema]).optional();
    },
    get anyOf(): z.ZodOptional<z.ZodArray<typeof valueSchema>> {
      return z.array(valueSchema).min(1).max(20).optional();
    },
    default: jsonSchema.optional(),
  })
  .meta({ id: 'ValueSchema', description: 'JSON Schema of a value (subset of draft 2020-12)' });
export type ValueSchema = z.infer<typeof valueSchema>;
