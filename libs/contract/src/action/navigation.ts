import { z } from 'zod';

/* Where the page is. */

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

export const back = z.strictObject({
  action: z.literal('back').describe('Go back to the page before this one'),
  waitUntil,
});

export const forward = z.strictObject({
  action: z.literal('forward').describe('Go forward again to the page that `back` left'),
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

const parts = ({ url, title, index }: { url?: unknown; title?: unknown; index?: unknown }) =>
  [url, title, index].filter((part) => part !== undefined).length;

export const switchTab = z
  .strictObject({
    action: z
      .literal('switchTab')
      .describe('Go on in another tab or window, waiting for it; one that a step opens is gone on in by itself'),
    ...tab,
  })
  .refine((step) => parts(step) === 1, { error: 'Say which tab by exactly one of url, title, index' });

export const closeTab = z
  .strictObject({
    action: z
      .literal('closeTab')
      .describe('Close a tab or window (default: the current one) and go on in the one that was used before'),
    ...tab,
  })
  .refine((step) => parts(step) <= 1, { error: 'Say which tab by at most one of url, title, index' });

export const dialog = z.strictObject({
  action: z.literal('dialog').describe('Say what the next dialog of the page gets; goes before the step that opens it'),
  accept: z.boolean().describe('true is OK, false is Cancel'),
  text: z.string().max(10_000).optional().describe('Answer to a dialog that asks for a text'),
});
