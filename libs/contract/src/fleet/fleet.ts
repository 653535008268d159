import { z } from 'zod';
import { idSchema, instantSchema, slugSchema, surfaceKindSchema } from '../scalar.ts';
import { fleetConditionSchema } from './condition.ts';

/** A fleet as configuration gives it. */
export const fleetConfigSchema = z
  .strictObject({
    name: slugSchema,
    surface: surfaceKindSchema.default('browser'),
    slots: z.int().min(1).max(100).default(2).describe('Runs a worker carries out at a time'),
    min: z.int().min(0).max(10_000).default(0).describe('Fewest workers'),
    max: z.int().min(0).max(10_000).default(2).describe('Most workers'),
    idle: z
      .int()
      .min(0)
      .max(10_000)
      .default(1)
      .describe('Free slots kept warm, with work or without; 0: the fleet goes down to min'),
    cooldownSeconds: z
      .number()
      .min(0)
      .max(86_400)
      .default(60)
      .describe('Seconds a worker is idle before it is drained'),
    projects: z.array(slugSchema).default([]).describe('Projects it serves; empty: all'),
    token: z.string().min(20).optional().describe('The fleet token, where this process is to know it'),
  })
  .refine(({ min, max }) => min <= max, { error: 'min is at most max', path: ['min'] })
  .meta({ id: 'FleetConfig' });
export type FleetConfig = z.infer<typeof fleetConfigSchema>;

/** What a worker is at. */
export const workerStateSchema = z.enum(['starting', 'ready', 'draining', 'gone']).meta({ id: 'WorkerState' });
export type WorkerState = z.infer<typeof workerStateSchema>;

/** A worker as a client sees it. */
export const workerViewSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    state: workerStateSchema,
    version: z.string(),
    slots: z.int(),
    busy: z.int(),
    startedAt: instantSchema,
    lastSeenAt: instantSchema,
  })
  .meta({ id: 'Worker' });
export type WorkerView = z.infer<typeof workerViewSchema>;

/** A fleet as a client sees it. */
export const fleetViewSchema = z
  .object({
    id: idSchema,
    name: slugSchema,
    surface: surfaceKindSchema,
    slots: z.int(),
    min: z.int(),
    max: z.int(),
    idle: z.int(),
    paused: z.boolean(),
    waiting: z.int().describe('Runs in the queue'),
    running: z.int(),
    workers: z.array(workerViewSchema),
    conditions: z.array(fleetConditionSchema).describe('What is wrong with it now; empty: nothing'),
  })
  .meta({ id: 'Fleet' });
export type FleetView = z.infer<typeof fleetViewSchema>;

/** A decision about the workers of a fleet, and what became of it. */
export const fleetDecisionSchema = z
  .object({
    at: instantSchema,
    action: z.string().describe('`create`, `drain` or `stop`'),
    reason: z.string().describe('Why, e.g. `waiting` or `cooldown`'),
    workers: z.array(z.string()).describe('Names of the workers that it was carried out on'),
    error: z.string().nullable().describe('Why it was not carried out, or not on all'),
  })
  .meta({ id: 'FleetDecision' });
export type FleetDecision = z.infer<typeof fleetDecisionSchema>;
