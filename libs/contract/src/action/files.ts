import { z } from 'zod';
import { targetSchema } from './locator.ts';

/* What goes to the site as a file, and what comes from it. */

const text = (description: string) => z.string().min(1).max(100_000).describe(description);

export const upload = z.strictObject({
  action: z.literal('upload').describe('Give a file to a file input, or to what asks for one when it is clicked'),
  target: targetSchema.describe('The file input, or the button that opens the choice of a file'),
  file: text('A file input of the workflow, e.g. `{{inputs.purchase_order}}`'),
});

export const download = z.strictObject({
  action: z
    .literal('download')
    .describe(
      'Click an element, and wait for the file that comes of it: an artifact; its value is name, contentType and size',
    ),
  target: targetSchema.describe('What starts the download'),
  name: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Name of the file, with its ending (default: the name that the site gives it)'),
});

export const pdf = z.strictObject({
  action: z.literal('pdf').describe('Keep the page as a PDF, as it is printed'),
  label: z.string().min(1).max(10_000).optional().describe('Name of the artifact (default: page); a long one is cut'),
});
