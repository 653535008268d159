import { z } from 'zod';
import { identifierSchema } from '../scalar.ts';
import { predicateSchema } from './test.ts';

/** What everything in a list of steps may say. */
export const commonNodeFields = {
  id: identifierSchema.optional().describe('Name of the step, to use its value as `{{steps.<id>.value}}`'),
  title: z.string().min(1).max(200).optional().describe('What people see instead of the action'),
  when: predicateSchema
    .optional()
    .describe('Left out, its value null, unless this is so: an expression, or a condition of the page'),
};
