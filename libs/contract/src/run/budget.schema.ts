import { z } from 'zod';

/** Limits of a run. */
export const budgetSchema = z
  .strictObject({
    steps: z.int().min(1).max(100_000).optional().describe('Steps, repeated ones counted again'),
    seconds: z
      .number()
      .positive()
      .max(604_800)
      .optional()
      .describe('Seconds of work, over all attempts, waiting in the queue not counted'),
    tokens: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .optional()
      .describe('Tokens of models, sent and received: a call that could go beyond is not made'),
    usd: z
      .number()
      .positive()
      .max(100_000)
      .optional()
      .describe(
        'US dollars for models: a call that could go beyond is not made, nor one to a model whose price is not known',
      ),
  })
  .meta({ id: 'Budget' });
export type Budget = z.infer<typeof budgetSchema>;

/** Limits on model usage of all runs of a project in a calendar month (UTC). */
export const monthBudgetSchema = z
  .strictObject({
    tokens: z.int().min(1).max(1_000_000_000_000).optional().describe('Tokens of models, sent and received'),
    usd: z
      .number()
      .positive()
      .max(10_000_000)
      .optional()
      .describe('US dollars for models: no call is made to a model whose price is not known'),
  })
  .meta({ id: 'MonthBudget' });
export type MonthBudget = z.infer<typeof monthBudgetSchema>;

/** Names of the limits of a run. */
export const budgetKeys = budgetSchema.keyof().options;

/** Budgets of a project. */
export const projectBudgetsSchema = z
  .strictObject({
    default: budgetSchema.optional().describe('What a run may use up where it says nothing'),
    max: budgetSchema
      .optional()
      .describe('The most that a run may ask for; one that says nothing, and has no default, has this'),
    month: monthBudgetSchema.optional().describe('What all runs may take of models in a calendar month, by UTC'),
  })
  .superRefine(({ default: usual = {}, max = {} }, context) => {
    for (const key of budgetKeys)
      if ((usual[key] ?? 0) > (max[key] ?? Infinity))
        context.addIssue({
          code: 'custom',
          path: ['default', key],
          message: `It is more than \`max\` allows: ${max[key]}`,
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
    reserved: amount.describe('What calls at work may come to'),
  })
  .meta({ id: 'MonthlyUsage' });
export type MonthlyUsage = z.infer<typeof monthlyUsageSchema>;
