import { z } from 'zod';

/** Limits of a run. */
export const budgetSchema = z
  .strictObject({
    steps: z.int().min(1).max(100_000).optional().describe('Executed steps, including repetitions'),
    seconds: z
      .number()
      .positive()
      .max(604_800)
      .optional()
      .describe('Seconds of execution over all attempts, without queue time'),
    tokens: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .optional()
      .describe('Input and output tokens of models. A call that could exceed the limit is not made'),
    usd: z
      .number()
      .positive()
      .max(100_000)
      .optional()
      .describe('US dollars for models. A call that could exceed the limit, or with unknown price, is not made'),
  })
  .meta({ id: 'Budget' });
export type Budget = z.infer<typeof budgetSchema>;

/** Limits on model usage of all of a project's runs in a calendar month (UTC). */
export const monthBudgetSchema = z
  .strictObject({
    tokens: z.int().min(1).max(1_000_000_000_000).optional().describe('Input and output tokens of models'),
    usd: z
      .number()
      .positive()
      .max(10_000_000)
      .optional()
      .describe('US dollars for models. Calls with unknown price are not made'),
  })
  .meta({ id: 'MonthBudget' });
export type MonthBudget = z.infer<typeof monthBudgetSchema>;

/** Names of a run's limits. */
export const budgetKeys = budgetSchema.keyof().options;

export const projectBudgetsSchema = z
  .strictObject({
    default: budgetSchema.optional().describe('Budget of runs without their own'),
    max: budgetSchema.optional().describe('Maximum budget of a run, and the default if there is no other'),
    month: monthBudgetSchema.optional().describe('Model usage of all runs in a calendar month (UTC)'),
  })
  .superRefine(({ default: defaults = {}, max = {} }, context) => {
    for (const key of budgetKeys)
      if ((defaults[key] ?? 0) > (max[key] ?? Infinity))
        context.addIssue({
          code: 'custom',
          path: ['default', key],
          message: `The default must not exceed \`max\`: ${max[key]}`,
        });
  })
  .meta({ id: 'ProjectBudgets' });
export type ProjectBudgets = z.infer<typeof projectBudgetsSchema>;

const amount = z.object({ tokens: z.number().min(0), usd: z.number().min(0) });

/** Model usage of a project in a month. */
export const monthlyUsageSchema = amount
  .extend({
    month: z
      .string()
      .regex(/^\d{4}-\d{2}$/)
      .describe('The calendar month, by UTC, e.g. 2026-11'),
    reserved: amount.describe('Maximum usage of running calls'),
  })
  .meta({ id: 'MonthlyUsage' });
export type MonthlyUsage = z.infer<typeof monthlyUsageSchema>;
