import { z } from 'zod';
import { idSchema } from '../primitives.schema.ts';

/** The API key or user that made a request. */
export const actorSchema = z
  .object({
    kind: z.enum(['key', 'user']),
    id: idSchema,
    name: z.string().describe('Name of the key or email of the user, at that time'),
  })
  .meta({ id: 'Actor' });
export type Actor = z.infer<typeof actorSchema>;

/** Subject of an audit entry: also a worker that joined or was refused. */
export const auditActorSchema = actorSchema
  .extend({ kind: z.enum(['key', 'user', 'worker']) })
  .meta({ id: 'AuditActor' });
