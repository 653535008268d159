import { z } from 'zod';

/** Identifier of a row: a UUID, version 7, so that ids sort by time. */
export const idSchema = z.uuid().describe('UUID');

/** Instant in UTC, ISO 8601 with milliseconds. */
export const timestampSchema = z.iso.datetime().describe('ISO 8601 instant in UTC');

/** Name of a workflow, project or fleet: lower-case words joined by hyphens. */
export const slugSchema = z
  .string()
  .regex(
    /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/,
    'Use 1 to 63 lower-case letters, digits and hyphens, e.g. `order-supplies`',
  );

/** Name of an input, step or output: usable in a template. */
export const identifierSchema = z
  .string()
  .regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,62}$/,
    'Use letters, digits and underscores, not starting with a digit, e.g. `unit_price`',
  );

/** Any JSON value. */
export const jsonSchema = z.json();
export type Json = z.infer<typeof jsonSchema>;

/** Maximum nesting of JSON in a message. Readers and writers recurse by level. */
const MAX_JSON_LEVELS = 1_000;

/**
 * JSON that was read by `JSON.parse`. Such a value can be nothing else: it is not copied, and only its depth is
 * checked. It is not `jsonSchema`, because that schema is recursive, and the cycle guard of zod costs more than all
 * other checks of a short message.
 */
export const parsedJsonValueSchema = z.custom<Json>(
  (value) => value !== undefined && isWithin(value, MAX_JSON_LEVELS),
  `Use a JSON value that is nested at most ${MAX_JSON_LEVELS} levels deep`,
);

/** An object of such JSON. */
export const parsedJsonObjectSchema = z.custom<Record<string, Json>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && isWithin(value, MAX_JSON_LEVELS),
  `Use a JSON object that is nested at most ${MAX_JSON_LEVELS} levels deep`,
);

function isWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  for (const inside of Object.values(value)) if (!isWithin(inside, levels - 1)) return false;
  return true;
}

/** Labels of a run: up to 32 short strings by name. */
export const labelsSchema = z
  .record(z.string().min(1).max(63), z.string().max(255))
  .refine((labels) => Object.keys(labels).length <= 32, 'Use at most 32 labels')
  .describe('Free key-value pairs to find runs by');

/** Kinds of surfaces that workers have. */
export const surfaceKindSchema = z.enum(['browser', 'desktop'], {
  error: ({ input }) => `Unknown surface ${JSON.stringify(input)}: use \`browser\` or \`desktop\``,
});
export type SurfaceKind = z.infer<typeof surfaceKindSchema>;

/** Ends a switch over a closed set: a new member fails to compile here. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value ${JSON.stringify(value)}`);
}
