import { z } from 'zod';

/** Identifier of a row: a UUID, version 7, so that ids sort by time. */
export const idSchema = z.uuid().describe('UUID');

/** Instant in UTC, ISO 8601 with milliseconds. */
export const instantSchema = z.iso.datetime().describe('ISO 8601 instant in UTC');

/** Name of a workflow, project or fleet: lower-case words joined by hyphens. */
export const slugSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'Use 1 to 63 lower-case letters, digits and hyphens, e.g. `order-supplies`',
  );

/** Name of an input, step or output: usable in a template. */
export const nameSchema = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,62}$/,
    'Use letters, digits and underscores, not starting with a digit, e.g. `unit_price`',
  );

/** Any JSON value. */
export const jsonSchema = z.json();
export type Json = z.infer<typeof jsonSchema>;

/** Labels of a run: up to 32 short strings by name. */
export const labelsSchema = z
  .record(z.string().min(1).max(63), z.string().max(255))
  .refine((labels) => Object.keys(labels).length <= 32, 'Use at most 32 labels')
  .describe('Free key-value pairs to find runs by');

/** What is operated. */
export const surfaceKindSchema = z.enum(['browser', 'desktop', 'android']);
export type SurfaceKind = z.infer<typeof surfaceKindSchema>;

/** Ends a switch over a closed set: a new member fails to compile here. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value ${JSON.stringify(value)}`);
}
