import { z } from 'zod';
import { imageTemplateSchema, isEphemeralLocator, toLocatorChain, targetSchema } from './locator.schema.ts';

const conditionKeys = [
  'url',
  'title',
  'text',
  'visible',
  'enabled',
  'hidden',
  'count',
  'loadState',
  'app',
  'window',
  'image',
  'stableMs',
] as const;

/** An element that conditions look up again each time. An index or a point could match anything, so neither is allowed. */
const namedSchema = targetSchema.refine((target) => !toLocatorChain(target).some(isEphemeralLocator), {
  error: 'A condition cannot use `elementIndex`, `point` or `focus`: use a locator such as `role` and `name`',
});

const number = z.int().min(0).max(100_000).optional();

/** Limits on the number of visible elements. */
export const countSchema = z
  .strictObject({
    target: namedSchema.describe('Locators of the elements to count. Only visible elements count'),
    equals: number.describe('Exact number'),
    min: number.describe('Minimum number'),
    max: number.describe('Maximum number'),
  })
  .refine(({ equals, min, max }) => (equals === undefined) !== (min === undefined && max === undefined), {
    error: 'Give either `equals`, or `min`, `max` or both',
  })
  .refine(({ min = 0, max = Infinity }) => min <= max, {
    error: '`min` must not be greater than `max`',
    path: ['min'],
  });
export type Count = z.infer<typeof countSchema>;

/** A condition of the page. All given parts must hold. */
export const conditionSchema = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .optional()
      .describe(
        'The URL contains this text, or matches this pattern as a whole if it has a `*`. On a desktop the URL of the window, or of the page that a Chromium shows in it',
      ),
    title: z.string().min(1).optional().describe('The page title contains this text, case-insensitive'),
    text: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(20)])
      .optional()
      .describe('The page shows this text, or all texts of a list, case-insensitive'),
    visible: namedSchema.optional().describe('The element is visible'),
    enabled: namedSchema
      .optional()
      .describe('The element is visible and not disabled by attribute, ARIA, style or class'),
    hidden: namedSchema.optional().describe('The element is absent or hidden'),
    count: countSchema.optional().describe('The number of visible elements is in range'),
    loadState: z
      .enum(['domcontentloaded', 'load', 'networkidle'])
      .optional()
      .describe(
        'The page reached this load state. `networkidle`: no request for half a second. On a desktop `domcontentloaded` and `load`, of the page that a Chromium shows in the active window',
      ),
    app: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Desktop: the application has an open window; with `window`, one with that title'),
    window: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('Desktop: a window whose title contains this text is open, active or not'),
    image: imageTemplateSchema.optional().describe('Desktop: the screen shows this image'),
    stableMs: z
      .int()
      .min(50)
      .max(60_000)
      .optional()
      .describe(
        'Desktop: the screen has not changed for this many milliseconds. A blinking caret does not count as a change',
      ),
  })
  .refine((condition) => conditionKeys.some((key) => condition[key] !== undefined), {
    error: `Give at least one of ${conditionKeys.join(', ')}`,
  })
  .meta({ id: 'Condition', description: 'Condition of the page or the desktop. All parts must hold' });
export type Condition = z.infer<typeof conditionSchema>;

/** The texts that a condition requires on the page. */
export const conditionTexts = ({ text }: Condition): readonly string[] =>
  text === undefined ? [] : typeof text === 'string' ? [text] : text;
