import { z } from 'zod';
import { nameSchema } from '../scalar.ts';
import { conditionSchema } from './condition.ts';
import { fieldSchema, tableSchema } from './extract.ts';
import { targetSchema } from './locator.ts';

/*
 * The one vocabulary of actions. Everything else that speaks of actions (workflow files, REST, the worker protocol, model
 * tools, the console) derives from `actionSchemas`. To add an action: write its schema here, put it into the list, and carry
 * it out in each surface that can (the compiler names the places).
 */

const text = (description: string) => z.string().min(1).max(100_000).describe(description);

const navigate = z.strictObject({
  action: z.literal('navigate').describe('Open a URL in the current page'),
  url: text('Absolute URL, or one relative to the current page'),
  waitUntil: z
    .enum(['load', 'domcontentloaded', 'commit'])
    .optional()
    .describe('When the page counts as open (default: load)'),
});

const click = z.strictObject({
  action: z.literal('click').describe('Click an element'),
  target: targetSchema,
});

const type = z.strictObject({
  action: z
    .literal('type')
    .describe('Type a text into a field; a newline into a single-line field is refused, `press` sends the form'),
  target: targetSchema,
  text: z.string().max(100_000).describe('What to type; it replaces what is there unless `append`'),
  append: z.boolean().optional().describe('Keep what is there'),
  keys: z.boolean().optional().describe('Press key after key, for fields that listen to keys (slower)'),
});

const press = z.strictObject({
  action: z.literal('press').describe('Press a key or a chord'),
  key: text('Key or chord, e.g. `Enter`, `ArrowDown`, `Control+A`'),
  target: targetSchema.optional().describe('Where (default: what has the focus)'),
});

const select = z.strictObject({
  action: z.literal('select').describe('Choose in a select box'),
  target: targetSchema,
  option: z
    .union([z.string(), z.array(z.string()).min(1)])
    .describe('Label or value of the option; a list for a multiple select'),
});

const upload = z.strictObject({
  action: z.literal('upload').describe('Give a file to a file input'),
  target: targetSchema.describe('The file input'),
  file: text('A file input of the workflow, e.g. `{{inputs.purchase_order}}`'),
});

const waitFor = z.strictObject({
  action: z.literal('waitFor').describe('Wait until the condition holds, within the time of the step'),
  condition: conditionSchema,
});

const assert = z.strictObject({
  action: z.literal('assert').describe('Check that the condition holds; it may come true within 5 seconds'),
  condition: conditionSchema,
  message: z.string().max(1000).optional().describe('What to say when it is not so'),
});

const extract = z
  .strictObject({
    action: z.literal('extract').describe('Read a value, a list or a table as typed JSON: `{{steps.<id>.value}}`'),
    target: targetSchema.describe('The element; for `list` all that match; for `table` the table'),
    value: fieldSchema.optional().describe('Read one value'),
    list: z
      .union([fieldSchema, z.record(nameSchema, fieldSchema)])
      .optional()
      .describe('Read each match: one value, or an object of values'),
    table: tableSchema.optional().describe('Read the rows of a table'),
  })
  .refine(({ value, list, table }) => [value, list, table].filter((part) => part !== undefined).length === 1, {
    error: 'An extract step has exactly one of value, list, table; `value: {}` reads the text of the target',
  });

const screenshot = z.strictObject({
  action: z.literal('screenshot').describe('Keep an image of what is in view'),
  label: z.string().min(1).max(100).optional().describe('Name of the artifact'),
  fullPage: z.boolean().optional().describe('The whole page instead of what is in view'),
});

/** Schema of every action, by its name. */
export const actionSchemas = {
  navigate,
  click,
  type,
  press,
  select,
  upload,
  waitFor,
  assert,
  extract,
  screenshot,
} as const;

/** Name of an action. */
export type ActionName = keyof typeof actionSchemas;

/** All action names. */
export const actionNames = Object.keys(actionSchemas) as [ActionName, ...ActionName[]];

/** One primitive on a surface. */
export const actionSchema = z.discriminatedUnion('action', [
  navigate,
  click,
  type,
  press,
  select,
  upload,
  waitFor,
  assert,
  extract,
  screenshot,
]);
export type Action = z.infer<typeof actionSchema>;

/** The action of one name. */
export type ActionOf<Name extends ActionName> = Extract<Action, { action: Name }>;

/** Actions that only look: they can always be repeated. */
export const readOnlyActions: ReadonlySet<ActionName> = new Set(['waitFor', 'assert', 'extract', 'screenshot']);
