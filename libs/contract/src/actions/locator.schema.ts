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

/** Maximum size of an image, in base64 characters: 75 KB. */
const MAX_IMAGE_CHARS = 100_000;

/** An image to find on the screen of a desktop. */
export const imageTemplateSchema = z
  .strictObject({
    data: z
      .string()
      .min(1)
      .max(MAX_IMAGE_CHARS)
      .optional()
      .describe('Image as base64 (PNG, JPEG or WebP), in its size on the screen'),
    file: z.string().min(1).optional().describe('File input with the image, e.g. `{{inputs.icon}}`'),
    threshold: z
      .number()
      .min(0.5)
      .max(1)
      .optional()
      .describe('Minimum similarity of a match, from 0.5 to 1 (default: 0.9). 1 requires equal pixels'),
  })
  .refine(({ data, file }) => (data === undefined) !== (file === undefined), {
    error: 'Give exactly one of data, file',
  })
  .meta({ id: 'ImageTemplate', description: 'Image to find on the screen of a desktop' });
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
    role: z.string().min(1).optional().describe('ARIA role, e.g. `button`, usually with `name`'),
    name: z
      .string()
      .min(1)
      .optional()
      .describe('Accessible name, only with `role`. Matches a part, case-insensitive, unless `exact`'),
    label: z.string().min(1).optional().describe('Label of a form field'),
    placeholder: z.string().min(1).optional().describe('Placeholder of a form field'),
    text: z.string().min(1).optional().describe('Text of the element'),
    testId: z.string().min(1).optional().describe('Value of the `data-testid` attribute'),
    css: z.string().min(1).optional().describe('CSS selector. Finds elements in open shadow roots, too'),
    screenText: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe(
        'Desktop: text recognized in the image of a window (OCR), for applications without accessible elements',
      ),
    image: imageTemplateSchema.optional().describe('Desktop: image on the screen'),
    elementIndex: z
      .int()
      .min(0)
      .optional()
      .describe('Index in the element list of the last observation. Fails if the element has changed since'),
    point: z
      .strictObject({ x: coordinateSchema, y: coordinateSchema })
      .optional()
      .describe(
        'Point in the viewport, in thousandths of its width and height, e.g. `{ x: 500, y: 250 }`. Use it only if no other locator works',
      ),
    focus: z.literal(true).optional().describe('The focused element, e.g. the caret of an editor'),
    exact: z
      .boolean()
      .optional()
      .describe('true: match the whole string, case-sensitive (default: false, match a part, case-insensitive)'),
    hasText: z.string().min(1).optional().describe('Only elements that contain this text'),
    has: z
      .lazy((): z.ZodType<Locator> => locatorSchema)
      .optional()
      .describe('Only elements that contain an element found by this locator'),
    pattern: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe(
        'Only elements whose accessible name (with `role`) or text (otherwise) matches this regular expression',
      ),
    nth: z
      .int()
      .optional()
      .describe(
        'Position among several matches: 0 is the first, -1 the last. Without it, several matches are an error',
      ),
    near: z
      .lazy((): z.ZodType<Locator> => locatorSchema)
      .optional()
      .describe('Of several matches, the one nearest to the element found by this locator'),
    side: z
      .enum(['left', 'right', 'above', 'below'])
      .optional()
      .describe('With `near`: the side of that element on which the match must be'),
    within: z
      .lazy((): z.ZodType<Locator> => locatorSchema)
      .optional()
      .describe('Only inside the element found by this locator, e.g. a dialog or an iframe'),
    app: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Desktop: only in a window of this application, e.g. `mousepad` (default: the active window)'),
    window: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('Desktop: only in the window whose title contains this text, case-insensitive'),
  })
  .refine(exactlyOne, { error: `Give exactly one of ${locatorKinds.join(', ')}` })
  .refine(({ name, role }) => name === undefined || role !== undefined, {
    error: '`name` needs `role`. Use `label` for a form field, or `text` for another element',
    path: ['name'],
  })
  .refine(({ has }) => has?.pattern === undefined, {
    error: '`has` does not support `pattern`: use `text` or `hasText`',
    path: ['has'],
  })
  .refine((locator) => !isEphemeralLocator(locator) || Object.keys(locator).length === 1, {
    error: '`elementIndex`, `point` and `focus` identify one element: remove the other fields',
  })
  .refine(({ within, near, has }) => ![within, near, has].some((locator) => locator && isEphemeralLocator(locator)), {
    error: '`within`, `near` and `has` do not support `elementIndex`, `point` or `focus`: use another locator',
  })
  .refine(
    ({ within, near, has }) => ![within, near, has].some((locator) => (locator?.app ?? locator?.window) !== undefined),
    {
      error: '`within`, `near` and `has` do not support `app` or `window`: set these on the outer locator',
    },
  )
  .refine(({ has }) => has === undefined || (has.within ?? has.near) === undefined, {
    error: '`has` does not support `within` or `near`: it already searches inside the element',
  })
  .refine(({ near, side, nth }) => (side === undefined || near !== undefined) && !(near && nth !== undefined), {
    error: '`side` needs `near`, and `near` cannot be combined with `nth`',
  })
  .meta({
    id: 'Locator',
    description: 'One way to find an element. Give exactly one kind, e.g. `role`, `label` or `css`',
  });

/** A chain of locators, tried in order until one finds its element. */
export const targetSchema = z
  .union([locatorSchema, z.array(locatorSchema).min(1).max(10)])
  .meta({ id: 'Target', description: 'Locator, or a list of locators tried in order until one finds its element' });
export type Target = z.infer<typeof targetSchema>;

/** Returns a target as a list of locators. */
export const toLocatorChain = (target: Target): Locator[] => (Array.isArray(target) ? target : [target]);

/** Names that a locator contains. */
export const locatorNames = ({ name, label, placeholder, text }: Locator): string[] =>
  [name, label, placeholder, text].filter((value) => value !== undefined);

/** True if a locator is valid only for the current page state: by index, point or focus. */
export const isEphemeralLocator = (locator: Locator): boolean =>
  ephemeralKinds.some((kind) => locator[kind] !== undefined);
