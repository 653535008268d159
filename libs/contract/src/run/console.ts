import { z } from 'zod';
import { timestampSchema } from '../scalar.ts';

/** What a page wrote to its console: a line of the artifact `console-<attempt>.jsonl`. */
export const consoleLineSchema = z.object({
  at: timestampSchema,
  type: z.string().describe('`log`, `warning`, `error`, ...; `uncaught` for an error that no script caught'),
  text: z.string(),
  page: z.string().describe('Address of the page'),
  from: z.string().nullable().describe('Where it was written: address of the script, line and column, from 0'),
});
export type ConsoleLine = z.infer<typeof consoleLineSchema>;
