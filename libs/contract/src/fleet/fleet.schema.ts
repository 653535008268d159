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
    'EgressNotEnforced',
    'ExternalWorker',
    'JoinRefused',
  ])
  .meta({ id: 'ConditionReason' });
export type ConditionReason = z.infer<typeof conditionReasonSchema>;

/** A problem of a fleet. It is removed when a worker that joined later is stable, or ten minutes after it was last seen. */
export const fleetConditionSchema = z
  .object({
    reason: conditionReasonSchema,
    message: z.string().describe('Last observation, for people'),
    count: z.int().describe('Number of affected workers, or of occurrences'),
    since: timestampSchema,
    lastSeenAt: timestampSchema,
  })
  .meta({ id: 'FleetCondition' });

/** Maximum concurrent runs of a worker. A run with a page needs 40 to 60 MB, one without a page almost none. */
export const MAX_SLOTS_PER_WORKER = 1000;

const workers = z.int().min(0).max(10_000);
const minWorkers = workers.describe('Minimum number of workers');
const maxWorkers = workers.describe('Maximum number of workers');
const idleSlots = workers.describe(
  'Free slots to keep ready, also without queued runs; 0: the fleet shrinks to `minWorkers`',
);

/** Configuration of a fleet. */
export const fleetConfigSchema = z
  .strictObject({
    name: slugSchema,
    surface: surfaceKindSchema.default('browser'),
    slots: z
      .int()
      .min(1)
      .max(MAX_SLOTS_PER_WORKER)
      .default(2)
      .describe('Maximum number of concurrent runs of a worker'),
    minWorkers: minWorkers.default(0),
    maxWorkers: maxWorkers.default(2),
    idleSlots: idleSlots.default(1),
    limitsManagedBy: z
      .literal('configuration')
      .optional()
      .describe('`configuration`: the limits can be changed only in this configuration (default: also over REST)'),
    cooldownSeconds: z
      .number()
      .min(0)
      .max(86_400)
      .default(60)
      .describe('Seconds that a worker is idle before it is drained'),
    projects: z.array(slugSchema).default([]).describe('Projects that the fleet serves. An empty list means all'),
    token: z.string().min(20).optional().describe('The fleet token, if this process needs it'),
    externalWorkers: z
      .boolean()
      .default(false)
      .describe('true: workers that no controller started may join with the fleet token'),
  })
  .refine(({ minWorkers, maxWorkers }) => minWorkers <= maxWorkers, {
    error: '`minWorkers` must not be greater than `maxWorkers`',
    path: ['minWorkers'],
  })
  .meta({ id: 'FleetConfig' });
export type FleetConfig = z.infer<typeof fleetConfigSchema>;

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
    cordoned: z.boolean().describe('true: it accepts no new runs'),
    runs: z
      .array(z.object({ id: idSchema, name: z.string() }))
      .describe('Its runs of this project. `busy` also counts runs of other projects'),
    startedAt: timestampSchema,
    lastSeenAt: timestampSchema,
  })
  .meta({ id: 'Worker' });
export type WorkerView = z.infer<typeof workerViewSchema>;

/** Reason why the limits of a fleet cannot be changed over REST. */
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
    stepSeconds: z.int().describe('Length of an interval in seconds'),
    spans: z.array(
      z.object({
        at: timestampSchema.describe('Start of the interval'),
        waiting: z.int().describe('Maximum number of queued runs'),
        running: z.int().describe('Maximum number of running runs'),
        workers: z.int().describe('Maximum number of workers'),
        slots: z.int().describe('Maximum number of slots'),
      }),
    ),
    decisions: z
      .array(
        z.object({
          at: timestampSchema,
          action: z.string().describe('`create`, `drain` or `stop`; or by a person `cordon` or `uncordon`'),
          reason: z.string(),
          workers: z.int().describe('Number of affected workers'),
          error: z.string().nullable().describe('Error of the action for some or all workers; null: it succeeded'),
        }),
      )
      .describe('Scaling decisions, grouped by action, reason and interval'),
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
        'Reason why the limits cannot be changed over REST. `configuration`: the configuration defines them; `retired`: the configuration no longer has the fleet; null: they can be changed',
      ),
    paused: z.boolean(),
    waiting: z.int().describe('Runs in the queue'),
    running: z.int(),
    workers: z.array(workerViewSchema),
    conditions: z.array(fleetConditionSchema).describe('Current problems of the fleet'),
  })
  .meta({ id: 'Fleet' });
export type FleetView = z.infer<typeof fleetViewSchema>;

/** A scaling decision about the workers of a fleet, and its result. */
export const fleetDecisionSchema = z
  .object({
    at: timestampSchema,
    action: z.string().describe('`create`, `drain` or `stop`; or by a person `cordon` or `uncordon`'),
    reason: z.string().describe('Reason, e.g. `waiting` or `cooldown`; `manual`: a person or key requested it'),
    requestedBy: z.string().nullable().describe('Name of the person or key; null: the controller decided'),
    workers: z.array(z.string()).describe('Names of the affected workers'),
    error: z.string().nullable().describe('Error of the action for some or all workers; null: it succeeded'),
  })
  .meta({ id: 'FleetDecision' });
export type FleetDecision = z.infer<typeof fleetDecisionSchema>;
