import { z } from 'zod';
import { targetSchema } from './locator.schema.ts';

/* Navigation, tabs, dialogs and files of a browser. */

const text = (description: string) => z.string().min(1).max(100_000).describe(description);

const waitUntil = z
  .enum(['load', 'domcontentloaded', 'commit'])
  .optional()
  .describe('When the page counts as open (default: load)');

export const navigate = z.strictObject({
  action: z.literal('navigate').describe('Open a URL in the current page'),
  url: text('Absolute URL, or one relative to the current page'),
  waitUntil,
});

export const goBack = z.strictObject({
  action: z.literal('goBack').describe('Go back to the page before this one'),
  waitUntil,
});

export const goForward = z.strictObject({
  action: z.literal('goForward').describe('Go forward again to the page that `goBack` left'),
  waitUntil,
});

export const reload = z.strictObject({
  action: z.literal('reload').describe('Load the page again'),
  waitUntil,
});

/** Which of the open tabs and windows is meant. */
const tab = {
  url: z.string().min(1).optional().describe('Its URL contains this; with `*` it is a pattern for the whole URL'),
  title: z.string().min(1).optional().describe('Its title contains this, whatever the case'),
  index: z.int().optional().describe('In the order in which they were opened: 0 is the first, -1 the newest'),
};

const countTabKeys = ({ url, title, index }: { url?: unknown; title?: unknown; index?: unknown }) =>
  [url, title, index].filter((value) => value !== undefined).length;

export const switchTab = z
  .strictObject({
    action: z
      .literal('switchTab')
      .describe('Go on in another tab or window, waiting for it; one that a step opens is gone on in by itself'),
    ...tab,
  })
  .refine((step) => countTabKeys(step) === 1, { error: 'Say which tab by exactly one of url, title, index' });

export const closeTab = z
  .strictObject({
    action: z
      .literal('closeTab')
      .describe('Close a tab or window (default: the current one) and go on in the one that was used before'),
    ...tab,
  })
  .refine((step) => countTabKeys(step) <= 1, { error: 'Say which tab by at most one of url, title, index' });

export const handleDialog = z.strictObject({
  action: z
    .literal('handleDialog')
    .describe('Say what the next dialog of the page gets; goes before the step that opens it'),
  accept: z.boolean().describe('true is OK, false is Cancel'),
  text: z.string().max(10_000).optional().describe('Answer to a dialog that asks for a text'),
});

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
