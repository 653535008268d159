import { z } from 'zod';
import { timestampSchema } from '../primitives.schema.ts';

/*
 * HTTP Archive 1.2, as far as it is written here: http://www.softwareishard.com/blog/har-12-spec/. Sizes in bytes and times in
 * milliseconds; -1 stands for what is not known.
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

/** What a page wrote to its console: a line of the artifact `console-<attempt>.jsonl`. */
export const consoleLineSchema = z.object({
  at: timestampSchema,
  type: z.string().describe('`log`, `warning`, `error`, ...; `uncaught` for an error that no script caught'),
  text: z.string(),
  page: z.string().describe('Address of the page'),
  from: z.string().nullable().describe('Where it was written: address of the script, line and column, from 0'),
});
export type ConsoleLine = z.infer<typeof consoleLineSchema>;
