import { z } from 'zod';

/** A file that is copied to the home folder of a desktop before applications start. */
const desktopFileSchema = z
  .strictObject({
    path: z.string().min(1).max(500).describe('Path relative to the home folder, e.g. `Documents/prices.ods`'),
    text: z.string().max(100_000).optional().describe('Content of the file, up to 100,000 characters'),
    upload: z.string().min(1).optional().describe('Id of an upload with the content, e.g. `{{inputs.sheet}}`'),
  })
  .refine(({ text, upload }) => (text === undefined) !== (upload === undefined), {
    error: 'Give either `text` or `upload`',
  });

/** An application that a desktop starts before the first step. */
const desktopApplicationSchema = z.strictObject({
  app: z.string().min(1).max(200).describe('Application id: the name of its `.desktop` file, e.g. `libreoffice-calc`'),
  args: z
    .array(z.string().min(1).max(1_000))
    .max(20)
    .optional()
    .describe('Files or URLs to open. Paths are relative to the home folder. Command line options are refused'),
});

/** A window that has to be open before the first step. */
const desktopWindowSchema = z
  .strictObject({
    app: z.string().min(1).max(200).optional().describe('Application id, e.g. `mousepad`'),
    window: z.string().min(1).max(500).optional().describe('Part of the window title, case-insensitive'),
  })
  .refine(({ app, window }) => app !== undefined || window !== undefined, {
    error: 'Give `app`, `window` or both',
  });

/** State in which a desktop starts, and how a run continues after the loss of its worker. */
const desktopProfileSchema = z
  .strictObject({
    autocorrect: z
      .enum(['off'])
      .optional()
      .describe('`off` turns AutoCorrect and completion of LibreOffice and Gnumeric off, so that text stays as typed'),
    files: z.array(desktopFileSchema).max(100).optional().describe('Files to create in the home folder'),
    applications: z.array(desktopApplicationSchema).max(20).optional().describe('Applications to start, in this order'),
    ready: z.array(desktopWindowSchema).max(20).optional().describe('Windows to wait for before the first step'),
    readyTimeout: z
      .number()
      .positive()
      .max(300)
      .optional()
      .describe('Maximum time to wait for all windows, in seconds (default: 30)'),
    onWorkerLost: z
      .enum(['restart', 'ask', 'fail'])
      .optional()
      .describe(
        'Recovery after the loss of the worker. `restart` starts again from this profile, `ask` asks a person, `fail` fails the run',
      ),
  })
  .meta({ id: 'DesktopProfile' });
export type DesktopProfile = z.infer<typeof desktopProfileSchema>;

/** Desktop settings of a run. Strings may contain templates of inputs, but no secrets. */
export const desktopOptionsSchema = z
  .strictObject({
    resolution: z
      .strictObject({ width: z.int().min(320).max(4096), height: z.int().min(240).max(4096) })
      .optional()
      .describe('Screen size in pixels (default: 1280 × 800)'),
    dpi: z
      .int()
      .min(48)
      .max(384)
      .optional()
      .describe('Screen resolution in dots per inch, by which applications scale (default: 96)'),
    locale: z
      .string()
      .min(2)
      .max(60)
      .optional()
      .describe(
        'Language and region of applications, e.g. `de-DE`. The worker must have this locale installed (default: English, no region)',
      ),
    timezoneId: z.string().min(1).max(60).optional().describe('IANA time zone, e.g. `Europe/Berlin` (default: UTC)'),
    keyboardLayout: z
      .string()
      .min(2)
      .max(60)
      .optional()
      .describe('XKB keyboard layout with an optional variant, e.g. `de` or `us(dvorak)` (default: us)'),
    profile: desktopProfileSchema
      .optional()
      .describe('Files, applications and windows that are ready before the first step'),
  })
  .meta({ id: 'DesktopOptions' });
export type DesktopOptions = z.infer<typeof desktopOptionsSchema>;
