import { z } from 'zod';
import { targetSchema } from './locator.schema.ts';

/* Navigation, tabs, dialogs and files of a browser. */

const text = (description: string) => z.string().min(1).max(100_000).describe(description);

const waitUntil = z
  .enum(['load', 'domcontentloaded', 'commit'])
  .optional()
  .describe('Page event that completes the step (default: load)');

const status = z
  .union([z.int().min(100).max(599), z.enum(['2xx', '3xx', '4xx', '5xx', 'any'])])
  .optional()
  .describe(
    'Expected HTTP status of the page, e.g. `404` or `4xx`; `any` accepts all. With `status`, any other status fails the step. Without it, 5xx fails',
  );

export const navigate = z.strictObject({
  action: z.literal('navigate').describe('Open a URL in the current tab'),
  url: text('Absolute URL, or one relative to the current page'),
  waitUntil,
  status,
});

export const goBack = z.strictObject({
  action: z.literal('goBack').describe('Go back in the history of the tab'),
  waitUntil,
  status,
});

export const goForward = z.strictObject({
  action: z.literal('goForward').describe('Go forward in the history of the tab'),
  waitUntil,
  status,
});

export const reload = z.strictObject({
  action: z.literal('reload').describe('Reload the page. A page that a form opened sends the form again'),
  waitUntil,
  status,
});

/** Selects one of the open tabs and windows. */
const tab = {
  url: z.string().min(1).optional().describe('Part of the URL, or a pattern for the whole URL with `*`'),
  title: z.string().min(1).optional().describe('Part of the page title, case-insensitive'),
  index: z.int().optional().describe('Position in the order of opening: 0 is the first, -1 the newest'),
};

const countTabKeys = ({ url, title, index }: { url?: unknown; title?: unknown; index?: unknown }) =>
  [url, title, index].filter((value) => value !== undefined).length;

export const switchTab = z
  .strictObject({
    action: z
      .literal('switchTab')
      .describe(
        'Switch to another tab or window, waiting for it. Tabs that a step opens are switched to automatically',
      ),
    ...tab,
  })
  .refine((step) => countTabKeys(step) === 1, { error: 'Give exactly one of url, title, index' });

export const closeTab = z
  .strictObject({
    action: z
      .literal('closeTab')
      .describe('Close a tab or window (default: the current one), and switch to the one used before'),
    ...tab,
  })
  .refine((step) => countTabKeys(step) <= 1, { error: 'Give at most one of url, title, index' });

export const handleDialog = z.strictObject({
  action: z
    .literal('handleDialog')
    .describe('Set the answer to the next JavaScript dialog. Put it before the step that opens the dialog'),
  accept: z.boolean().describe('true: OK; false: Cancel'),
  text: z.string().max(10_000).optional().describe('Answer to a prompt dialog'),
});

export const upload = z.strictObject({
  action: z
    .literal('upload')
    .describe('Put a file into a file input, or click a button and give the file to the file chooser that it opens'),
  target: targetSchema.describe('File input, or the button that opens a file chooser'),
  file: text('File input of the workflow, e.g. `{{inputs.purchase_order}}`'),
});

export const download = z.strictObject({
  action: z
    .literal('download')
    .describe(
      'Click an element, and store the file that it downloads as an artifact. The value has `name`, `contentType` and `size`',
    ),
  target: targetSchema.describe('Element that starts the download'),
  name: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('File name with its extension (default: the name from the site)'),
});

export const pdf = z.strictObject({
  action: z.literal('pdf').describe('Store the page as a PDF artifact, as it would be printed'),
  label: z
    .string()
    .min(1)
    .max(10_000)
    .optional()
    .describe('Name of the artifact (default: page). A long name is truncated'),
});
