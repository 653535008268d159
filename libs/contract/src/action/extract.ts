import { z } from 'zod';
import { nameSchema } from '../scalar.ts';
import { targetSchema } from './locator.ts';

/** Types a text of the page is read as. `date` gives `YYYY-MM-DD`. */
export const fieldTypeSchema = z.enum(['string', 'number', 'integer', 'boolean', 'date']);
export type FieldType = z.infer<typeof fieldTypeSchema>;

const reading = {
  attribute: z
    .string()
    .min(1)
    .optional()
    .describe('Read this attribute instead of the text; `href` and `src` come absolute'),
  type: fieldTypeSchema.optional().describe('Read the text as this type (default: string)'),
  pattern: z.string().max(500).optional().describe('Regular expression; its first group, else the match, is the value'),
  optional: z.boolean().optional().describe('null when it is not there, instead of a failed step'),
};

/** How one value is read from an element. */
export const fieldSchema = z
  .strictObject({
    css: z.string().min(1).optional().describe('Where in the element; without it the element itself'),
    ...reading,
  })
  .meta({ id: 'Field' });
export type Field = z.infer<typeof fieldSchema>;

/** How one column of a table is read. */
export const columnSchema = z
  .strictObject({ header: z.string().min(1).describe('Text of the column header, whatever the case'), ...reading })
  .meta({ id: 'Column' });
export type Column = z.infer<typeof columnSchema>;

/** A table as rows; with `next`, page after page until the control is gone or disabled. */
export const tableSchema = z
  .strictObject({
    columns: z
      .record(nameSchema, z.union([z.string().min(1), columnSchema]))
      .describe('Name in the result → header, or how to read the column'),
    next: targetSchema.optional().describe('Control that opens the next page'),
    maxPages: z.int().min(1).max(1000).optional().describe('Stop after this many pages (default 100)'),
  })
  .meta({ id: 'Table' });
export type Table = z.infer<typeof tableSchema>;
