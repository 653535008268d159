import { z } from 'zod';

/** A file that is put into the home folder of a desktop before programs start. */
const desktopFileSchema = z
  .strictObject({
    path: z
      .string()
      .min(1)
      .max(500)
      .describe('Path below the home folder, e.g. `Documents/prices.ods` or `.config/mimeapps.list`'),
    text: z.string().max(100_000).optional().describe('Content of the file'),
    upload: z.string().min(1).optional().describe('Id of an upload, e.g. `{{inputs.sheet}}`'),
  })
  .refine(({ text, upload }) => (text === undefined) !== (upload === undefined), {
    error: 'A file has either `text` or `upload`',
  });

/** A program that a desktop starts before the first step. */
const desktopProgramSchema = z.strictObject({
  app: z.string().min(1).max(200).describe('Name of its `.desktop` file, e.g. `libreoffice-calc`'),
  args: z
    .array(z.string().min(1).max(1_000))
    .max(20)
    .optional()
    .describe('Files or URLs; a relative path is below the home folder. Options are refused'),
});

/** A window that has to be open before the first step. */
const desktopWindowSchema = z
  .strictObject({
    app: z.string().min(1).max(200).optional().describe('Application id, as in `app://<application>/`'),
    title: z.string().min(1).max(500).optional().describe('Part of its title'),
  })
  .refine(({ app, title }) => app !== undefined || title !== undefined, {
    error: 'A window has `app`, `title` or both',
  });

/** State in which a desktop starts, and how a run continues after the loss of its worker. */
const desktopProfileSchema = z
  .strictObject({
    files: z.array(desktopFileSchema).max(100).optional().describe('Files in the home folder'),
    programs: z.array(desktopProgramSchema).max(20).optional().describe('Programs, started in this order'),
    ready: z.array(desktopWindowSchema).max(20).optional().describe('Windows to wait for before the first step'),
    readyTimeout: z.number().positive().max(300).optional().describe('Seconds to wait for all windows (default: 30)'),
    onWorkerLost: z
      .enum(['restart', 'ask', 'fail'])
      .optional()
      .describe(
        'Policy for a run whose worker was lost: `restart` starts again from this profile, `ask` asks a person, `fail` ends it',
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
      .describe('Size of the screen in pixels (default: 1280 × 800)'),
    dpi: z.int().min(48).max(384).optional().describe('Dots per inch that applications scale to (default: 96)'),
    locale: z
      .string()
      .min(2)
      .max(60)
      .optional()
      .describe(
        'Language and region of applications, e.g. `de-DE`. The worker must have it (default: English, no region)',
      ),
    timezoneId: z.string().min(1).max(60).optional().describe('Time zone, e.g. `Europe/Berlin` (default: UTC)'),
    keyboardLayout: z
      .string()
      .min(2)
      .max(60)
      .optional()
      .describe('XKB layout with an optional variant, e.g. `de` or `us(dvorak)` (default: us)'),
    profile: desktopProfileSchema.optional().describe('Files, programs and windows that the first step finds'),
  })
  .meta({ id: 'DesktopOptions' });
export type DesktopOptions = z.infer<typeof desktopOptionsSchema>;
