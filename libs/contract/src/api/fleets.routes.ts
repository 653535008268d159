import { z } from 'zod';
import { updateFleetSchema, fleetDecisionSchema, fleetHistorySchema, fleetViewSchema } from '../fleet/fleet.schema.ts';
import { idSchema, slugSchema, surfaceKindSchema, timestampSchema } from '../primitives.schema.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Fleets';
const description = 'Only fleets that serve the project. Counts include runs of other projects.';

export const fleetsSchema = z.object({ items: z.array(fleetViewSchema) }).meta({ id: 'FleetList' });

export const fleetDecisionsSchema = z.object({ items: z.array(fleetDecisionSchema) }).meta({ id: 'FleetDecisionList' });

const params = z.object({ fleet: slugSchema.describe('Name of the fleet') });
const workerParams = params.extend({ worker: idSchema.describe('Id of the worker') });

export const fleetRoutes = {
  listFleets: defineRoute({
    method: 'GET',
    path: '/v1/fleets',
    tag,
    summary: 'List fleets and workers',
    description,
    role: 'viewer',
    responses: { 200: { description: 'The fleets', schema: fleetsSchema } },
  }),
  readFleet: defineRoute({
    method: 'GET',
    path: '/v1/fleets/{fleet}',
    tag,
    summary: 'Read a fleet',
    description,
    role: 'viewer',
    params,
    responses: { 200: { description: 'The fleet', schema: fleetViewSchema } },
    errors: ['NOT_FOUND'],
  }),
  updateFleet: defineRoute({
    method: 'PATCH',
    path: '/v1/fleets/{fleet}',
    tag,
    summary: 'Change the limits of a fleet',
    description:
      'Applies to all projects that the fleet serves, until the configured limits change. A fleet with `limitsManagedBy` can only be changed in its configuration. Extra workers are removed once idle.',
    role: 'admin',
    params,
    body: updateFleetSchema,
    audit: { body: ['minWorkers', 'maxWorkers', 'idleSlots'] },
    responses: { 200: { description: 'The changed fleet', schema: fleetViewSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  readFleetHistory: defineRoute({
    method: 'GET',
    path: '/v1/fleets/{fleet}/history',
    tag,
    summary: 'Read the history of a fleet',
    description: 'Sampled every 15 seconds, and kept for a week.',
    role: 'viewer',
    params,
    query: z.object({ hours: z.coerce.number().int().min(1).max(168).default(1).describe('Hours before now') }),
    responses: { 200: { description: 'The history, in at most 240 intervals', schema: fleetHistorySchema } },
    errors: ['NOT_FOUND'],
  }),
  pauseFleet: defineRoute({
    method: 'POST',
    path: '/v1/fleets/{fleet}/pause',
    tag,
    summary: 'Pause a fleet',
    description:
      'Running runs continue. Queued runs of all projects wait until the fleet is resumed. New runs are accepted. Pausing a paused fleet changes nothing.',
    role: 'admin',
    params,
    responses: { 200: { description: 'The paused fleet', schema: fleetViewSchema } },
    errors: ['NOT_FOUND'],
  }),
  resumeFleet: defineRoute({
    method: 'POST',
    path: '/v1/fleets/{fleet}/resume',
    tag,
    summary: 'Resume a fleet',
    description: 'Queued runs start again in their order. Resuming a fleet that is not paused changes nothing.',
    role: 'admin',
    params,
    responses: { 200: { description: 'The resumed fleet', schema: fleetViewSchema } },
    errors: ['NOT_FOUND'],
  }),
  listFleetDecisions: defineRoute({
    method: 'GET',
    path: '/v1/fleets/{fleet}/decisions',
    tag,
    summary: 'List scaling decisions, newest first',
    role: 'viewer',
    params,
    query: z.object({
      limit: z.coerce.number().int().min(1).max(200).default(50).describe('Maximum number of decisions'),
    }),
    responses: { 200: { description: 'The decisions', schema: fleetDecisionsSchema } },
    errors: ['NOT_FOUND'],
  }),
  drainWorker: defineRoute({
    method: 'POST',
    path: '/v1/fleets/{fleet}/workers/{worker}/drain',
    tag,
    summary: 'Drain a worker',
    description:
      'The worker accepts no new runs, finishes its runs, and exits. The fleet starts another one if needed. Draining a draining worker changes nothing.',
    role: 'admin',
    params: workerParams,
    responses: { 200: { description: 'The fleet with the worker', schema: fleetViewSchema } },
    errors: ['NOT_FOUND'],
  }),
  cordonWorker: defineRoute({
    method: 'POST',
    path: '/v1/fleets/{fleet}/workers/{worker}/cordon',
    tag,
    summary: 'Cordon a worker',
    description:
      'The worker accepts no new runs and keeps running until it is uncordoned or drained. The fleet starts others in its place, up to `maxWorkers`. Cordoning a cordoned worker changes nothing.',
    role: 'admin',
    params: workerParams,
    responses: { 200: { description: 'The fleet with the worker', schema: fleetViewSchema } },
    errors: ['NOT_FOUND'],
  }),
  uncordonWorker: defineRoute({
    method: 'POST',
    path: '/v1/fleets/{fleet}/workers/{worker}/uncordon',
    tag,
    summary: 'Uncordon a worker',
    description: 'The worker accepts runs again. Uncordoning a worker that is not cordoned changes nothing.',
    role: 'admin',
    params: workerParams,
    responses: { 200: { description: 'The fleet with the worker', schema: fleetViewSchema } },
    errors: ['NOT_FOUND'],
  }),
} as const;

/** Numbers of queued, running and waiting runs. */
const loadSchema = z
  .object({
    backlog: z.int().min(0).describe('Queued runs that are not yet admitted'),
    admitted: z.int().min(0).describe('Queued runs that are next for a worker'),
    running: z.int().min(0),
    awaitingUser: z.int().min(0).describe('Runs that wait for a person'),
    oldestQueuedAt: timestampSchema.nullable().describe('Time at which the oldest queued run was queued'),
  })
  .meta({ id: 'FleetLoad' });
export type FleetLoad = z.infer<typeof loadSchema>;

export const fleetQueueSchema = z
  .object({
    fleet: slugSchema,
    surface: surfaceKindSchema,
    pausedAt: timestampSchema.nullable().describe('Time of the pause; null: the fleet is not paused'),
    total: loadSchema.describe('Runs of all projects that the fleet serves'),
    project: loadSchema.describe('Runs of this project'),
  })
  .meta({ id: 'FleetQueue' });
export type FleetQueue = z.infer<typeof fleetQueueSchema>;

export const queueRoutes = {
  listQueues: defineRoute({
    method: 'GET',
    path: '/v1/queues',
    tag: 'Fleets',
    summary: 'List the queues of fleets',
    description: 'Only fleets that serve the project. Runs of other projects are only in `total`.',
    role: 'viewer',
    responses: {
      200: {
        description: 'The queues of the fleets',
        schema: z.object({ items: z.array(fleetQueueSchema) }).meta({ id: 'FleetQueueList' }),
      },
    },
  }),
} as const;
