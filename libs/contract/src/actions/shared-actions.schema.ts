import { z } from 'zod';
import { targetSchema } from './locator.schema.ts';

/* Pointer actions. */

/** Keys that are held during a click. `ControlOrMeta` is Control, on a Mac Meta. */
export const modifierSchema = z.enum(['Alt', 'Control', 'ControlOrMeta', 'Meta', 'Shift']);
export type Modifier = z.infer<typeof modifierSchema>;

const offset = (description: string) => z.number().min(0).max(100_000).describe(description);

/** A point in an element. */
export const positionSchema = z
  .strictObject({ x: offset('To the right'), y: offset('Down') })
  .describe('A point in the element, in CSS pixels from its top left corner inside the border (default: its middle)');
export type Position = z.infer<typeof positionSchema>;

export const click = z.strictObject({
  action: z.literal('click').describe('Click an element'),
  target: targetSchema,
  button: z.enum(['left', 'right', 'middle']).optional().describe('Button of the mouse (default: left)'),
  count: z.int().min(1).max(3).optional().describe('2 is a double click, 3 a triple one (default: 1)'),
  modifiers: z.array(modifierSchema).min(1).optional().describe('Keys that are held meanwhile'),
  position: positionSchema.optional(),
});

export const hover = z.strictObject({
  action: z.literal('hover').describe('Move the pointer over an element, and leave it there'),
  target: targetSchema,
  position: positionSchema.optional(),
});

const pixels = (description: string) => z.int().min(-100_000).max(100_000).optional().describe(description);

export const drag = z
  .strictObject({
    action: z
      .literal('drag')
      .describe('Drag an element: press on it, move, let go; also for drag and drop of HTML, and on a canvas'),
    target: targetSchema.describe('What is dragged'),
    fromPosition: positionSchema.optional().describe('Where in `target` it is taken, in the same pixels as `position`'),
    to: targetSchema.optional().describe('Where it is let go: this element'),
    position: positionSchema
      .optional()
      .describe(
        'Where in `to` it is let go, in CSS pixels from its top left corner inside the border (default: its middle)',
      ),
    by: z
      .strictObject({ x: pixels('To the right'), y: pixels('Down') })
      .optional()
      .describe('Where it is let go: so many pixels from where it was taken'),
  })
  .refine(({ to, by }) => (to === undefined) !== (by === undefined), {
    error: 'A drag step has exactly one of to, by',
  })
  .refine(({ to, position }) => position === undefined || to !== undefined, {
    error: '`position` is a point in `to`: give `to`',
  });

export const scroll = z
  .strictObject({
    action: z
      .literal('scroll')
      .describe('Scroll: an element into view; with `by` or `to` what scrolls around it, or the page'),
    target: targetSchema.optional().describe('The element; without one the page is scrolled'),
    by: z
      .strictObject({ x: pixels('To the right'), y: pixels('Down') })
      .optional()
      .describe('Pixels, by the wheel of the mouse over the element'),
    to: z.enum(['top', 'bottom', 'left', 'right']).optional().describe('To this end'),
  })
  .refine(({ by, to, target }) => !(by && to) && (by ?? to ?? target) !== undefined, {
    error: 'A scroll step has a target, or one of by, to',
  });

/* Form, keyboard and clipboard actions. */

const text = (description: string) => z.string().min(1).max(100_000).describe(description);

export const fill = z.strictObject({
  action: z
    .literal('fill')
    .describe('Set the text of a field; a newline into a single-line field is refused, `press` sends the form'),
  target: targetSchema,
  text: z.string().max(100_000).describe('Text of the field; it replaces what is there unless `append`'),
  append: z.boolean().optional().describe('Keep what is there'),
});

export const type = z.strictObject({
  action: z
    .literal('type')
    .describe('Press the keys of a text one after the other, for fields that listen to keys (slower than `fill`)'),
  target: targetSchema.optional().describe('The field (default: what has the focus)'),
  text: z.string().max(100_000).describe('Text to type; in a `target` it replaces what is there unless `append`'),
  append: z.boolean().optional().describe('Keep what is there'),
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

export const readClipboard = z.strictObject({
  action: z
    .literal('readClipboard')
    .describe('Read the text that was copied since the last such step: `{{steps.<id>.value}}`'),
});

export const writeClipboard = z.strictObject({
  action: z.literal('writeClipboard').describe('Put a text on the clipboard of the run'),
  text: z.string().max(100_000).describe('Text to put there; `press` with `ControlOrMeta+V` pastes it'),
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

export const selectOption = z.strictObject({
  action: z.literal('selectOption').describe('Choose in a select box, an ARIA listbox or combobox'),
  target: targetSchema,
  option: z
    .union([z.string(), z.array(z.string()).min(1)])
    .describe('Label or value of the option; a list for a multiple select, of which all others are left'),
  by: z
    .enum(['label', 'value', 'index'])
    .optional()
    .describe('What `option` says; an index counts from 0 (default: the label, else the value)'),
});
