import { z } from 'zod';
import { targetSchema } from './locator.ts';

const parts = ['url', 'title', 'text', 'visible', 'hidden'] as const;

/** What is to be true of the page; several parts are all to be true at once. */
export const conditionSchema = z
  .strictObject({
    url: z.string().min(1).optional().describe('The URL contains this; with `*` it is a pattern for the whole URL'),
    title: z.string().min(1).optional().describe('The title contains this, whatever the case'),
    text: z.string().min(1).optional().describe('The page shows this text, whatever the case'),
    visible: targetSchema.optional().describe('This element is visible'),
    hidden: targetSchema.optional().describe('This element is absent or hidden'),
  })
  .refine((condition) => parts.some((part) => condition[part] !== undefined), {
    error: `Give at least one of ${parts.join(', ')}`,
  })
  .meta({ id: 'Condition', description: 'What is to be true of the page' });
export type Condition = z.infer<typeof conditionSchema>;
