import { z } from 'zod';
import { identifierSchema } from '../primitives.schema.ts';
import { targetSchema } from './locator.schema.ts';
import { conditionSchema } from './condition.schema.ts';
import { observationLevelSchema } from '../observation/observation.schema.ts';

/** Types a text of the page is read as. `date` gives `YYYY-MM-DD`, `money` an amount and its currency. */
export const fieldTypeSchema = z.enum(['string', 'number', 'integer', 'boolean', 'date', 'money']);
export type FieldType = z.infer<typeof fieldTypeSchema>;

const reading = {
  attribute: z
    .string()
    .min(1)
    .optional()
    .describe('Read this attribute instead of the text; `href` and `src` come absolute'),
  type: fieldTypeSchema.optional().describe('Read the text as this type (default: string)'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'Use the three letters of ISO 4217, e.g. EUR')
    .optional()
    .describe('With `money`: the currency of a text that names none, or whose sign is that of several'),
  pattern: z
    .string()
    .max(500)
    .optional()
    .describe(
      'Regular expression, without look-around and back-references; its first group, else the match, is the value',
    ),
  optional: z.boolean().optional().describe('null when it is not there, instead of a failed step'),
};

/** Reads one value from an element. */
export const fieldSchema = z
  .strictObject({
    css: z.string().min(1).optional().describe('Where in the element; without it the element itself'),
    path: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('With `json`: where in the value, a JSONPath (RFC 9535) such as `$.offers.price`'),
    ...reading,
  })
  .meta({ id: 'Field' });
export type Field = z.infer<typeof fieldSchema>;

/** One field, or an object of fields by name: a field has no objects in it. */
export const isField = (list: Field | Record<string, Field>): list is Field =>
  Object.values(list).every((part) => typeof part !== 'object');

/** Reads one column of a table. */
export const columnSchema = z
  .strictObject({ header: z.string().min(1).describe('Text of the column header, whatever the case'), ...reading })
  .meta({ id: 'Column' });
export type Column = z.infer<typeof columnSchema>;

/** A table as rows; with `next`, page after page until the control is gone or disabled. */
export const tableSchema = z
  .strictObject({
    columns: z
      .record(identifierSchema, z.union([z.string().min(1), columnSchema]))
      .describe('Name in the result → header, or how to read the column'),
    next: targetSchema.optional().describe('Control that opens the next page'),
    maxPages: z.int().min(1).max(1000).optional().describe('Stop after this many pages (default 100)'),
  })
  .meta({ id: 'Table' });
export type Table = z.infer<typeof tableSchema>;

/** The source of JSON, and the part to read. */
export const jsonSourceSchema = z
  .strictObject({
    jsonLd: z
      .string()
      .min(1)
      .optional()
      .describe('Objects of this `@type` in the linked data of the page (JSON-LD), e.g. `Product`; `*` is all'),
    script: z
      .string()
      .min(1)
      .optional()
      .describe('CSS selector of a script element that holds JSON, e.g. `#__NEXT_DATA__`'),
    response: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe(
        'URL pattern (`*` is anything) of what the page asks for: the newest such answer is read, and waited for',
      ),
    path: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('JSONPath (RFC 9535) to what is read, e.g. `$.props.pageProps.products[*]` (default: all of it)'),
  })
  .refine(
    ({ jsonLd, script, response }) => [jsonLd, script, response].filter((one) => one !== undefined).length === 1,
    { error: '`json` has exactly one of jsonLd, script, response' },
  )
  .meta({ id: 'JsonSource' });
export type JsonSource = z.infer<typeof jsonSourceSchema>;

/** Maximum number of sources in the evidence of one step. */
export const MAX_EVIDENCE = 100;

/** Sources of the values that a step read, so that a person can find them on the page. */
export const evidenceSchema = z
  .object({
    url: z.string().describe('Of the page, or of the response'),
    total: z.int().min(0).describe('How many values were read'),
    values: z
      .array(
        z.object({
          pointer: z.string().describe('JSON pointer into the value of the step'),
          source: z.string().describe('CSS path of the element; of JSON its JSONPath'),
          text: z.string().nullable().describe('What stood there, shortened; null when nothing did'),
        }),
      )
      .max(MAX_EVIDENCE),
  })
  .meta({ id: 'Evidence', description: 'Where values were read' });
export type Evidence = z.infer<typeof evidenceSchema>;

/* Read-only actions. */

export const waitFor = z.strictObject({
  action: z.literal('waitFor').describe('Wait until the condition holds, within the time of the step'),
  condition: conditionSchema,
});

/** Maximum duration of a `wait` step, in seconds. */
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
const fieldsOf = (shape: Field | Record<string, Field> = {}): { field: Field; path: string[] }[] =>
  isField(shape)
    ? [{ field: shape, path: [] }]
    : Object.entries(shape).map(([name, field]) => ({ field, path: [name] }));

export const screenshot = z.strictObject({
  action: z.literal('screenshot').describe('Keep an image of what is in view'),
  label: z.string().min(1).max(10_000).optional().describe('Name of the artifact; a long one is cut'),
  fullPage: z.boolean().optional().describe('The whole page instead of what is in view'),
});

export const observe = z.strictObject({
  action: z
    .literal('observe')
    .describe('Look at the page as a numbered list of elements, as a text; `{elementIndex: n}` then means one of them'),
  level: observationLevelSchema.optional().describe('How much (default: interactive)'),
  locators: z
    .boolean()
    .optional()
    .describe('Wait until the page is settled, and list the locators of each element for `target` (default: false)'),
});
