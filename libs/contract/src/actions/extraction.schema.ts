import { z } from 'zod';
import { identifierSchema } from '../primitives.schema.ts';
import { targetSchema } from './locator.schema.ts';
import { conditionSchema } from './condition.schema.ts';

/** Types a text of the page is read as. `date` gives `YYYY-MM-DD`, `money` an amount and its currency. */
export const fieldTypeSchema = z.enum(['string', 'number', 'integer', 'boolean', 'date', 'money']);
export type FieldType = z.infer<typeof fieldTypeSchema>;

const reading = {
  attribute: z
    .string()
    .min(1)
    .optional()
    .describe('Attribute to read instead of the text. `href` and `src` become absolute URLs'),
  type: fieldTypeSchema
    .optional()
    .describe(
      'Type of the value (default: string, or the type in `outputSchema`). `date` gives `YYYY-MM-DD`, `money` an amount and its currency',
    ),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'Use a three-letter ISO 4217 code, e.g. EUR')
    .optional()
    .describe(
      'With `money`: ISO 4217 code for texts without a currency or with an ambiguous sign such as `$`, e.g. `AUD`',
    ),
  pattern: z
    .string()
    .max(500)
    .optional()
    .describe(
      'Regular expression (ECMAScript with flag `u`), without look-around and back-references. The value is its first group, or else the match',
    ),
  optional: z
    .boolean()
    .optional()
    .describe('true: the value is null if it is missing (default: false, the step fails)'),
};

/** Reads one value from an element. */
export const fieldSchema = z
  .strictObject({
    css: z.string().min(1).optional().describe('CSS selector inside the element (default: the element itself)'),
    path: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe('With `json`: JSONPath (RFC 9535) inside the value, e.g. `$.offers.price`'),
    ...reading,
  })
  .meta({ id: 'Field' });
export type Field = z.infer<typeof fieldSchema>;

/** One field, or an object of fields by name: a field has no objects in it. */
export const isField = (list: Field | Record<string, Field>): list is Field =>
  Object.values(list).every((part) => typeof part !== 'object');

/** Reads one column of a table. */
export const columnSchema = z
  .strictObject({ header: z.string().min(1).describe('Text of the column header, case-insensitive'), ...reading })
  .meta({ id: 'Column' });
export type Column = z.infer<typeof columnSchema>;

/** A table as rows; with `next`, page after page until the control is gone or disabled. */
export const tableSchema = z
  .strictObject({
    columns: z
      .record(identifierSchema, z.union([z.string().min(1), columnSchema]))
      .describe('Columns by name in the result: the text of the header, or an object with `header` and how to read it'),
    next: targetSchema
      .optional()
      .describe('Control that opens the next page. Reading ends when it is hidden or disabled'),
    maxPages: z.int().min(1).max(1000).optional().describe('Maximum number of pages to read (default: 100)'),
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
      .describe('`@type` of objects in the JSON-LD of the page, e.g. `Product`. `*` matches all'),
    script: z
      .string()
      .min(1)
      .optional()
      .describe('CSS selector of a script element that contains JSON, e.g. `#__NEXT_DATA__`'),
    response: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe(
        'URL pattern of requests of the page, e.g. `*/api/stock?*`. The newest response is read, and waited for',
      ),
    path: z
      .string()
      .min(1)
      .max(500)
      .optional()
      .describe(
        'JSONPath (RFC 9535) to the part to read, e.g. `$.props.pageProps.products[*]` (default: the whole document)',
      ),
  })
  .refine(
    ({ jsonLd, script, response }) => [jsonLd, script, response].filter((source) => source !== undefined).length === 1,
    { error: 'Give exactly one of jsonLd, script, response' },
  )
  .meta({ id: 'JsonSource' });
export type JsonSource = z.infer<typeof jsonSourceSchema>;

/** Maximum number of sources in the evidence of one step. */
export const MAX_EVIDENCE = 100;

/** Sources of the values that a step read, so that a person can find them on the page. */
export const evidenceSchema = z
  .object({
    url: z.string().describe('URL of the page, or of the response'),
    total: z.int().min(0).describe('Number of values that were read'),
    values: z
      .array(
        z.object({
          pointer: z.string().describe('JSON pointer into the value of the step'),
          source: z.string().describe('CSS path of the element, or JSONPath in the JSON'),
          text: z.string().nullable().describe('Source text, truncated; null: there was none'),
        }),
      )
      .max(MAX_EVIDENCE),
  })
  .meta({ id: 'Evidence', description: 'Where the values of a step were read' });
export type Evidence = z.infer<typeof evidenceSchema>;

/* Read-only actions. */

export const waitFor = z.strictObject({
  action: z.literal('waitFor').describe('Wait until a condition holds, within the timeout of the step'),
  condition: conditionSchema,
});

/** Maximum duration of a `wait` step, in seconds. */
export const MAX_WAIT_SECONDS = 600;

export const wait = z.strictObject({
  action: z.literal('wait').describe('Wait for a fixed time. Prefer `waitFor` if there is a condition to wait for'),
  seconds: z.number().min(0).max(MAX_WAIT_SECONDS).describe(`Time to wait in seconds, at most ${MAX_WAIT_SECONDS}`),
});

export const assert = z.strictObject({
  action: z.literal('assert').describe('Fail unless a condition holds, or comes to hold within 5 seconds'),
  condition: conditionSchema,
  message: z.string().max(1000).optional().describe('Error message if the condition does not hold'),
});

export const extract = z
  .strictObject({
    action: z.literal('extract').describe('Read a value, a list or a table as typed JSON'),
    target: targetSchema.optional().describe('Element to read. For `list`: every match. For `table`: the table'),
    json: jsonSourceSchema
      .optional()
      .describe('JSON source to read instead of an element: JSON-LD, a script element or a response'),
    locale: z
      .string()
      .min(2)
      .max(35)
      .optional()
      .describe(
        'Language and region of the texts, e.g. `en-GB`. Decides how `03/04/2026` and `1,234` are read (default: the `lang` of the page)',
      ),
    value: fieldSchema.optional().describe('Read one value. `{}` reads the text of the target.'),
    list: z
      .union([fieldSchema, z.record(identifierSchema, fieldSchema)])
      .optional()
      .describe('Read one value, or an object of values, from each match'),
    table: tableSchema.optional().describe('Read the rows of a table, by its column headers'),
  })
  .refine(({ value, list, table }) => [value, list, table].filter((part) => part !== undefined).length === 1, {
    error: 'Give exactly one of value, list, table. `value: {}` reads the text of the target.',
  })
  .refine(({ target, json }) => (target === undefined) !== (json === undefined), {
    error: 'Give exactly one of target, json',
  })
  .refine(({ json, table }) => !(json && table), { error: '`table` cannot read JSON: use `list`' })
  .superRefine(({ json, value, list }, context) => {
    const fields = fieldsOf(value ?? list).filter(({ field }) =>
      json ? (field.css ?? field.attribute) !== undefined : field.path !== undefined,
    );
    for (const { path } of fields) {
      context.addIssue({
        code: 'custom',
        path: [value ? 'value' : 'list', ...path],
        message: json ? '`css` and `attribute` cannot read JSON: use `path`' : '`path` only reads JSON: use `css`',
      });
    }
  });

/** The fields of a value or a list, each with its path in it. */
const fieldsOf = (shape: Field | Record<string, Field> = {}): { field: Field; path: string[] }[] =>
  isField(shape)
    ? [{ field: shape, path: [] }]
    : Object.entries(shape).map(([name, field]) => ({ field, path: [name] }));

export const screenshot = z.strictObject({
  action: z.literal('screenshot').describe('Store a screenshot as an artifact'),
  label: z.string().min(1).max(10_000).optional().describe('Name of the artifact. A long name is truncated'),
  fullPage: z.boolean().optional().describe('true: capture the whole page (default: false, only what is in view)'),
});

/** `interactive`: elements that accept input; `view`: also readable elements; `page`: also the text of the whole page. */
export const observationLevelSchema = z.enum(['interactive', 'view', 'page']);
export type ObservationLevel = z.infer<typeof observationLevelSchema>;

export const observe = z.strictObject({
  action: z
    .literal('observe')
    .describe('Read the page or window as a numbered list of elements. Targets may then use `elementIndex`'),
  level: observationLevelSchema.optional().describe('Amount of detail (default: interactive)'),
  locators: z
    .boolean()
    .optional()
    .describe('true: wait until the page is settled, and list the locators that find each element (default: false)'),
});
