import { z } from 'zod';

/* Applications, windows, menus and files of a desktop. */

const text = (description: string) => z.string().min(1).max(1_000).describe(description);

/** Pattern of the id of an application. */
export const APP_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Id of an application: the name of its `.desktop` file, or of its windows. */
export const appIdSchema = z.string().regex(APP_ID, 'Use the id of an application, e.g. `mousepad`');

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

export const listWindows = z.strictObject({
  action: z
    .literal('listWindows')
    .describe('List the windows of the desktop, the topmost first: `app`, `title`, `bounds`, `active`, `state`'),
});

const pixels = (description: string, min: number) => z.int().min(min).max(32_767).describe(description);

export const setWindow = z
  .strictObject({
    action: z
      .literal('setWindow')
      .describe('Move, resize, maximize, minimize or restore a window (default: the active one)'),
    ...windowFields,
    bounds: z
      .strictObject({
        x: pixels('Left edge', -32_768).optional(),
        y: pixels('Top edge, below the title bar', -32_768).optional(),
        width: pixels('Width', 1).optional(),
        height: pixels('Height', 1).optional(),
      })
      .refine((bounds) => Object.values(bounds).some((value) => value !== undefined), {
        error: 'Give at least one of x, y, width, height',
      })
      .optional()
      .describe('Place and size of its content in pixels of the screen; what is left out stays'),
    state: z.enum(['normal', 'maximized', 'minimized', 'fullscreen']).optional().describe('State of the window'),
  })
  .refine(({ bounds, state }) => bounds !== undefined || state !== undefined, {
    error: 'Give at least one of bounds, state',
  })
  .refine(({ bounds, state }) => bounds === undefined || state === undefined || state === 'normal', {
    error: 'A window with `bounds` has the state normal: leave out `state`',
  });

export const selectMenuItem = z.strictObject({
  action: z.literal('selectMenuItem').describe('Open the menus of the active window by name, and click the last entry'),
  items: z
    .array(text('Name of a menu or entry'))
    .min(1)
    .max(10)
    .describe("Names from the menu bar to the entry, e.g. `['File', 'Save As…']`; dots at the end may be left out"),
});

const homePath = (description: string) => text(`${description}; a relative path begins in the home folder of the run`);

export const fillFileDialog = z.strictObject({
  action: z
    .literal('fillFileDialog')
    .describe('Answer a dialog that opens or saves a file, waiting for it; the value is `path` and `exists`'),
  path: homePath('File to open, or to save to'),
  overwrite: z
    .boolean()
    .optional()
    .describe('Replace a file that exists when the dialog asks (default: false, and the step fails)'),
});

export const putFile = z.strictObject({
  action: z.literal('putFile').describe('Copy a file input of the workflow into the home folder of the run'),
  file: text('A file input of the workflow, e.g. `{{inputs.sheet}}`'),
  path: homePath('Where it is put; its folders are created, and a file there is replaced').optional(),
});

export const collectFile = z
  .strictObject({
    action: z
      .literal('collectFile')
      .describe('Store a file of the home folder as an artifact, waiting until it is there and complete'),
    path: homePath('The file').optional(),
    glob: text(
      'Pattern of relative paths, in which `*` is anything, also `/`; every file that matches is stored',
    ).optional(),
  })
  .refine(({ path, glob }) => (path === undefined) !== (glob === undefined), {
    error: 'Give exactly one of path, glob',
  });
