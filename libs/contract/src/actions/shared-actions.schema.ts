import { z } from 'zod';
import { targetSchema } from './locator.schema.ts';

/* Pointer actions. */

/** Keys that are held during a click. `ControlOrMeta` is Control, on a Mac Meta. */
export const modifierSchema = z.enum(['Alt', 'Control', 'ControlOrMeta', 'Meta', 'Shift']);
export type Modifier = z.infer<typeof modifierSchema>;

const offset = (description: string) => z.number().min(0).max(100_000).describe(description);

/** A point in an element. */
export const positionSchema = z
  .strictObject({ x: offset('Pixels to the right'), y: offset('Pixels down') })
  .describe('Point in the element, in CSS pixels from its top left corner inside the border (default: its center)');
export type Position = z.infer<typeof positionSchema>;

export const click = z.strictObject({
  action: z.literal('click').describe('Click an element. It succeeds only if that element receives the click'),
  target: targetSchema,
  button: z.enum(['left', 'right', 'middle']).optional().describe('Mouse button (default: left)'),
  count: z
    .int()
    .min(1)
    .max(3)
    .optional()
    .describe('Number of clicks: 2 is a double click, 3 a triple click (default: 1)'),
  modifiers: z.array(modifierSchema).min(1).optional().describe('Keys to hold during the click'),
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
      .describe('Drag an element to another element or by an offset. Works with HTML drag and drop and on a canvas'),
    target: targetSchema.describe('Element to drag'),
    fromPosition: positionSchema
      .optional()
      .describe(
        'Point in `target` where the drag starts, in CSS pixels from its top left corner (default: its center)',
      ),
    to: targetSchema.optional().describe('Element to drop on'),
    position: positionSchema
      .optional()
      .describe('Point in `to` where the drag ends, in CSS pixels from its top left corner (default: its center)'),
    by: z
      .strictObject({ x: pixels('Pixels to the right'), y: pixels('Pixels down') })
      .optional()
      .describe('Offset from the start to the drop point, in pixels'),
  })
  .refine(({ to: dropTarget, by: distance }) => (dropTarget === undefined) !== (distance === undefined), {
    error: 'Give exactly one of to, by',
  })
  .refine(({ to: dropTarget, position }) => position === undefined || dropTarget !== undefined, {
    error: '`position` is a point in `to`: give `to`, or remove `position`',
  });

export const scroll = z
  .strictObject({
    action: z
      .literal('scroll')
      .describe('Scroll an element into view. With `by` or `to`: scroll its container, or the page'),
    target: targetSchema.optional().describe('Element to scroll to, or inside of (default: the page)'),
    by: z
      .strictObject({ x: pixels('Pixels to the right'), y: pixels('Pixels down') })
      .optional()
      .describe('Distance in pixels, sent as a mouse wheel event over the element or the page'),
    to: z.enum(['top', 'bottom', 'left', 'right']).optional().describe('End to scroll to'),
  })
  .refine(({ by: distance, to: end, target }) => !(distance && end) && (distance ?? end ?? target) !== undefined, {
    error: 'Give a target, or one of by, to',
  });

/* Form, keyboard and clipboard actions. */

const text = (description: string) => z.string().min(1).max(100_000).describe(description);

const requiredDelivery = z
  .literal('delivered')
  .optional()
  .describe(
    '`delivered`: the step fails if the text cannot be read back (default: it completes, and its effect is `unverifiable`)',
  );

export const fill = z.strictObject({
  action: z
    .literal('fill')
    .describe('Set the text of a field, and read it back. It never submits the form: use `press` with `Enter`'),
  target: targetSchema,
  text: z.string().max(100_000).describe('Text to enter. It replaces the current text unless `append` is true'),
  append: z.boolean().optional().describe('true: keep the current text and append to it (default: false)'),
  require: requiredDelivery,
});

export const type = z.strictObject({
  action: z
    .literal('type')
    .describe('Press the keys of a text one by one, for fields that react to keys. Slower than `fill`'),
  target: targetSchema.optional().describe('Field to type into (default: the focused element)'),
  text: z
    .string()
    .max(100_000)
    .describe('Text to type. In a `target` it replaces the current text unless `append` is true'),
  append: z.boolean().optional().describe('true: keep the current text and append to it (default: false)'),
  require: requiredDelivery,
});

export const clear = z.strictObject({
  action: z.literal('clear').describe('Remove the text of a field'),
  target: targetSchema,
});

export const press = z.strictObject({
  action: z.literal('press').describe('Press a key or a key combination'),
  key: text(
    'Key or combination, e.g. `Enter`, `ArrowDown` or `ControlOrMeta+A`. `ControlOrMeta` is Meta on a Mac, otherwise Control',
  ),
  target: targetSchema.optional().describe('Element that receives the key (default: the focused element)'),
  times: z.int().min(1).max(100).optional().describe('Number of times (default: 1)'),
  holdSeconds: z
    .number()
    .min(0.1)
    .max(30)
    .optional()
    .describe('Seconds to hold the key each time, while it repeats (default: a short press)'),
});

export const readClipboard = z.strictObject({
  action: z
    .literal('readClipboard')
    .describe('Read the text that was copied to the clipboard of the run since the last `readClipboard` step'),
});

export const writeClipboard = z.strictObject({
  action: z.literal('writeClipboard').describe('Write a text to the clipboard of the run'),
  text: z.string().max(100_000).describe('Text to write. Paste it with `press` and `ControlOrMeta+V`'),
});

export const check = z.strictObject({
  action: z
    .literal('check')
    .describe('Check a checkbox, radio button or switch, native or ARIA. If it is already checked, nothing happens'),
  target: targetSchema,
});

export const uncheck = z.strictObject({
  action: z
    .literal('uncheck')
    .describe('Uncheck a checkbox or switch, native or ARIA. If it is already unchecked, nothing happens'),
  target: targetSchema,
});

export const selectOption = z.strictObject({
  action: z.literal('selectOption').describe('Choose an option of a `<select>`, or of an ARIA listbox or combobox'),
  target: targetSchema,
  option: z
    .union([z.string(), z.array(z.string()).min(1)])
    .describe('Option to choose, or a list for a multiple selection. Options that are not listed are deselected'),
  by: z
    .enum(['label', 'value', 'index'])
    .optional()
    .describe('How `option` identifies it. An index counts from 0 (default: by label, then by value)'),
});
