import { z } from 'zod';
import { targetSchema } from './locator.ts';

/* What a mouse does. */

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
