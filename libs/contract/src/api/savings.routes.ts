import { z } from 'zod';
import { repeatedGoalSchema, savingsSchema } from '../run/savings.schema.ts';
import { flagQuery } from './query-params.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Savings';
const params = z.object({ goal: repeatedGoalSchema.shape.id });
const dateTimeSchema = z.iso.datetime({ offset: true });

/** Query of `GET /v1/savings`. */
export const savingsQuery = z.object({
  from: dateTimeSchema
    .optional()
    .describe('Only runs that ended at this instant or later (default: 30 days before `to`)'),
  to: dateTimeSchema
    .optional()
    .describe('Only runs that ended before this instant (default: now). At most 366 days after `from`'),
});
export type SavingsQuery = z.output<typeof savingsQuery>;

/** Query of `GET /v1/savings/repeated-goals`. */
export const repeatedGoalsQuery = z.object({
  days: z.coerce.number().int().min(1).max(90).default(30).describe('Length of the period, which ends now'),
  minRuns: z.coerce.number().int().min(2).max(1000).default(3).describe('Minimum number of completed runs'),
  dismissed: flagQuery.default(false).describe('`true`: only dismissed goals; `false`: only the others'),
});
export type RepeatedGoalsQuery = z.output<typeof repeatedGoalsQuery>;

export const savingsRoutes = {
  readSavings: defineRoute({
    method: 'GET',
    path: '/v1/savings',
    tag,
    summary: 'Read saved tokens, cost and time',
    description:
      'Compares completed runs with a baseline. Action cache: the model call that chose the cached actions. Compile: the mean cost of runs with the same goal. Heal: the cost of the run before its first healed step, minus the cost of the repair.',
    role: 'viewer',
    query: savingsQuery,
    responses: { 200: { description: 'The savings', schema: savingsSchema } },
  }),
  listRepeatedGoals: defineRoute({
    method: 'GET',
    path: '/v1/savings/repeated-goals',
    tag,
    summary: 'List repeated goals to compile',
    description:
      'Goals that completed several times on the same site. Numbers, dates, quoted values and templates may differ. Goals with a compiled workflow, and goals whose runs used no model, are left out. Returns at most 100 goals, with the most tokens first.',
    role: 'viewer',
    query: repeatedGoalsQuery,
    responses: {
      200: {
        description: 'The goals',
        schema: z.object({ items: z.array(repeatedGoalSchema) }).meta({ id: 'RepeatedGoals' }),
      },
    },
  }),
  dismissRepeatedGoal: defineRoute({
    method: 'POST',
    path: '/v1/savings/repeated-goals/{goal}/dismiss',
    tag,
    summary: 'Dismiss a repeated goal',
    description: 'The goal is not listed any more, unless `dismissed` is `true`.',
    role: 'operator',
    params,
    responses: { 204: { description: 'The goal is dismissed' } },
    errors: ['NOT_FOUND'],
  }),
  restoreRepeatedGoal: defineRoute({
    method: 'POST',
    path: '/v1/savings/repeated-goals/{goal}/restore',
    tag,
    summary: 'List a dismissed goal again',
    role: 'operator',
    params,
    responses: { 204: { description: 'The goal is not dismissed' } },
    errors: ['NOT_FOUND'],
  }),
} as const;
