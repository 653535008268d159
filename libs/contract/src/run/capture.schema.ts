import { z } from 'zod';
import { traceSchema } from '../model/model-settings.schema.ts';
import { timestampSchema } from '../primitives.schema.ts';

const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) => {
  const all = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  return z.enum(names, { error: `Write one of ${all}, or leave it out` });
};

/** Debug artifacts of a run. */
export const captureSchema = z
  .strictObject({
    screenshots: oneOf(['none', 'only-on-failure', 'on', 'before-and-after'])
      .default('only-on-failure')
      .describe(
        '`only-on-failure`: when a step fails; `on`: after every step too; `before-and-after`: also before it, with its target marked',
      ),
    video: oneOf(['none', 'small', 'full'])
      .optional()
      .describe(
        'A video of the current page, up to 5 frames a second, only when it changes: `small` in at most 640 × 640, `full` in the size of the page (default: none)',
      ),
    har: oneOf(['none', 'headers', 'bodies'])
      .optional()
      .describe(
        'What pages asked for and got, as HAR 1.2: `headers` without bodies, `bodies` with texts of up to 64 KiB each and 16 MiB in all (default: none)',
      ),
    console: z
      .boolean({ error: 'Write true or false, or leave it out' })
      .optional()
      .describe('What pages wrote to their console, and the errors that no script caught (default: false)'),
    trace: traceSchema.optional(),
  })
  .meta({ id: 'Capture' });
export type RunCapture = z.infer<typeof captureSchema>;

/*
 * The subset of HTTP Archive 1.2 that is written: http://www.softwareishard.com/blog/har-12-spec/. Sizes are in bytes, times in
 * milliseconds, -1 is unknown.
 */

const pairSchema = z.object({ name: z.string(), value: z.string() });
const cookieSchema = pairSchema.extend({
  path: z.string().optional(),
  domain: z.string().optional(),
  httpOnly: z.boolean().optional(),
  secure: z.boolean().optional(),
});
const sizeSchema = z.number().min(-1);

const harRequestSchema = z.object({
  method: z.string(),
  url: z.string(),
  httpVersion: z.string(),
  cookies: z.array(cookieSchema),
  headers: z.array(pairSchema),
  queryString: z.array(pairSchema),
  postData: z
    .object({
      mimeType: z.string(),
      params: z.array(pairSchema),
      text: z.string(),
      comment: z.string().optional().describe('Why there is no text'),
    })
    .optional(),
  headersSize: sizeSchema,
  bodySize: sizeSchema,
});

const harResponseSchema = z.object({
  status: z.int().min(0).describe('0: there was no answer, `statusText` says why'),
  statusText: z.string(),
  httpVersion: z.string(),
  cookies: z.array(cookieSchema),
  headers: z.array(pairSchema),
  content: z.object({
    size: sizeSchema,
    mimeType: z.string(),
    text: z.string().optional(),
    comment: z.string().optional().describe('Why there is no text'),
  }),
  redirectURL: z.string(),
  headersSize: sizeSchema,
  bodySize: sizeSchema,
});

/** One request of a page and its answer. */
export const harEntrySchema = z.object({
  startedDateTime: timestampSchema,
  time: z.number().min(0),
  request: harRequestSchema,
  response: harResponseSchema,
  cache: z.object({}),
  timings: z.object({
    blocked: sizeSchema,
    dns: sizeSchema,
    connect: sizeSchema,
    ssl: sizeSchema,
    send: z.number().min(0),
    wait: z.number().min(0),
    receive: z.number().min(0),
  }),
  serverIPAddress: z.string().optional(),
});
export type HarEntry = z.infer<typeof harEntrySchema>;

/** A whole archive. */
export const harSchema = z.object({
  log: z.object({
    version: z.literal('1.2'),
    creator: z.object({ name: z.string(), version: z.string() }),
    pages: z.array(z.never()),
    entries: z.array(harEntrySchema),
    comment: z.string().optional(),
  }),
});
export type Har = z.infer<typeof harSchema>;

/** A console message of a page: one line of the artifact `console-<attempt>.jsonl`. */
export const consoleLineSchema = z.object({
  at: timestampSchema,
  type: z.string().describe('`log`, `warning`, `error`, ...; `uncaught` for an error that no script caught'),
  text: z.string(),
  page: z.string().describe('Address of the page'),
  location: z.string().nullable().describe('Where it was written: address of the script, line and column, from 0'),
});
export type ConsoleLine = z.infer<typeof consoleLineSchema>;
