import { z } from 'zod';
import { turnRecordingSchema } from '../agent/turn-recording.schema.ts';
import { traceSchema } from '../model/model-settings.schema.ts';
import { timestampSchema } from '../primitives.schema.ts';

const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names) => {
  const choices = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
  return z.enum(names, { error: `Use one of ${choices}, or remove the field` });
};

/** Debug artifacts of a run. */
export const captureSchema = z
  .strictObject({
    screenshots: oneOf(['none', 'only-on-failure', 'on', 'before-and-after'])
      .default('only-on-failure')
      .describe(
        '`only-on-failure`: when a step fails, and at the end of a run with a goal; `on`: also after every step; `before-and-after`: also before every step, with its target marked',
      ),
    video: oneOf(['none', 'small', 'full'])
      .optional()
      .describe(
        'Video of the current page with up to 5 frames a second: `small` at most 640 × 640, `full` in page size (default: none)',
      ),
    har: oneOf(['none', 'headers', 'bodies'])
      .optional()
      .describe(
        'Network requests as HAR 1.2: `headers` without bodies, `bodies` with text bodies of up to 64 KiB each and 16 MiB in total (default: none)',
      ),
    console: z
      .boolean({ error: 'Use true or false, or remove the field' })
      .optional()
      .describe('Console messages and uncaught errors of pages (default: false)'),
    trace: traceSchema.optional(),
    turns: turnRecordingSchema
      .optional()
      .describe(
        'Turns of agents that are stored for learning: `off`, `failures`, `sample` or `all` (default: the setting of the workflow, then of the project)',
      ),
  })
  .meta({ id: 'Capture' });
export type RunCapture = z.infer<typeof captureSchema>;

/** Maximum rate of the live view, in frames per second. Only a desktop reaches it. */
export const MAX_FRAMES_PER_SECOND = 25;

/** Maximum frames per second for a viewer. */
export const framesPerSecondSchema = z.int().min(1).max(MAX_FRAMES_PER_SECOND);

/*
 * Supported subset of HTTP Archive 1.2: http://www.softwareishard.com/blog/har-12-spec/. Sizes are in bytes, times in
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
      comment: z.string().optional().describe('Reason why the text is missing'),
    })
    .optional(),
  headersSize: sizeSchema,
  bodySize: sizeSchema,
});

const harResponseSchema = z.object({
  status: z.int().min(0).describe('0: no response; `statusText` has the reason'),
  statusText: z.string(),
  httpVersion: z.string(),
  cookies: z.array(cookieSchema),
  headers: z.array(pairSchema),
  content: z.object({
    size: sizeSchema,
    mimeType: z.string(),
    text: z.string().optional(),
    comment: z.string().optional().describe('Reason why the text is missing'),
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
  type: z.string().describe('`log`, `warning`, `error`, ...; `uncaught` for an uncaught error'),
  text: z.string(),
  page: z.string().describe('URL of the page'),
  location: z.string().nullable().describe('Source: script URL, line and column, from 0'),
});
export type ConsoleLine = z.infer<typeof consoleLineSchema>;
