import { z } from 'zod';

/** What a turn of an agent leads to, in words of its author: what is to be seen once its actions are done. */
export const expectationSchema = z
  .object({
    anchor: z.string().nullable().describe('What the title or the address has in it then; null: nothing is said'),
    indicators: z.array(z.string()).readonly().describe('Texts that the page shows then'),
  })
  .meta({ id: 'Expectation', description: 'What a turn of an agent is to lead to' });
export type Expectation = z.infer<typeof expectationSchema>;
