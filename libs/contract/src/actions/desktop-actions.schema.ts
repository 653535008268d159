import { z } from 'zod';

/* Applications, windows, menus and files of a desktop. */

const text = (description: string) => z.string().min(1).max(1_000).describe(description);

/** Pattern of an application's id. */
export const APP_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** Id of an application: the name of its `.desktop` file, or of its windows. */
export const appIdSchema = z.string().regex(APP_ID, 'Use the id of an application, e.g. `mousepad`');

/** Id of an application, or a text with a template that renders to one. */
const appOrTemplateSchema = z
  .string()
  .max(300)
  .regex(
    /^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,99}|[^{}]*\{\{[^{}]+\}\}[^{}]*)$/,
    'Use the id of an application, e.g. `mousepad`',
  );

/** Selects a window of the desktop. */
const windowFields = {
  app: text('Id of the application, e.g. `mousepad`').optional(),
  window: text('Part of the window title, case-insensitive').optional(),
};

const hasWindow = ({ app, window }: { app?: unknown; window?: unknown }) => app !== undefined || window !== undefined;

export const openApp = z.strictObject({
  action: z
    .literal('openApp')
    .describe('Start an installed application, and wait for its window. The value has `app` and `title`'),
  app: appOrTemplateSchema.describe('Id of the application: the name of its `.desktop` file, e.g. `libreoffice-calc`'),
  args: z
    .array(
      z
        .string()
        .max(1_000)
        .regex(/^[^-]/, 'Options are not supported: give a file or URL that does not begin with a hyphen'),
    )
    .max(20)
    .optional()
    .describe('Files or URLs to open. Paths are relative to the home folder of the run'),
});

export const switchWindow = z
  .strictObject({
    action: z.literal('switchWindow').describe('Bring a window to the front, waiting for it'),
    ...windowFields,
  })
  .refine(hasWindow, { error: 'Give at least one of app, window' });

export const closeWindow = z.strictObject({
  action: z
    .literal('closeWindow')
    .describe('Close a window (default: the active one). The application may ask whether to save'),
  ...windowFields,
});

export const listWindows = z.strictObject({
  action: z
    .literal('listWindows')
    .describe('List the windows, topmost first. Each has `app`, `title`, `bounds`, `active` and `state`'),
});

const pixels = (description: string, min: number) => z.int().min(min).max(32_767).describe(description);

export const setWindow = z
  .strictObject({
    action: z
      .literal('setWindow')
      .describe(
        'Move, resize, maximize, minimize or restore a window (default: the active one). The value is the window',
      ),
    ...windowFields,
    bounds: z
      .strictObject({
        x: pixels('Left edge in pixels', -32_768).optional(),
        y: pixels('Top edge in pixels, below the title bar', -32_768).optional(),
        width: pixels('Width in pixels', 1).optional(),
        height: pixels('Height in pixels', 1).optional(),
      })
      .refine((bounds) => Object.values(bounds).some((value) => value !== undefined), {
        error: 'Give at least one of x, y, width, height',
      })
      .optional()
      .describe('Position and size of the window content in screen pixels. Missing values stay as they are'),
    state: z
      .enum(['normal', 'maximized', 'minimized', 'fullscreen'])
      .optional()
      .describe('State to set; `normal` restores the window'),
  })
  .refine(({ bounds, state }) => bounds !== undefined || state !== undefined, {
    error: 'Give at least one of bounds, state',
  })
  .refine(({ bounds, state }) => bounds === undefined || state === undefined || state === 'normal', {
    error: '`bounds` sets the state to normal: remove `state`',
  });

export const selectMenuItem = z.strictObject({
  action: z.literal('selectMenuItem').describe('Open menus of the active window by name, and click the last entry'),
  items: z
    .array(text('Name of a menu or an entry'))
    .min(1)
    .max(10)
    .describe("Names from the menu bar to the entry, e.g. `['File', 'Save As…']`. Dots at the end may be omitted"),
});

const homePath = (description: string) => text(`${description}. A relative path starts in the home folder of the run`);

export const fillFileDialog = z.strictObject({
  action: z
    .literal('fillFileDialog')
    .describe('Enter a path into an open or save dialog and confirm it. The value has `path` and `exists`'),
  path: homePath('File to open, or to save to'),
  overwrite: z
    .boolean()
    .optional()
    .describe('true: replace an existing file when the dialog asks (default: false, the step fails)'),
});

export const putFile = z.strictObject({
  action: z
    .literal('putFile')
    .describe('Copy a file input of the workflow into the home folder of the run. The value has `path`'),
  file: text('File input of the workflow, e.g. `{{inputs.sheet}}`'),
  path: homePath('Destination. Folders are created, and an existing file is replaced').optional(),
});

export const collectFile = z
  .strictObject({
    action: z
      .literal('collectFile')
      .describe(
        'Store a file of the home folder as an artifact, once it is complete. The value has `path`, `name`, `contentType` and `size`; with `glob` it is a list',
      ),
    path: homePath('File to store').optional(),
    glob: text(
      'Pattern of relative paths. `*` matches any text, including `/`. Every matching file is stored',
    ).optional(),
  })
  .refine(({ path, glob }) => (path === undefined) !== (glob === undefined), {
    error: 'Give exactly one of path, glob',
  });
