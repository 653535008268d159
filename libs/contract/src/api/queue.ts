import { z } from 'zod';
import { timestampSchema, slugSchema, surfaceKindSchema } from '../scalar.ts';
import { defineRoute } from './route.ts';

/** Runs that wait or are at work, counted. */
const loadSchema = z
  .object({
    backlog: z.int().min(0).describe('Queued, and not yet admitted to the window that workers take from'),
    admitted: z.int().min(0).describe('Queued, and next for a worker'),
    running: z.int().min(0),
    awaitingUser: z.int().min(0).describe('Runs that wait for a person'),
    waitingSince: timestampSchema.nullable().describe('When the oldest queued run entered the queue'),
  })
  .meta({ id: 'Load' });
export type FleetLoad = z.infer<typeof loadSchema>;

/** The queue of a fleet. */
export const fleetQueueSchema = z
  .object({
    fleet: slugSchema,
    surface: surfaceKindSchema,
    pausedAt: timestampSchema.nullable().describe('Since when no run is given to a worker; null: it is not paused'),
    all: loadSchema.describe('Of all projects that the fleet serves'),
    own: loadSchema.describe('Of the project of the key'),
  })
  .meta({ id: 'FleetQueue' });
export type FleetQueue = z.infer<typeof fleetQueueSchema>;

export const queueRoutes = {
  readQueue: defineRoute({
    method: 'GET',
    path: '/v1/queue',
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
