import { z } from 'zod';
import { updateFleetSchema, fleetDecisionSchema, fleetHistorySchema, fleetViewSchema } from '../fleet/fleet.schema.ts';
import { idSchema, slugSchema, surfaceKindSchema, timestampSchema } from '../primitives.schema.ts';
import { defineRoute } from './route-definition.ts';

const tag = 'Fleets';
const description = 'Only fleets that serve the project. The numbers are of all that run on the fleet.';

export const fleetsSchema = z.object({ items: z.array(fleetViewSchema) }).meta({ id: 'FleetList' });

export const fleetDecisionsSchema = z.object({ items: z.array(fleetDecisionSchema) }).meta({ id: 'FleetDecisionList' });

const params = z.object({ fleet: slugSchema.describe('Name of the fleet') });
const workerParams = params.extend({ worker: idSchema.describe('Id of the worker') });

export const fleetRoutes = {
  listFleets: defineRoute({
    method: 'GET',
    path: '/v1/fleets',
    tag,
    summary: 'List fleets with their workers',
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
    summary: 'Change how many workers a fleet has',
    description:
      'For all projects that it serves. It holds until the configuration of the fleet says something else than before; a fleet that says ' +
      '`limitsManagedBy` is changed in its configuration alone. Workers that are too many go when they are idle.',
    role: 'admin',
    params,
    body: updateFleetSchema,
    audit: { body: ['minWorkers', 'maxWorkers', 'idleSlots'] },
    responses: { 200: { description: 'The fleet, changed', schema: fleetViewSchema } },
    errors: ['NOT_FOUND', 'CONFLICT'],
  }),
  readFleetHistory: defineRoute({
    method: 'GET',
    path: '/v1/fleets/{fleet}/history',
    tag,
    summary: 'Read how a fleet stood, and why workers came and went',
    description: 'Looked at every 15 seconds, and kept for a week.',
    role: 'viewer',
    params,
    query: z.object({ hours: z.coerce.number().int().min(1).max(168).default(1).describe('How far back') }),
    responses: { 200: { description: 'At most 240 spans', schema: fleetHistorySchema } },
    errors: ['NOT_FOUND'],
  }),
  pauseFleet: defineRoute({
    method: 'POST',
    path: '/v1/fleets/{fleet}/pause',
    tag,
    summary: 'Pause a fleet',
    description:
      'Runs at work go on; no queued run is given to a worker any more, of no project, until the fleet is resumed. ' +
      'New runs are taken in and wait. Pausing a paused fleet changes nothing.',
    role: 'admin',
    params,
    responses: { 200: { description: 'The fleet, paused', schema: fleetViewSchema } },
    errors: ['NOT_FOUND'],
  }),
  resumeFleet: defineRoute({
    method: 'POST',
    path: '/v1/fleets/{fleet}/resume',
    tag,
    summary: 'Resume a fleet',
    description:
      'Queued runs go on, in the order they would have had. Resuming a fleet that is not paused changes nothing.',
    role: 'admin',
    params,
    responses: { 200: { description: 'The fleet, at work again', schema: fleetViewSchema } },
    errors: ['NOT_FOUND'],
  }),
  listFleetDecisions: defineRoute({
    method: 'GET',
    path: '/v1/fleets/{fleet}/decisions',
    tag,
    summary: 'List why workers came and went, the newest first',
    role: 'viewer',
    params,
    query: z.object({ limit: z.coerce.number().int().min(1).max(200).default(50).describe('How many') }),
    responses: { 200: { description: 'The decisions', schema: fleetDecisionsSchema } },
    errors: ['NOT_FOUND'],
  }),
  drainWorker: defineRoute({
    method: 'POST',
    path: '/v1/fleets/{fleet}/workers/{worker}/drain',
    tag,
    summary: 'Drain a worker',
    description:
      'It is given no run any more, finishes those it has, and exits; where the fleet calls for another, that is started. ' +
      'Draining a worker that drains changes nothing.',
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
      'It is given no run any more, and stays, with the runs it has, until it is uncordoned or drained; others are started in its place ' +
      'as far as `maxWorkers` allows. Cordoning a cordoned worker changes nothing.',
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
    description: 'It takes runs again. Uncordoning a worker that is not cordoned changes nothing.',
    role: 'admin',
    params: workerParams,
    responses: { 200: { description: 'The fleet with the worker', schema: fleetViewSchema } },
    errors: ['NOT_FOUND'],
  }),
} as const;

/** Runs that wait or are at work, counted. */
const loadSchema = z
  .object({
    backlog: z.int().min(0).describe('Queued, and not yet admitted to the window that workers take from'),
    admitted: z.int().min(0).describe('Queued, and next for a worker'),
    running: z.int().min(0),
    awaitingUser: z.int().min(0).describe('Runs that wait for a person'),
    oldestQueuedAt: timestampSchema.nullable().describe('When the oldest queued run entered the queue'),
  })
  .meta({ id: 'FleetLoad' });
export type FleetLoad = z.infer<typeof loadSchema>;

/** The queue of a fleet. */
export const fleetQueueSchema = z
  .object({
    fleet: slugSchema,
    surface: surfaceKindSchema,
    pausedAt: timestampSchema.nullable().describe('Since when no run is given to a worker; null: it is not paused'),
    total: loadSchema.describe('Of all projects that the fleet serves'),
    project: loadSchema.describe('Of the project of the key'),
  })
  .meta({ id: 'FleetQueue' });
export type FleetQueue = z.infer<typeof fleetQueueSchema>;

export const queueRoutes = {
  listQueues: defineRoute({
    method: 'GET',
    path: '/v1/queues',
    tag: 'Fleets',
    summary: 'Read what waits and what is at work, fleet by fleet',
    description: 'Only fleets that serve the project. Other projects are only in the sums.',
    role: 'viewer',
    responses: {
      200: {
        description: 'The queues of the fleets',
        schema: z.object({ items: z.array(fleetQueueSchema) }).meta({ id: 'FleetQueueList' }),
      },
    },
  }),
} as const;
