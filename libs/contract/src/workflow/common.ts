import { z } from 'zod';
import { nameSchema } from '../scalar.ts';
import { testSchema } from './test.ts';

/** What everything in a list of steps may say. */
export const commonFields = {
  id: nameSchema.optional().describe('Name of the step, to use its value as `{{steps.<id>.value}}`'),
  title: z.string().min(1).max(200).optional().describe('What people see instead of the action'),
  when: testSchema
    .optional()
    .describe('Left out, its value null, unless this is so: an expression, or a condition of the page'),
};
