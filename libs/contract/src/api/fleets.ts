import { z } from 'zod';
import { fleetViewSchema } from '../fleet/fleet.ts';
import { slugSchema } from '../scalar.ts';
import { route } from './route.ts';

const tag = 'Fleets';
const description = 'Only fleets that serve the project. The numbers are of all that run on the fleet.';

export const fleetsSchema = z.object({ items: z.array(fleetViewSchema) }).meta({ id: 'FleetList' });

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
    params: z.object({ fleet: slugSchema.describe('Name of the fleet') }),
    responses: { 200: { description: 'The fleet', schema: fleetViewSchema } },
    errors: ['NOT_FOUND'],
  }),
} as const;
