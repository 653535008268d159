import { z } from 'zod';

/** Work that the end of a run requires. */
export const runReactionSchema = z.enum([
  'propose_repair',
  'record_verification',
  'measure_savings',
  'request_score',
  'check_rollback',
  'cancel_children',
]);
export type RunReaction = z.infer<typeof runReactionSchema>;
