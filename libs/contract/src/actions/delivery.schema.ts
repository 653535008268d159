import { z } from 'zod';

/** Result of reading the effect of an input back: a typed text, a choice or a click. */
export const deliverySchema = z
  .object({
    status: z
      .enum(['delivered', 'unverified', 'failed'])
      .describe(
        '`delivered`: the field was read back and holds the text; `unverified`: the effect could not be read back, or no effect was visible; `failed`: the field holds another text',
      ),
    reason: z
      .string()
      .max(500)
      .optional()
      .describe('Reason why the effect is unverified, or why a text failed without a difference'),
    difference: z
      .object({
        position: z.int().min(1).describe('Number of the first character that differs, from 1'),
        expected: z.string().max(40).describe('Typed text from there on'),
        actual: z.string().max(40).describe('Text of the field from there on'),
      })
      .optional()
      .describe('First difference of a text that failed; missing for a secret'),
  })
  .describe('Result of reading the effect of the input back');

export type Delivery = z.infer<typeof deliverySchema>;
