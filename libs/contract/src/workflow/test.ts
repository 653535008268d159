import { z } from 'zod';
import { conditionSchema } from '../action/condition.ts';

/** An expression (CEL) over `inputs`, `steps`, `vars` and `run`. */
export const expressionSchema = z
  .string()
  .min(1, 'An expression is not empty')
  .max(2000)
  .meta({ id: 'Expression', description: 'An expression in CEL, e.g. `size(steps.rows.value) > 0`' });

/** What decides: an expression that is true or false, or a condition of the page. */
export const predicateSchema = z.union([expressionSchema, conditionSchema], {
  error: 'Give an expression (a text), or a condition of the page such as `{ visible: { text: Next } }`',
});
export type Predicate = z.infer<typeof predicateSchema>;
