import { z } from 'zod';
import { locatorSchema } from '../actions/locator.schema.ts';

/* Observation of a surface as text: the elements in view, with the indexes that actions use. */

const triState = z.union([z.boolean(), z.literal('mixed')]);

/** State of an element. Fields that do not apply are missing. */
export const elementStateSchema = z
  .strictObject({
    checked: triState.optional(),
    disabled: z.literal(true).optional(),
    expanded: z.boolean().optional(),
    selected: z.boolean().optional(),
    focused: z.literal(true).optional(),
    pressed: triState.optional(),
    readonly: z.literal(true).optional(),
  })
  .meta({ id: 'ElementState' });
export type ElementState = z.infer<typeof elementStateSchema>;

/**
 * Likely purpose of an element: a search field, a suggestion or menu entry, a button that closes or accepts an overlay, a required field,
 * an invalid field.
 */
export const elementTagSchema = z.enum(['search', 'option', 'closer', 'required', 'invalid']);
export type ElementTag = z.infer<typeof elementTagSchema>;

/** A rectangle relative to the top left corner of the viewport: in CSS pixels, on a desktop in pixels of the screen. */
export const boundsSchema = z.strictObject({ x: z.int(), y: z.int(), width: z.int(), height: z.int() });
export type Bounds = z.infer<typeof boundsSchema>;

/** Possible destinations of a form. */
export const formDestinationsSchema = z
  .strictObject({
    urls: z.array(z.string()).describe('Addresses, first that of Enter in a field'),
    secret: z.literal(true).optional().describe('A field for passwords of the form has something in it'),
  })
  .meta({ id: 'FormDestinations' });
export type FormDestinations = z.infer<typeof formDestinationsSchema>;

/** One element in view. */
export const elementSchema = z
  .strictObject({
    index: z.int().min(0).describe('Its number, the same as long as it stays on the page'),
    interactive: z.boolean().describe('Whether it takes input; the others are there to be read'),
    role: z.string().describe('ARIA role; `clickable` for what only a script makes clickable'),
    name: z.string().describe('Accessible name; of what is there to be read its text. Cut when `length` is there'),
    length: z.int().optional().describe('Characters of the name before it was cut'),
    fallbackName: z.string().optional().describe('What the page itself calls an element without a name'),
    context: z
      .string()
      .optional()
      .describe('Of an element without a name: the text around it, and its number among its like there'),
    description: z.string().optional().describe('Accessible description, e.g. a tooltip'),
    value: z.string().optional().describe('What is in a field; a password never is'),
    secret: z.literal(true).optional().describe('A field for passwords that has something in it'),
    state: elementStateSchema,
    tags: z.array(elementTagSchema),
    bounds: boundsSchema,
    linkUrl: z
      .string()
      .optional()
      .describe('Address of a link, or of the form that a button sends; not told to models'),
    formDestinations: formDestinationsSchema
      .optional()
      .describe('Of a field or button in a form: where the form may be sent to; not told to models'),
    submitButton: z
      .string()
      .optional()
      .describe(
        'In a field of a form: the button that Enter presses there, in view or not; of a form without one its other buttons; empty: the form has none',
      ),
    frame: z.string().optional().describe('Address of the frame it is in, when that is not the page itself'),
    locators: z
      .array(locatorSchema)
      .optional()
      .describe('Locators that match it and no other element, the most stable first; only when requested'),
  })
  .meta({ id: 'Element', description: 'One element in view' });
export type ElementView = z.infer<typeof elementSchema>;

/** A region in view whose content cannot be observed. */
export const opaqueRegionSchema = z.strictObject({
  kind: z
    .enum(['canvas', 'embedded', 'closed-shadow-root', 'frame', 'application'])
    .describe('`application`: a window whose application publishes no elements'),
  name: z.string(),
  bounds: boundsSchema,
});
export type OpaqueRegion = z.infer<typeof opaqueRegionSchema>;

/** Screen of a desktop. */
const screenSchema = z.strictObject({
  width: z.int().min(1).describe('Pixels'),
  height: z.int().min(1).describe('Pixels'),
  scale: z.number().positive().describe('Scale of applications: 1 is 96 dots per inch'),
});
export type Screen = z.infer<typeof screenSchema>;

/**
 * Reason why elements are missing: the application does not answer (`unresponsive`), the read took too long (`timeout`), there are more
 * elements than one read returns (`truncated`), or the screen parser failed (`parser`).
 */
const incompleteReasonSchema = z.enum(['unresponsive', 'timeout', 'truncated', 'parser']);
export type IncompleteReason = z.infer<typeof incompleteReasonSchema>;

/** Size and position in CSS pixels. */
const scrollSchema = z.strictObject({
  above: z.int().min(0).describe('Pixels of the page above what is in view'),
  below: z.int().min(0).describe('Pixels of the page below what is in view'),
});

/** Observation of a page at one moment. */
export const observationSchema = z
  .strictObject({
    url: z.string(),
    title: z.string(),
    document: z.int().min(1).describe('Counts the documents of the page; numbers of elements begin anew with each'),
    loading: z.boolean().describe('Whether the document is still on its way'),
    busy: z
      .literal(true)
      .optional()
      .describe('A loading screen is shown, or something that covers much of the page comes or goes'),
    viewport: z.strictObject({ width: z.int(), height: z.int() }),
    screen: screenSchema.optional().describe('Of a desktop: its screen'),
    incomplete: z
      .strictObject({
        reason: incompleteReasonSchema,
        app: z.string().optional().describe('Id of the application that the elements belong to'),
      })
      .optional()
      .describe('Elements are missing, and why'),
    windows: z
      .array(z.strictObject({ app: z.string().describe('Id of the application'), title: z.string() }))
      .optional()
      .describe('Of a desktop: its other windows, the topmost last'),
    applications: z
      .array(z.strictObject({ id: z.string().describe('For `openApp`'), name: z.string() }))
      .optional()
      .describe('Of a desktop without an active window: the installed applications'),
    scroll: scrollSchema,
    focused: z.int().nullable().describe('Index of the element that has the focus, when it is in the list'),
    focus: elementSchema
      .omit({ index: true })
      .nullable()
      .optional()
      .describe('What has the focus and is not in the list; null: nothing has the focus'),
    elements: z.array(elementSchema),
    opaqueRegions: z.array(opaqueRegionSchema),
    text: z
      .strictObject({ text: z.string(), length: z.int().describe('Characters before it was cut') })
      .optional()
      .describe('Text of the whole page, when it was asked for'),
  })
  .meta({ id: 'Observation', description: 'What was seen of a page at one moment' });
export type Observation = z.infer<typeof observationSchema>;

/** `interactive`: elements that accept input; `view`: also readable elements; `page`: also the text of the whole page. */
export const observationLevelSchema = z.enum(['interactive', 'view', 'page']);
export type ObservationLevel = z.infer<typeof observationLevelSchema>;
