import { z } from 'zod';

/** Kinds of locators, most robust first; a locator uses exactly one of them. */
export const locatorKinds = [
  'role',
  'label',
  'placeholder',
  'text',
  'testId',
  'css',
  'screenText',
  'image',
  'elementIndex',
  'point',
  'focus',
] as const;
export type LocatorKind = (typeof locatorKinds)[number];

const exactlyOne = (locator: Partial<Record<LocatorKind, unknown>>) =>
  locatorKinds.filter((kind) => locator[kind] !== undefined).length === 1;

/** Kinds that identify one element only in the current page state. */
const ephemeralKinds = ['elementIndex', 'point', 'focus'] as const;

/** A coordinate in the viewport: 0 is the left or top edge, 1000 the right or bottom edge. */
const coordinateSchema = z.number().min(0).max(1000);

/** Characters of the base64 text of a picture: 75 KB. */
const MAX_IMAGE_CHARS = 100_000;

/** A picture that is looked for on the screen of a desktop. */
export const imageTemplateSchema = z
  .strictObject({
    data: z
      .string()
      .min(1)
      .max(MAX_IMAGE_CHARS)
      .optional()
      .describe('The picture as base64 (PNG, JPEG or WebP), at its size on the screen'),
    file: z.string().min(1).optional().describe('A file input with the picture, e.g. `{{inputs.icon}}`'),
    threshold: z
      .number()
      .min(0.5)
      .max(1)
      .optional()
      .describe('Least similarity of a match, 1 is equal in all pixels (default: 0.9)'),
  })
  .refine(({ data, file }) => (data === undefined) !== (file === undefined), {
    error: 'An image has exactly one of data, file',
  })
  .meta({ id: 'ImageTemplate', description: 'A picture that is looked for on the screen of a desktop' });
export type ImageTemplate = z.infer<typeof imageTemplateSchema>;

/** Finds an element by exactly one of the kinds. Declared by hand, because the type is recursive. */
export interface Locator {
  role?: string;
  name?: string;
  label?: string;
  placeholder?: string;
  text?: string;
  testId?: string;
  css?: string;
  screenText?: string;
  image?: ImageTemplate;
  elementIndex?: number;
  point?: { x: number; y: number };
  focus?: true;
  exact?: boolean;
  hasText?: string;
  has?: Locator;
  pattern?: string;
  nth?: number;
  near?: Locator;
  side?: 'left' | 'right' | 'above' | 'below';
  within?: Locator;
  app?: string;
  window?: string;
}

/** Schema of a locator. Strings may hold templates. */
export const locatorSchema: z.ZodType<Locator> = z
  .strictObject({
    role: z.string().min(1).optional().describe('ARIA role, e.g. `button`; usually together with `name`'),
    name: z
      .string()
      .min(1)
      .optional()
      .describe('Accessible name, only with `role`; contains, whatever the case, unless `exact`'),
    label: z.string().min(1).optional().describe('Text of the label of a form field'),
    placeholder: z.string().min(1).optional().describe('Placeholder of a form field'),
    text: z.string().min(1).optional().describe('Text of the element'),
    testId: z.string().min(1).optional().describe('Value of `data-testid`'),
    css: z.string().min(1).optional().describe('CSS selector; reaches into open shadow roots'),
    screenText: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('On a desktop: text in the picture of a window (OCR), for applications that publish no elements'),
    image: imageTemplateSchema.optional().describe('On a desktop: a picture on the screen'),
    elementIndex: z
      .int()
      .min(0)
      .optional()
      .describe('Number in the list of elements that was seen last; an error when the element is another by now'),
    point: z
      .strictObject({ x: coordinateSchema, y: coordinateSchema })
      .optional()
      .describe('A place in what is in view, in thousandths of its width and height: the last resort'),
    focus: z.literal(true).optional().describe('What has the focus, e.g. the caret of an editor'),
    exact: z.boolean().optional().describe('The whole string, with its case (default: contains, whatever the case)'),
    hasText: z.string().min(1).optional().describe('Keep only elements that contain this text'),
    has: z
      .lazy((): z.ZodType<Locator> => locatorSchema)
      .optional()
      .describe('Keep only elements that contain an element which this locator finds'),
    pattern: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe(
        'Regular expression: keep only elements whose accessible name (with `role`) or text (otherwise) has a match for it',
      ),
    nth: z
      .int()
      .optional()
      .describe('Which of several matches: 0 is the first, -1 the last. Without it two matches are an error'),
    near: z
      .lazy((): z.ZodType<Locator> => locatorSchema)
      .optional()
      .describe('Of several matches the one that is nearest to the element that this locator finds'),
    side: z.enum(['left', 'right', 'above', 'below']).optional().describe('On which side of `near` it has to be'),
    within: z
      .lazy((): z.ZodType<Locator> => locatorSchema)
      .optional()
      .describe('Look only inside the element that this locator finds'),
    app: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'On a desktop: look only in a window of this application, e.g. `mousepad` (default: the active window)',
      ),
    window: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('On a desktop: look only in the window with this in its title, whatever the case'),
  })
  .refine(exactlyOne, { error: `A locator has exactly one of ${locatorKinds.join(', ')}` })
  .refine(({ name, role }) => name === undefined || role !== undefined, {
    error: '`name` goes with `role`; for a form field use `label`, for other elements `text`',
    path: ['name'],
  })
  .refine(({ has }) => has?.pattern === undefined, { error: '`has` takes no `pattern`', path: ['has'] })
  .refine((locator) => !isEphemeralLocator(locator) || Object.keys(locator).length === 1, {
    error: '`elementIndex`, `point` and `focus` stand alone: they mean one element by themselves',
  })
  .refine(({ within, near, has }) => ![within, near, has].some((one) => one && isEphemeralLocator(one)), {
    error: '`within`, `near` and `has` take no `elementIndex`, `point` or `focus`',
  })
  .refine(({ within, near, has }) => ![within, near, has].some((one) => (one?.app ?? one?.window) !== undefined), {
    error: '`within`, `near` and `has` take no `app` or `window`: they are in the same window',
  })
  .refine(({ has }) => has === undefined || (has.within ?? has.near) === undefined, {
    error: '`has` takes no `within` or `near`: it is looked for inside the element',
  })
  .refine(({ near, side, nth }) => (side === undefined || near !== undefined) && !(near && nth !== undefined), {
    error: '`side` goes with `near`, and `near` without `nth`',
  })
  .meta({ id: 'Locator', description: 'One way to find an element' });

/** A chain of locators, tried in order until one finds its element. */
export const targetSchema = z
  .union([locatorSchema, z.array(locatorSchema).min(1).max(10)])
  .meta({ id: 'Target', description: 'A locator, or a list of locators tried in order' });
export type Target = z.infer<typeof targetSchema>;

/** A target as the list it means. */
export const toLocatorChain = (target: Target): Locator[] => (Array.isArray(target) ? target : [target]);

/** Whether a locator is valid only for the current page state: by index, point or focus. */
export const isEphemeralLocator = (locator: Locator): boolean =>
  ephemeralKinds.some((kind) => locator[kind] !== undefined);
