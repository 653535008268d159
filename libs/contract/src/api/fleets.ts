import { z } from 'zod';
import { fleetViewSchema } from '../fleet/fleet.ts';
import { slugSchema } from '../scalar.ts';
import { route } from './route.ts';

const tag = 'Fleets';
const description = 'Only fleets that serve the project. The numbers are of all that run on the fleet.';

export const fleetsSchema = z.object({ items: z.array(fleetViewSchema) }).meta({ id: 'FleetList' });

const params = z.object({ fleet: slugSchema.describe('Name of the fleet') });

export const fleetRoutes = {
  listFleets: route({
    method: 'GET',
    path: '/v1/fleets',
    tag,
    summary: 'List fleets with their workers',
    description,
    role: 'viewer',
    responses: { 200: { description: 'The fleets', schema: fleetsSchema } },
  }),
  readFleet: route({
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
  pauseFleet: route({
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
  resumeFleet: route({
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
} as const;
