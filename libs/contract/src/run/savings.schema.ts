import { z } from 'zod';
import { idSchema, surfaceKindSchema, timestampSchema } from '../primitives.schema.ts';

/** A mechanism that replaces model calls or failed runs. */
export const savingMechanismSchema = z
  .enum(['action_cache', 'compile', 'heal'])
  .meta({ id: 'SavingMechanism' })
  .describe(
    '`action_cache`: actions of an earlier run on the same page; `compile`: a workflow that was compiled from a run; `heal`: a step whose element was found again',
  );
export type SavingMechanism = z.infer<typeof savingMechanismSchema>;
export const savingMechanisms = savingMechanismSchema.options;

const amountFields = {
  runs: z.int().min(0).describe('Completed runs'),
  tokens: z.int().describe('Tokens in both directions; negative: more than the baseline'),
  usd: z.number().nullable().describe('US dollars of the runs with a known price; null: the price is known for none'),
  unpricedRuns: z.int().min(0).describe('Runs whose price is not known. They are missing in `usd`'),
  seconds: z.number().describe('Seconds; negative: more than the baseline'),
};

/** Amounts saved in completed runs, compared with their baseline. */
export const savedAmountSchema = z.object(amountFields).meta({ id: 'SavedAmount' });
export type SavedAmount = z.infer<typeof savedAmountSchema>;

/** Savings by the action cache, compiled workflows and healing. */
export const savingsSchema = z
  .object({
    from: timestampSchema,
    to: timestampSchema,
    total: savedAmountSchema,
    mechanisms: z
      .array(
        z.object({
          mechanism: savingMechanismSchema,
          count: z.int().min(0).describe('Cached turns, compiled runs or healed steps'),
          ...amountFields,
        }),
      )
      .describe('All mechanisms'),
    workflows: z
      .array(z.object({ workflow: z.string().describe('Name of the workflow'), ...amountFields }))
      .describe('The 100 workflows that saved the most tokens'),
    days: z
      .array(
        z.object({
          day: z.iso.date().describe('Day in UTC'),
          mechanism: savingMechanismSchema,
          ...amountFields,
        }),
      )
      .describe('Days with savings, by mechanism, oldest first'),
  })
  .meta({ id: 'Savings' });
export type Savings = z.infer<typeof savingsSchema>;

/** A goal that completed repeatedly on the same site, and has no compiled workflow. */
export const repeatedGoalSchema = z
  .object({
    id: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('Hash of surface, site and goal without its values'),
    goal: z.string().describe('Goal of the run to compile'),
    site: z.string().describe('Host, or application; empty: unknown'),
    surface: surfaceKindSchema,
    count: z.int().min(1).describe('Completed runs in the period'),
    runs: z.array(idSchema).describe('The newest 20 of these runs'),
    lastRunAt: timestampSchema,
    perRun: z
      .object({
        tokens: z.number().min(0),
        usd: z
          .number()
          .min(0)
          .nullable()
          .describe('Mean of the runs with a known price; null: the price is known for none'),
        seconds: z.number().min(0),
      })
      .describe('Mean of the runs'),
    perMonth: z
      .object({
        runs: z.number().min(0),
        tokens: z.number().min(0),
        usd: z.number().min(0).nullable().describe('null: the price is not known'),
      })
      .describe('Estimated saving in 30 days, if the goal is compiled and stays as frequent as in the period'),
    best: z
      .object({
        run: idSchema,
        workflow: z.string().describe('Name of its workflow'),
        actions: z.int().min(0).describe('Actions of the agent'),
      })
      .describe('Run to compile: the one with the fewest actions'),
    dismissedAt: timestampSchema.nullable().describe('null: not dismissed'),
  })
  .meta({ id: 'RepeatedGoal' });
export type RepeatedGoal = z.infer<typeof repeatedGoalSchema>;
