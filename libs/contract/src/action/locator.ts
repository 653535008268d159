import { z } from 'zod';

/** Ways to name an element, the sturdiest first; a locator uses exactly one of them. */
export const locatorKinds = ['role', 'label', 'placeholder', 'text', 'testId', 'css'] as const;
export type LocatorKind = (typeof locatorKinds)[number];

const exactlyOne = (locator: Partial<Record<LocatorKind, unknown>>) =>
  locatorKinds.filter((kind) => locator[kind] !== undefined).length === 1;

/** One way to find an element: exactly one of the six kinds. Written out, because it contains itself. */
export interface Locator {
  role?: string;
  name?: string;
  label?: string;
  placeholder?: string;
  text?: string;
  testId?: string;
  css?: string;
  exact?: boolean;
  hasText?: string;
  nth?: number;
  within?: Locator;
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
    exact: z.boolean().optional().describe('The whole string, with its case (default: contains, whatever the case)'),
    hasText: z.string().min(1).optional().describe('Keep only elements that contain this text'),
    nth: z
      .int()
      .optional()
      .describe('Which of several matches: 0 is the first, -1 the last. Without it two matches are an error'),
    within: z
      .lazy((): z.ZodType<Locator> => locatorSchema)
      .optional()
      .describe('Look only inside the element that this locator finds'),
  })
  .refine(exactlyOne, { error: `A locator has exactly one of ${locatorKinds.join(', ')}` })
  .refine(({ name, role }) => name === undefined || role !== undefined, {
    error: '`name` goes with `role`; for a form field use `label`, for other elements `text`',
    path: ['name'],
  })
  .meta({ id: 'Locator', description: 'One way to find an element' });

/** A chain of locators, tried in order until one finds its element. */
export const targetSchema = z
  .union([locatorSchema, z.array(locatorSchema).min(1).max(10)])
  .meta({ id: 'Target', description: 'A locator, or a list of locators tried in order' });
export type Target = z.infer<typeof targetSchema>;

/** A target as the list it means. */
export const locatorsOf = (target: Target): Locator[] => (Array.isArray(target) ? target : [target]);
