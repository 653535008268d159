import { z } from 'zod';
import { idSchema, slugSchema, surfaceKindSchema, timestampSchema } from '../primitives.schema.ts';

/** Reasons for missing or lost workers of a fleet. A closed set, because reasons are metric labels. */
export const conditionReasonSchema = z
  .enum([
    'ImagePullFailed',
    'Unschedulable',
    'OutOfMemory',
    'CrashLoop',
    'QuotaExceeded',
    'NodeLost',
    'Evicted',
    'CreateFailed',
    'StartTimeout',
  ])
  .meta({ id: 'ConditionReason' });
export type ConditionReason = z.infer<typeof conditionReasonSchema>;

/** A problem of a fleet. It is removed when a worker that joined later is stable, or ten minutes after it was last seen. */
export const fleetConditionSchema = z
  .object({
    reason: conditionReasonSchema,
    message: z.string().describe('What was last seen, for people'),
    count: z.int().describe('How many workers it was seen on, or how often it was seen'),
    since: timestampSchema,
    lastSeenAt: timestampSchema,
  })
  .meta({ id: 'FleetCondition' });
export type FleetCondition = z.infer<typeof fleetConditionSchema>;

/** Maximum concurrent runs of a worker. A run with a page needs 40 to 60 MB; a run without one needs almost no memory. */
export const MAX_SLOTS_PER_WORKER = 1000;

const workers = z.int().min(0).max(10_000);
const minWorkers = workers.describe('Fewest workers');
const maxWorkers = workers.describe('Most workers');
const idleSlots = workers.describe(
  'Free slots kept warm, with work or without; 0: the fleet goes down to `minWorkers`',
);

/** Configuration of a fleet. */
export const fleetConfigSchema = z
  .strictObject({
    name: slugSchema,
    surface: surfaceKindSchema.default('browser'),
    slots: z.int().min(1).max(MAX_SLOTS_PER_WORKER).default(2).describe('Runs a worker carries out at a time'),
    minWorkers: minWorkers.default(0),
    maxWorkers: maxWorkers.default(2),
    idleSlots: idleSlots.default(1),
    limitsManagedBy: z
      .literal('configuration')
      .optional()
      .describe('`configuration`: the limits are changed only where this is written; left out: also over REST'),
    cooldownSeconds: z
      .number()
      .min(0)
      .max(86_400)
      .default(60)
      .describe('Seconds a worker is idle before it is drained'),
    projects: z.array(slugSchema).default([]).describe('Projects it serves; empty: all'),
    token: z.string().min(20).optional().describe('The fleet token, where this process is to know it'),
  })
  .refine(({ minWorkers, maxWorkers }) => minWorkers <= maxWorkers, {
    error: 'minWorkers is at most maxWorkers',
    path: ['minWorkers'],
  })
  .meta({ id: 'FleetConfig' });
export type FleetConfig = z.infer<typeof fleetConfigSchema>;

/** State of a worker. */
export const workerStateSchema = z.enum(['starting', 'ready', 'draining', 'disconnected']).meta({ id: 'WorkerState' });
export type WorkerState = z.infer<typeof workerStateSchema>;

/** Client view of a worker. */
export const workerViewSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    state: workerStateSchema,
    version: z.string(),
    slots: z.int(),
    busy: z.int(),
    cordoned: z.boolean().describe('It takes nothing new, and stays'),
    runs: z
      .array(z.object({ id: idSchema, name: z.string() }))
      .describe('Runs of the project that it holds; `busy` counts those of others, too'),
    startedAt: timestampSchema,
    lastSeenAt: timestampSchema,
  })
  .meta({ id: 'Worker' });
export type WorkerView = z.infer<typeof workerViewSchema>;

/** Why the limits of a fleet cannot be changed over REST. */
export const limitsManagedBySchema = z.enum(['configuration', 'retired']);
export type LimitsManagedBy = z.infer<typeof limitsManagedBySchema>;

/** Body of `PATCH /v1/fleets/{fleet}`. Missing fields do not change. */
export const updateFleetSchema = z
  .strictObject({
    minWorkers: minWorkers.optional(),
    maxWorkers: maxWorkers.optional(),
    idleSlots: idleSlots.optional(),
  })
  .refine((change) => Object.values(change).some((part) => part !== undefined), {
    error: 'Give `minWorkers`, `maxWorkers` or `idleSlots`',
  })
  .meta({ id: 'UpdateFleet' });
export type UpdateFleet = z.infer<typeof updateFleetSchema>;

/** Load of a fleet over some hours, in spans of equal length. Spans without measurements are missing. */
export const fleetHistorySchema = z
  .object({
    from: timestampSchema,
    to: timestampSchema,
    stepSeconds: z.int().describe('Length of a span'),
    spans: z.array(
      z.object({
        at: timestampSchema.describe('Its begin'),
        waiting: z.int().describe('Most runs in the queue'),
        running: z.int().describe('Most runs at work'),
        workers: z.int().describe('Most workers'),
        slots: z.int().describe('Most slots of workers'),
      }),
    ),
    decisions: z
      .array(
        z.object({
          at: timestampSchema,
          action: z.string().describe('`create`, `drain` or `stop`; by people also `cordon` or `uncordon`'),
          reason: z.string(),
          workers: z.int().describe('How many it was carried out on'),
          error: z.string().nullable().describe('Why it was not carried out, or not on all'),
        }),
      )
      .describe('Why workers came and went, one entry for all of an action, a reason and a span'),
  })
  .meta({ id: 'FleetHistory' });
export type FleetHistory = z.infer<typeof fleetHistorySchema>;

/** Client view of a fleet. */
export const fleetViewSchema = z
  .object({
    id: idSchema,
    name: slugSchema,
    surface: surfaceKindSchema,
    slots: z.int(),
    minWorkers: z.int(),
    maxWorkers: z.int(),
    idleSlots: z.int(),
    limitsManagedBy: limitsManagedBySchema
      .nullable()
      .describe(
        'Why the limits are not changed here. `configuration`: the configuration of the installation defines them; ' +
          '`retired`: it no longer names the fleet; null: they are',
      ),
    paused: z.boolean(),
    waiting: z.int().describe('Runs in the queue'),
    running: z.int(),
    workers: z.array(workerViewSchema),
    conditions: z.array(fleetConditionSchema).describe('What is wrong with it now; empty: nothing'),
  })
  .meta({ id: 'Fleet' });
export type FleetView = z.infer<typeof fleetViewSchema>;

/** A scaling decision about the workers of a fleet, and its result. */
export const fleetDecisionSchema = z
  .object({
    at: timestampSchema,
    action: z.string().describe('`create`, `drain` or `stop`; by people `drain`, `cordon` or `uncordon`'),
    reason: z.string().describe('Why, e.g. `waiting` or `cooldown`; `manual`: a person or key asked for it'),
    requestedBy: z.string().nullable().describe('Name of the person or key; null: the controller decided'),
    workers: z.array(z.string()).describe('Names of the workers that it was carried out on'),
    error: z.string().nullable().describe('Why it was not carried out, or not on all'),
  })
  .meta({ id: 'FleetDecision' });
export type FleetDecision = z.infer<typeof fleetDecisionSchema>;
