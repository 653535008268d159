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
 * Likely purpose of an element. It is a search field, a suggestion, a button that closes or accepts an overlay, or a
 * required or invalid field.
 */
export const elementTagSchema = z.enum(['search', 'option', 'closer', 'required', 'invalid']);
export type ElementTag = z.infer<typeof elementTagSchema>;

/**
 * A rectangle relative to the top left corner of the viewport. Units: CSS pixels, on a desktop pixels of the screen.
 */
export const boundsSchema = z.strictObject({ x: z.int(), y: z.int(), width: z.int(), height: z.int() });
export type Bounds = z.infer<typeof boundsSchema>;

/** Possible destinations of a form. */
export const formDestinationsSchema = z
  .strictObject({
    urls: z.array(z.string()).describe('Possible destination URLs; the first is used when Enter is pressed in a field'),
    secret: z.literal(true).optional().describe('A password field of the form is not empty'),
  })
  .meta({ id: 'FormDestinations' });
export type FormDestinations = z.infer<typeof formDestinationsSchema>;

/** One element in view. */
export const elementSchema = z
  .strictObject({
    index: z.int().min(0).describe('Index of the element. It is stable while the element stays on the page'),
    interactive: z.boolean().describe('true: the element takes input; false: it is only readable'),
    role: z.string().describe('ARIA role; `clickable` if only a script makes the element clickable'),
    name: z
      .string()
      .describe('Accessible name, or the text of a readable element. It is truncated if `length` is present'),
    length: z.int().optional().describe('Length of the name in characters before it was truncated'),
    fallbackName: z
      .string()
      .optional()
      .describe('Name derived from id, class or icon, for an element without an accessible name'),
    context: z
      .string()
      .optional()
      .describe('For an element without a name: the surrounding text, and its position among similar elements there'),
    description: z.string().optional().describe('Accessible description, e.g. a tooltip'),
    value: z.string().optional().describe('Value of a field, never of a password field'),
    secret: z.literal(true).optional().describe('A password field that is not empty'),
    state: elementStateSchema,
    tags: z.array(elementTagSchema),
    bounds: boundsSchema,
    linkUrl: z
      .string()
      .optional()
      .describe('URL of a link, or of the form that a button submits. It is not sent to models'),
    formDestinations: formDestinationsSchema
      .optional()
      .describe('For a field or button in a form: possible destinations of the form. They are not sent to models'),
    submitButton: z
      .string()
      .optional()
      .describe(
        'For a field in a form: name of the button that Enter presses, or else of the other buttons of the form. Empty: the form has no button',
      ),
    frame: z.string().optional().describe('URL of the frame that contains the element, if it is not the page itself'),
    locators: z
      .array(locatorSchema)
      .optional()
      .describe('Locators that match only this element, most stable first. Only if requested'),
  })
  .meta({ id: 'Element', description: 'One element in view' });
export type ElementView = z.infer<typeof elementSchema>;

/** A region in view whose content cannot be observed. */
export const opaqueRegionSchema = z.strictObject({
  kind: z
    .enum(['canvas', 'embedded', 'closed-shadow-root', 'frame', 'application'])
    .describe('Kind of the region. `application`: a window whose application has no accessible elements'),
  name: z.string(),
  bounds: boundsSchema,
});
export type OpaqueRegion = z.infer<typeof opaqueRegionSchema>;

/** Screen of a desktop. */
const screenSchema = z.strictObject({
  width: z.int().min(1).describe('Width in pixels'),
  height: z.int().min(1).describe('Height in pixels'),
  scale: z.number().positive().describe('Scale of applications: 1 is 96 dots per inch'),
});
export type Screen = z.infer<typeof screenSchema>;

/**
 * Reason why elements are missing. `unresponsive`: the application does not answer. `timeout`: the read took too long.
 * `truncated`: there are more elements than one read returns. `parser`: the screen parser failed.
 */
const incompleteReasonSchema = z.enum(['unresponsive', 'timeout', 'truncated', 'parser']);
export type IncompleteReason = z.infer<typeof incompleteReasonSchema>;

/** Size and position in CSS pixels. */
const scrollSchema = z.strictObject({
  above: z.int().min(0).describe('Pixels of the page above the viewport'),
  below: z.int().min(0).describe('Pixels of the page below the viewport'),
});

/** Observation of a page at one moment. */
export const observationSchema = z
  .strictObject({
    url: z.string(),
    title: z.string(),
    document: z
      .int()
      .min(1)
      .describe('Number of the document in this page. Element indices start again in each document'),
    loading: z.boolean().describe('true: the document is still loading'),
    busy: z.literal(true).optional().describe('A loading screen is visible, or a large overlay appears or disappears'),
    viewport: z.strictObject({ width: z.int(), height: z.int() }),
    screen: screenSchema.optional().describe('Desktop: size of the screen'),
    incomplete: z
      .strictObject({
        reason: incompleteReasonSchema,
        app: z.string().optional().describe('Id of the application whose elements are missing'),
      })
      .optional()
      .describe('Elements are missing, with the reason'),
    page: z
      .strictObject({ url: z.string() })
      .optional()
      .describe('Desktop: the page that a window of Chromium shows. `url` of the observation is that of the window'),
    windows: z
      .array(z.strictObject({ app: z.string().describe('Id of the application'), title: z.string() }))
      .optional()
      .describe('Desktop: other windows, topmost last'),
    applications: z
      .array(z.strictObject({ id: z.string().describe('Id for `openApp`'), name: z.string() }))
      .optional()
      .describe('Desktop without an active window: installed applications'),
    tabs: z
      .array(
        z.strictObject({
          url: z.string(),
          title: z.string(),
          isCurrent: z.boolean().describe('true: the observed page'),
        }),
      )
      .min(2)
      .max(50)
      .optional()
      .describe('Browser: open tabs and windows in the order of opening; missing: only one'),
    scroll: scrollSchema,
    focused: z.int().nullable().describe('Index of the focused element; null: none, or it is not in the list'),
    focus: elementSchema
      .omit({ index: true })
      .nullable()
      .optional()
      .describe('Focused element that is not in the list; null: nothing has the focus'),
    elements: z.array(elementSchema),
    opaqueRegions: z.array(opaqueRegionSchema),
    text: z
      .strictObject({
        text: z.string(),
        length: z.int().describe('Length in characters before it was truncated'),
        isRecognized: z
          .literal(true)
          .optional()
          .describe('Desktop: the text was recognized in the screenshot (OCR) and may have errors'),
      })
      .optional()
      .describe('Text of the whole page or window, if requested'),
  })
  .meta({ id: 'Observation', description: 'Observation of a page at one moment' });
export type Observation = z.infer<typeof observationSchema>;
