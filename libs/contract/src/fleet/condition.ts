import { z } from 'zod';
import { timestampSchema } from '../scalar.ts';

/** What keeps a fleet from having the workers it wants, or takes them from it. A closed set: the reasons are labels of metrics. */
export const conditionReasonSchema = z
  .enum([
    'ImagePullFailed',
    'Unschedulable',
    'OutOfMemory',
    'CrashLoop',
    'QuotaExceeded',
    'NodeLost',
    'Evicted',
    'CreateFailed',
    'StartTimeout',
  ])
  .meta({ id: 'ConditionReason' });
export type ConditionReason = z.infer<typeof conditionReasonSchema>;

/** Something that is wrong with a fleet. It goes when a worker that joined after it proves stable, or ten minutes after it was last seen. */
export const fleetConditionSchema = z
  .object({
    reason: conditionReasonSchema,
    message: z.string().describe('What was last seen, for people'),
    count: z.int().describe('How many workers it was seen on, or how often it was seen'),
    since: timestampSchema,
    lastSeenAt: timestampSchema,
  })
  .meta({ id: 'FleetCondition' });
export type FleetCondition = z.infer<typeof fleetConditionSchema>;
