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
  error: 'A condition names its element; `elementIndex` and `point` are no names',
});

const number = z.int().min(0).max(100_000).optional();

/** Limits on the number of visible elements. */
export const countSchema = z
  .strictObject({
    target: namedSchema.describe('Visible elements that this finds are counted'),
    equals: number.describe('Exactly so many'),
    min: number.describe('At least so many'),
    max: number.describe('At most so many'),
  })
  .refine(({ equals, min, max }) => (equals === undefined) !== (min === undefined && max === undefined), {
    error: '`count` has either `equals`, or `min`, `max` or both',
  })
  .refine(({ min = 0, max = Infinity }) => min <= max, { error: '`min` is greater than `max`', path: ['min'] });
export type Count = z.infer<typeof countSchema>;

/** A condition of the page. All given parts must hold. */
export const conditionSchema = z
  .strictObject({
    url: z.string().min(1).optional().describe('The URL contains this; with `*` it is a pattern for the whole URL'),
    title: z.string().min(1).optional().describe('The title contains this, whatever the case'),
    text: z
      .union([z.string().min(1), z.array(z.string().min(1)).min(1).max(20)])
      .optional()
      .describe('The page shows this text, or all texts of the list, whatever the case'),
    visible: namedSchema.optional().describe('This element is visible'),
    enabled: namedSchema
      .optional()
      .describe('This element is visible and not disabled, by attribute, ARIA, style or class'),
    hidden: namedSchema.optional().describe('This element is absent or hidden'),
    count: countSchema.optional().describe('So many elements are visible'),
    loadState: z
      .enum(['domcontentloaded', 'load', 'networkidle'])
      .optional()
      .describe('The page has loaded so far; `networkidle`: and asked for nothing for half a second'),
    app: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('On a desktop: this application has an open window; with `window`, one with that title'),
    window: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe('On a desktop: a window with this in its title is open, active or not'),
    image: imageTemplateSchema.optional().describe('On a desktop: the screen shows this picture'),
    stableMs: z
      .int()
      .min(50)
      .max(60_000)
      .optional()
      .describe('On a desktop: the screen has not changed for so many milliseconds; a blinking caret is no change'),
  })
  .refine((condition) => conditionKeys.some((key) => condition[key] !== undefined), {
    error: `Give at least one of ${conditionKeys.join(', ')}`,
  })
  .meta({ id: 'Condition', description: 'What is to be true of the page' });
export type Condition = z.infer<typeof conditionSchema>;

/** The texts that a condition requires on the page. */
export const conditionTexts = ({ text }: Condition): readonly string[] =>
  text === undefined ? [] : typeof text === 'string' ? [text] : text;
