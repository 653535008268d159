import { z } from 'zod';
import { locatorSchema } from '../actions/locator.schema.ts';

/** Where the values of an agent's answer come from. Each value is in one of the lists. */
export const answerSourcesFields = {
  sources: z
    .array(
      z.object({
        pointer: z.string().describe('JSON Pointer into the answer'),
        locators: z
          .array(locatorSchema)
          .max(10)
          .describe('Locators of the element whose whole text is the value; empty: there is none'),
        isOnPage: z
          .boolean()
          .optional()
          .describe('true: `page` shows the value; false: an earlier page; missing: not recorded'),
      }),
    )
    .describe('Values of the answer that a page shows as whole words'),
  computed: z.array(z.string()).describe('JSON Pointers of booleans, and of values that the output schema lists'),
  missing: z.array(z.string()).describe('JSON Pointers of the values that no page shows'),
  unchecked: z
    .array(z.string())
    .optional()
    .describe('JSON Pointers of values that were not searched on pages, because the answer is too large'),
  page: z
    .object({
      url: z.string().describe('URL of the page, or `app://` URI of the window'),
      title: z.string().describe('Title of the page or window'),
    })
    .nullable()
    .optional()
    .describe('Page at the end of the goal; null: it could not be read; missing: not recorded'),
};

/** Sources of the answer of one goal step. */
export const answerSourcesSchema = z
  .object({
    step: z.int().min(0).describe('Number of the step in the run'),
    branch: z.string().optional().describe('Branch of a `parallel` step; missing: none'),
    ...answerSourcesFields,
  })
  .meta({ id: 'AnswerSources' });
export type AnswerSources = z.infer<typeof answerSourcesSchema>;
