import { z } from 'zod';
import { identifierSchema } from '../scalar.ts';
import { conditionSchema } from './condition.ts';
import { fieldSchema, isField, jsonSourceSchema, tableSchema, type Field } from './extract.ts';
import { observationLevelSchema } from '../observation/observation.ts';
import { targetSchema } from './locator.ts';

/* What only looks. */

export const waitFor = z.strictObject({
  action: z.literal('waitFor').describe('Wait until the condition holds, within the time of the step'),
  condition: conditionSchema,
});

/** Most seconds that a step may just wait. */
export const MAX_WAIT_SECONDS = 600;

export const wait = z.strictObject({
  action: z
    .literal('wait')
    .describe('Wait so long, whatever happens; `waitFor` is quicker where there is something to wait for'),
  seconds: z.number().min(0).max(MAX_WAIT_SECONDS),
});

export const assert = z.strictObject({
  action: z.literal('assert').describe('Check that the condition holds; it may come true within 5 seconds'),
  condition: conditionSchema,
  message: z.string().max(1000).optional().describe('What to say when it is not so'),
});

export const extract = z
  .strictObject({
    action: z.literal('extract').describe('Read a value, a list or a table as typed JSON: `{{steps.<id>.value}}`'),
    target: targetSchema.optional().describe('The element; for `list` all that match; for `table` the table'),
    json: jsonSourceSchema.optional().describe('JSON of the page, or of what it was sent, in place of an element'),
    locale: z
      .string()
      .min(2)
      .max(35)
      .optional()
      .describe(
        'Language and region of the texts, e.g. `en-GB`: decides what `03/04/2026` and `1,234` are (default: what the page says)',
      ),
    value: fieldSchema.optional().describe('Read one value'),
    list: z
      .union([fieldSchema, z.record(identifierSchema, fieldSchema)])
      .optional()
      .describe('Read each match: one value, or an object of values'),
    table: tableSchema.optional().describe('Read the rows of a table'),
  })
  .refine(({ value, list, table }) => [value, list, table].filter((part) => part !== undefined).length === 1, {
    error: 'An extract step has exactly one of value, list, table; `value: {}` reads the text of the target',
  })
  .refine(({ target, json }) => (target === undefined) !== (json === undefined), {
    error: 'An extract step reads from exactly one of target, json',
  })
  .refine(({ json, table }) => !(json && table), { error: 'A table is read from a target; of JSON read a `list`' })
  .superRefine(({ json, value, list }, context) => {
    const fields = fieldsOf(value ?? list).filter(({ field }) =>
      json ? (field.css ?? field.attribute) !== undefined : field.path !== undefined,
    );
    for (const { path } of fields) {
      context.addIssue({
        code: 'custom',
        path: [value ? 'value' : 'list', ...path],
        message: json ? '`css` and `attribute` go with `target`; of JSON use `path`' : '`path` goes with `json`',
      });
    }
  });

/** The fields of a value or a list, each with its path in it. */
const fieldsOf = (read: Field | Record<string, Field> = {}): { field: Field; path: string[] }[] =>
  isField(read) ? [{ field: read, path: [] }] : Object.entries(read).map(([name, field]) => ({ field, path: [name] }));

export const screenshot = z.strictObject({
  action: z.literal('screenshot').describe('Keep an image of what is in view'),
  label: z.string().min(1).max(10_000).optional().describe('Name of the artifact; a long one is cut'),
  fullPage: z.boolean().optional().describe('The whole page instead of what is in view'),
});

export const observe = z.strictObject({
  action: z
    .literal('observe')
    .describe('Look at the page as a numbered list of elements, as a text; `{element: n}` then means one of them'),
  level: observationLevelSchema.optional().describe('How much (default: interactive)'),
  locators: z
    .boolean()
    .optional()
    .describe('Wait until the page is settled, and list the locators of each element for `target` (default: false)'),
});
