import { z } from 'zod';
import { targetSchema } from './locator.ts';

/* What a form gets. */

const text = (description: string) => z.string().min(1).max(100_000).describe(description);

export const type = z.strictObject({
  action: z
    .literal('type')
    .describe('Type a text into a field; a newline into a single-line field is refused, `press` sends the form'),
  target: targetSchema,
  text: z.string().max(100_000).describe('What to type; it replaces what is there unless `append`'),
  append: z.boolean().optional().describe('Keep what is there'),
  keys: z.boolean().optional().describe('Press key after key, for fields that listen to keys (slower)'),
});

export const clear = z.strictObject({
  action: z.literal('clear').describe('Empty a field'),
  target: targetSchema,
});

export const press = z.strictObject({
  action: z.literal('press').describe('Press a key or a chord'),
  key: text('Key or chord, e.g. `Enter`, `ArrowDown`, `Control+A`; `ControlOrMeta` is Meta on a Mac'),
  target: targetSchema.optional().describe('Where (default: what has the focus)'),
  times: z.int().min(1).max(100).optional().describe('How often (default: once)'),
});

export const clipboard = z.strictObject({
  action: z
    .literal('clipboard')
    .describe(
      'Read the text that was copied since the last such step (`{{steps.<id>.value}}`), or with `text` put one on the clipboard of the run',
    ),
  text: z.string().max(100_000).optional().describe('What to put there; `press` with `ControlOrMeta+V` pastes it'),
});

export const check = z.strictObject({
  action: z
    .literal('check')
    .describe('Check a checkbox, radio button or switch, native or ARIA; one that is checked stays so'),
  target: targetSchema,
});

export const uncheck = z.strictObject({
  action: z.literal('uncheck').describe('Uncheck a checkbox or switch; one that is not checked stays so'),
  target: targetSchema,
});

export const select = z.strictObject({
  action: z.literal('select').describe('Choose in a select box, an ARIA listbox or combobox'),
  target: targetSchema,
  option: z
    .union([z.string(), z.array(z.string()).min(1)])
    .describe('Label or value of the option; a list for a multiple select, of which all others are left'),
  by: z
    .enum(['label', 'value', 'index'])
    .optional()
    .describe('What `option` says; an index counts from 0 (default: the label, else the value)'),
});
