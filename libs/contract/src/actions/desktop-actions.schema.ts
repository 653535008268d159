import { z } from 'zod';

/* Applications and windows of a desktop. */

const text = (description: string) => z.string().min(1).max(1_000).describe(description);

/** Id of an application: the name of its `.desktop` file, or of its windows. */
export const appIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'Use the id of an application, e.g. `mousepad`');

/** Selects a window of the desktop. */
const windowFields = {
  app: text('Id of the application, e.g. `mousepad`').optional(),
  title: text('Part of the window title, whatever the case').optional(),
};

const hasWindow = ({ app, title }: { app?: unknown; title?: unknown }) => app !== undefined || title !== undefined;

export const openApp = z.strictObject({
  action: z.literal('openApp').describe('Start an installed application, and wait for its window'),
  app: appIdSchema.describe(
    'Id of the application: the name of its `.desktop` file, e.g. `mousepad`, `libreoffice-calc`',
  ),
  args: z
    .array(z.string().max(1_000).regex(/^[^-]/, 'A file or URL does not begin with a hyphen'))
    .max(20)
    .optional()
    .describe('Files or URLs that it opens; a relative path begins in the home folder of the run'),
});

export const switchWindow = z
  .strictObject({
    action: z.literal('switchWindow').describe('Bring a window to the front, waiting for it'),
    ...windowFields,
  })
  .refine(hasWindow, { error: 'Give at least one of app, title' });

export const closeWindow = z.strictObject({
  action: z
    .literal('closeWindow')
    .describe('Close a window (default: the active one); the application may ask whether to save'),
  ...windowFields,
});
