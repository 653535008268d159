import { z } from 'zod';
import { targetSchema } from '../actions/locator.schema.ts';
import { idSchema, timestampSchema } from '../primitives.schema.ts';

/*
 * Manual control: a person operates the surface of a run. Only the person with the newest token has control. The run waits until control
 * is released.
 */

/** Most inputs of one batch, and most characters in all of them: they travel on the socket on which cancels come. */
export const MAX_INPUTS = 100;
export const MAX_INPUT_TEXT = 20_000;

/** Milliseconds without input after which control is released. */
export const CONTROL_IDLE_MS = 60_000;

/** Most characters that are copied out of a page at once: they come on the socket on which renewals go. */
export const MAX_COPIED_CHARS = 100_000;

/** Maximum number of options of a dropdown, and of characters of an element or option name. */
export const MAX_DROPDOWN_OPTIONS = 1_000;
const MAX_NAME = 200;

/** Most files that a file chooser gets at once. */
export const MAX_CHOSEN_FILES = 20;

/** A point in the viewport: 0 is the left or top edge, 1000 the right or bottom edge. */
const place = {
  x: z.number().min(0).max(1000).describe('Thousandths of the width of what is shown'),
  y: z.number().min(0).max(1000).describe('Thousandths of its height'),
};
const button = z.enum(['left', 'right', 'middle']).default('left');
/** A second click at once is one of a double click. */
const count = z.int().min(1).max(3).default(1).describe('Which click in a row it is');
const pixels = z.number().min(-10_000).max(10_000);

/** One thing that a person does with mouse and keyboard. */
export const controlInputSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('move').describe('The pointer moves'), ...place }),
    z.strictObject({ kind: z.literal('down').describe('A button goes down'), ...place, button, count }),
    z.strictObject({ kind: z.literal('up').describe('A button comes up'), ...place, button, count }),
    z.strictObject({
      kind: z.literal('scroll').describe('The wheel of the mouse turns'),
      ...place,
      dx: pixels.describe('Pixels to the right'),
      dy: pixels.describe('Pixels down'),
    }),
    z.strictObject({
      kind: z.literal('key').describe('A key or a chord that types no text'),
      key: z.string().min(1).max(50).describe('E.g. `Enter`, `ArrowDown`, `Control+A`'),
    }),
    z.strictObject({
      kind: z.literal('text').describe('A text is typed where the focus is, as it comes of keys or of an input method'),
      text: z.string().min(1).max(MAX_INPUT_TEXT),
    }),
    z.strictObject({
      kind: z.literal('selectOption').describe('Something is chosen in the drop-down list that has the focus'),
      index: z.int().min(0).describe('Index of the option in the list, from 0'),
      label: z.string().max(MAX_NAME).describe('As the list was told: in another one nothing is chosen'),
    }),
    z.strictObject({
      kind: z.literal('paste').describe('A text is pasted where the focus is'),
      text: z.string().min(1).max(MAX_INPUT_TEXT),
    }),
    z.strictObject({
      kind: z.literal('dialog').describe('A dialog of the page is answered'),
      dialog: idSchema.describe('Its id, from the event `dialog.opened`'),
      accept: z.boolean().describe('true: OK; false: Cancel. A file chooser without `files` is cancelled as well'),
      text: z.string().max(MAX_INPUT_TEXT).optional().describe('For a prompt; left out: the text that it proposes'),
      files: z
        .array(idSchema)
        .min(1)
        .max(MAX_CHOSEN_FILES)
        .optional()
        .describe('For a file chooser that is accepted: ids of uploads'),
    }),
  ])
  .meta({ id: 'ControlInput', description: 'One thing that a person does with mouse and keyboard' });
export type ControlInput = z.infer<typeof controlInputSchema>;

/** The answer of a person to a dialog of the page. */
export type DialogInput = Extract<ControlInput, { kind: 'dialog' }>;

/** Input that the page takes: all but the answer to a dialog. */
export type PageInput = Exclude<ControlInput, DialogInput>;

/** Kinds of dialogs that a page opens. */
export const dialogKindSchema = z
  .enum(['alert', 'confirm', 'prompt', 'beforeunload', 'files'])
  .describe('`files`: a file chooser');

/** Characters of a question, or of a proposed text, of a dialog that an event has. */
export const MAX_DIALOG_TEXT = 2_000;

const textOf = (input: ControlInput) => ('text' in input ? (input.text?.length ?? 0) : 0);

/** Inputs of a person, in order. */
export const controlInputsSchema = z
  .array(controlInputSchema)
  .max(MAX_INPUTS)
  .refine((inputs) => inputs.reduce((sum, input) => sum + textOf(input), 0) <= MAX_INPUT_TEXT, {
    error: `All texts of a batch have at most ${MAX_INPUT_TEXT} characters together`,
  });

/** Token of a control session. The newest token is valid. */
export const controlTokenSchema = z.int().min(1);

/** Body of `POST /v1/runs/{run}/control/input`. */
export const sendControlInputSchema = z
  .strictObject({
    token: controlTokenSchema.describe('As it was given with the wheel'),
    inputs: controlInputsSchema.min(1),
  })
  .meta({ id: 'SendControlInput' });
export type SendControlInput = z.infer<typeof sendControlInputSchema>;

/** A control session, as its operator sees it. */
export const controlSessionSchema = z
  .object({
    token: controlTokenSchema.describe('To be sent with the input'),
    operator: z.string().describe('Who has the wheel'),
    expiresAt: timestampSchema.describe('Without input by then it goes back'),
  })
  .meta({ id: 'ControlSession', description: 'The wheel of a run, in the hands of whoever asked' });
export type ControlSession = z.infer<typeof controlSessionSchema>;

/** Maximum number of elements in an inspection. */
export const MAX_INSPECTED_ELEMENTS = 500;

const pointedFields = {
  element: z.int().min(0).optional().describe('An element by its number in the last look'),
  point: z.strictObject(place).optional().describe('What is at a place'),
};

/**
 * A query about a page under manual control: the elements in view and the locators of one of them, the options of the focused dropdown, or
 * the selected text.
 */
export const pageQuerySchema = z.object({
  id: idSchema,
  kind: z.enum(['elements', 'dropdown', 'selection']).default('elements'),
  ...pointedFields,
});
export type PageQuery = z.infer<typeof pageQuerySchema>;

/** Body of `POST /v1/runs/{run}/control/inspect`. */
export const inspectPageSchema = z
  .strictObject({ token: controlTokenSchema.describe('As it was given with the wheel'), ...pointedFields })
  .refine(({ element, point: at }) => element === undefined || at === undefined, {
    error: 'Give `element` or `at`, not both',
  })
  .meta({ id: 'InspectPage' });
export type InspectPage = z.infer<typeof inspectPageSchema>;

const size = z.number().describe('Thousandths of what is shown');
const bounds = z.object({ x: size, y: size, width: size, height: size });

/** The visible elements of a page under manual control. */
export const pageInspectionSchema = z
  .object({
    url: z.string(),
    title: z.string(),
    elements: z
      .array(
        z.object({
          element: z.int().min(0).describe('Its number'),
          role: z.string(),
          name: z.string().max(MAX_NAME),
          interactive: z.boolean().describe('Whether it takes input'),
          bounds,
        }),
      )
      .max(MAX_INSPECTED_ELEMENTS)
      .describe('As they stand on the page'),
    target: targetSchema
      .nullable()
      .describe('Ways to find what was asked for, the sturdiest first; null: nothing was asked for, or none is known'),
  })
  .meta({ id: 'PageInspection', description: 'What is in view of a page that is driven' });
export type PageInspection = z.infer<typeof pageInspectionSchema>;

/** Body of `POST /v1/runs/{run}/control/dropdown`. */
export const readDropdownSchema = z
  .strictObject({ token: controlTokenSchema.describe('As it was given with the wheel') })
  .meta({ id: 'ReadDropdown' });
export type ReadDropdown = z.infer<typeof readDropdownSchema>;

/** The focused dropdown of a page under manual control. The browser shows its options in a native popup, which no screenshot contains. */
export const dropdownOptionsSchema = z
  .object({
    dropdown: z
      .object({
        bounds: bounds.describe('Where the list is'),
        options: z
          .array(
            z.object({
              label: z.string().max(MAX_NAME),
              group: z.string().max(MAX_NAME).nullable().describe('What it stands under'),
              disabled: z.boolean().describe('Whether it cannot be chosen'),
              selected: z.boolean(),
            }),
          )
          .max(MAX_DROPDOWN_OPTIONS),
      })
      .nullable()
      .describe('null: no such list has the focus'),
  })
  .meta({ id: 'DropdownOptions', description: 'What the drop-down list offers that has the focus' });
export type DropdownOptions = z.infer<typeof dropdownOptionsSchema>;

/** Body of `POST /v1/runs/{run}/control/copy`. */
export const copySelectionSchema = z
  .strictObject({
    token: controlTokenSchema.describe('As it was given with the wheel'),
    cut: z.boolean().default(false).describe('Cut it out: Control+X instead of Control+C'),
  })
  .meta({ id: 'CopySelection' });
export type CopySelection = z.infer<typeof copySelectionSchema>;

/** The text that was copied on a page under manual control. */
export const copiedTextSchema = z
  .object({
    text: z
      .string()
      .max(MAX_COPIED_CHARS)
      .nullable()
      .describe('Secrets of the run stand in it as dots; null: nothing was copied'),
  })
  .meta({ id: 'CopiedText', description: 'What was copied on a page that is driven' });
export type CopiedText = z.infer<typeof copiedTextSchema>;

/** Cuts the name of an element to its maximum length. */
export const truncateElementName = (name: string): string => name.slice(0, MAX_NAME);
