import { z } from 'zod';
import { idSchema, timestampSchema, jsonSchema } from '../scalar.ts';

/** An API key or a user, as who did something. */
export const actorSchema = z
  .object({
    kind: z.enum(['key', 'user']),
    id: idSchema,
    name: z.string().describe('Name of the key or address of the user, as it was then'),
  })
  .meta({ id: 'Actor' });
export type Actor = z.infer<typeof actorSchema>;

/** Who did what to which thing, when, from where. */
export const auditEntrySchema = z
  .object({
    id: idSchema,
    at: timestampSchema,
    by: actorSchema.describe('Who did it; for `signInRefused`, the user whose password was wrong'),
    action: z.string().describe('Name of the operation, e.g. `createApiKey`; `signInRefused` is none'),
    summary: z.string().describe('What it does, in words'),
    target: z.string().nullable().describe('Id or name of the thing it was done to, or that came of it'),
    details: z.record(z.string(), jsonSchema).describe('What was said or answered, where it matters'),
    before: z.record(z.string(), jsonSchema).nullable().describe('Values before the change; null: not known'),
    after: z.record(z.string(), jsonSchema).nullable().describe('The same values after the change'),
    address: z.string().describe('Where the request came from'),
    request: z.string().describe('Id of the request, for the logs'),
  })
  .meta({ id: 'AuditEntry' });
export type AuditEntry = z.infer<typeof auditEntrySchema>;
