import { z } from 'zod';
import { actorSchema } from '../project/actor.schema.ts';
import { idSchema } from '../primitives.schema.ts';

const startedBy = {
  actor: actorSchema
    .nullable()
    .describe('API key or user that started the run; null: Pilothouse itself, or not recorded'),
  idempotencyKey: z
    .string()
    .nullable()
    .describe('Idempotency key of the request: with the same key, the origin starts one run only'),
};

/** Origin of a run: its cause, and the key or user behind it. */
export const runOriginSchema = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('api').describe('A request with an API key'), ...startedBy }),
    z.object({ kind: z.literal('console').describe('A request with the session of a user'), ...startedBy }),
    z.object({ kind: z.literal('schedule'), schedule: idSchema.describe('The schedule that was due'), ...startedBy }),
    z.object({ kind: z.literal('webhook'), webhook: idSchema.describe('The webhook that was called'), ...startedBy }),
    z.object({ kind: z.literal('batch'), batch: idSchema.describe('The batch of the run'), ...startedBy }),
    z.object({ kind: z.literal('parent'), run: idSchema.describe('The run that started this one'), ...startedBy }),
    z.object({
      kind: z.literal('replay'),
      run: idSchema.describe('The run whose inputs verify a workflow version'),
      ...startedBy,
    }),
    z.object({ kind: z.literal('retry'), run: idSchema.describe('The run that this one retries'), ...startedBy }),
  ])
  .meta({ id: 'RunOrigin' });
export type RunOrigin = z.infer<typeof runOriginSchema>;
export type RunOriginKind = RunOrigin['kind'];

/** Kinds of origins, for filters. */
export const runOriginKinds = [
  'api',
  'console',
  'schedule',
  'webhook',
  'batch',
  'parent',
  'replay',
  'retry',
] as const satisfies readonly RunOriginKind[];
