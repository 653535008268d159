import { z } from 'zod';
import { appIdSchema } from '../actions/desktop-actions.schema.ts';
import { targetSchema } from '../actions/locator.schema.ts';
import { idSchema, timestampSchema } from '../primitives.schema.ts';
import { MAX_CHOSEN_FILES, MAX_INPUT_TEXT, MAX_INPUTS } from './control-limits.ts';

/*
 * Manual control: a person operates the surface of a run. Only the person with the newest token has control. The run waits until control
 * is released.
 */

/** Maximum number of characters copied from a page at once: they share the socket with lease renewals. */
export const MAX_COPIED_CHARS = 100_000;

/** Maximum options of a dropdown, and maximum characters of an element or option name. */
export const MAX_DROPDOWN_OPTIONS = 1_000;
const MAX_NAME = 200;

/** A point in the viewport: 0 is the left or top edge, 1000 the right or bottom edge. */
const pointFields = {
  x: z.number().min(0).max(1000).describe('Thousandths of the viewport width'),
  y: z.number().min(0).max(1000).describe('Thousandths of the viewport height'),
};
const button = z.enum(['left', 'right', 'middle']).default('left');
/** The second click of a double click has the number 2. */
const count = z.int().min(1).max(3).default(1).describe('Number of the click in a multiple click');
const pixels = z.number().min(-10_000).max(10_000);

/** One mouse, keyboard or dialog input of a person. */
export const controlInputSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('move').describe('Move the pointer'), ...pointFields }),
    z.strictObject({ kind: z.literal('down').describe('Press a mouse button'), ...pointFields, button, count }),
    z.strictObject({ kind: z.literal('up').describe('Release a mouse button'), ...pointFields, button, count }),
    z.strictObject({
      kind: z.literal('scroll').describe('Turn the mouse wheel'),
      ...pointFields,
      dx: pixels.describe('Pixels to the right'),
      dy: pixels.describe('Pixels down'),
    }),
    z.strictObject({
      kind: z.literal('key').describe('Press a key or chord that types no text'),
      key: z.string().min(1).max(50).describe('E.g. `Enter`, `ArrowDown`, `Control+A`'),
    }),
    z.strictObject({
      kind: z.literal('text').describe('Type text into the focused element, from keys or an input method'),
      text: z.string().min(1).max(MAX_INPUT_TEXT),
    }),
    z.strictObject({
      kind: z.literal('selectOption').describe('Select an option of the focused dropdown'),
      index: z.int().min(0).describe('Index of the option in the list, from 0'),
      label: z.string().max(MAX_NAME).describe('Label of the option. If it differs, nothing is selected'),
    }),
    z.strictObject({
      kind: z.literal('paste').describe('Paste text into the focused element'),
      text: z.string().min(1).max(MAX_INPUT_TEXT),
    }),
    z.strictObject({
      kind: z.literal('openApp').describe('Start an application of a desktop'),
      app: appIdSchema,
    }),
    z.strictObject({
      kind: z.literal('dialog').describe('Answer a dialog of the page'),
      dialog: idSchema.describe('Id of the dialog, from the event `dialog.opened`'),
      accept: z.boolean().describe('true: OK; false: Cancel. A file chooser without `files` is cancelled as well'),
      text: z.string().max(MAX_INPUT_TEXT).optional().describe('For a prompt; missing: its default text'),
      files: z
        .array(idSchema)
        .min(1)
        .max(MAX_CHOSEN_FILES)
        .optional()
        .describe('For an accepted file chooser: ids of uploads'),
    }),
  ])
  .meta({ id: 'ControlInput', description: 'One mouse, keyboard or dialog input of a person' });
export type ControlInput = z.infer<typeof controlInputSchema>;

/** The answer of a person to a dialog of the page. */
export type DialogInput = Extract<ControlInput, { kind: 'dialog' }>;

/** Input for the page: everything except the answer to a dialog. */
export type PageInput = Exclude<ControlInput, DialogInput>;

/** Kinds of dialogs that a page opens. */
export const dialogKindSchema = z
  .enum(['alert', 'confirm', 'prompt', 'beforeunload', 'files'])
  .describe('`files`: a file chooser');

/** Maximum characters of the message and the default text of a dialog in an event. */
export const MAX_DIALOG_TEXT = 2_000;

const textOf = (input: ControlInput) => ('text' in input ? (input.text?.length ?? 0) : 0);

/** Inputs of a person, in order. */
export const controlInputsSchema = z
  .array(controlInputSchema)
  .max(MAX_INPUTS)
  .refine((inputs) => inputs.reduce((sum, input) => sum + textOf(input), 0) <= MAX_INPUT_TEXT, {
    error: `The texts of a batch can have at most ${MAX_INPUT_TEXT} characters together: send several batches`,
  });

/** Token of a control session. The newest token is valid. */
export const controlTokenSchema = z.int().min(1);

/** Body of `POST /v1/runs/{run}/control/input`. */
export const sendControlInputSchema = z
  .strictObject({
    token: controlTokenSchema.describe('Token of the control session'),
    inputs: controlInputsSchema.min(1),
  })
  .meta({ id: 'SendControlInput' });
export type SendControlInput = z.infer<typeof sendControlInputSchema>;

/** A control session, as its operator sees it. */
export const controlSessionSchema = z
  .object({
    token: controlTokenSchema.describe('Send it with each input'),
    operator: z.string().describe('Name of the person in control'),
    expiresAt: timestampSchema.describe('Control is released at this time without further input'),
  })
  .meta({ id: 'ControlSession', description: 'Manual control of a run' });
export type ControlSession = z.infer<typeof controlSessionSchema>;

/** Maximum number of elements in an inspection. */
export const MAX_INSPECTED_ELEMENTS = 500;

const pointedFields = {
  element: z.int().min(0).optional().describe('Index of an element in the last inspection'),
  point: z.strictObject(pointFields).optional().describe('A point in the viewport'),
};

/**
 * A query about a page under manual control. It asks for the elements in view, the locators of one element, the options
 * of the focused dropdown, or the selected text.
 */
export const pageQuerySchema = z.object({
  id: idSchema,
  kind: z.enum(['elements', 'dropdown', 'selection']).default('elements'),
  ...pointedFields,
});
export type PageQuery = z.infer<typeof pageQuerySchema>;

/** Body of `POST /v1/runs/{run}/control/inspect`. */
export const inspectPageSchema = z
  .strictObject({ token: controlTokenSchema.describe('Token of the control session'), ...pointedFields })
  .refine(({ element, point: pagePoint }) => element === undefined || pagePoint === undefined, {
    error: 'Give `element` or `at`, not both',
  })
  .meta({ id: 'InspectPage' });
export type InspectPage = z.infer<typeof inspectPageSchema>;

const size = z.number().describe('Thousandths of the viewport');
const bounds = z.object({ x: size, y: size, width: size, height: size });

/** The visible elements of a page under manual control. */
export const pageInspectionSchema = z
  .object({
    url: z.string(),
    title: z.string(),
    elements: z
      .array(
        z.object({
          element: z.int().min(0).describe('Index of the element'),
          role: z.string(),
          name: z.string().max(MAX_NAME),
          interactive: z.boolean().describe('true: the element accepts input'),
          bounds,
        }),
      )
      .max(MAX_INSPECTED_ELEMENTS)
      .describe('In document order'),
    target: targetSchema
      .nullable()
      .describe('Locators of the requested element, most stable first; null: none was requested or found'),
  })
  .meta({ id: 'PageInspection', description: 'Elements in view during manual control' });
export type PageInspection = z.infer<typeof pageInspectionSchema>;

/** Body of `POST /v1/runs/{run}/control/dropdown`. */
export const readDropdownSchema = z
  .strictObject({ token: controlTokenSchema.describe('Token of the control session') })
  .meta({ id: 'ReadDropdown' });
export type ReadDropdown = z.infer<typeof readDropdownSchema>;

/** The focused dropdown of a page under manual control. The browser shows its options in a native popup, which no screenshot contains. */
export const dropdownOptionsSchema = z
  .object({
    dropdown: z
      .object({
        bounds: bounds.describe('Position of the dropdown'),
        options: z
          .array(
            z.object({
              label: z.string().max(MAX_NAME),
              group: z.string().max(MAX_NAME).nullable().describe('Label of its option group'),
              disabled: z.boolean().describe('true: the option cannot be selected'),
              selected: z.boolean(),
            }),
          )
          .max(MAX_DROPDOWN_OPTIONS),
      })
      .nullable()
      .describe('null: no dropdown has the focus'),
  })
  .meta({ id: 'DropdownOptions', description: 'Options of the focused dropdown' });
export type DropdownOptions = z.infer<typeof dropdownOptionsSchema>;

/** Body of `POST /v1/runs/{run}/control/copy`. */
export const copySelectionSchema = z
  .strictObject({
    token: controlTokenSchema.describe('Token of the control session'),
    cut: z.boolean().default(false).describe('Cut: Control+X instead of Control+C'),
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
      .describe('Secrets of the run appear as dots; null: nothing was copied'),
  })
  .meta({ id: 'CopiedText', description: 'Text that was copied during manual control' });
export type CopiedText = z.infer<typeof copiedTextSchema>;

/** Cuts the name of an element to its maximum length. */
export const truncateElementName = (name: string): string => name.slice(0, MAX_NAME);
