import type { RetentionPolicy } from '@pilothouse/contract';
import { integer } from './parts.ts';

const days = integer(1, 36_500).optional();

/** How long a project keeps what, until its admin says otherwise. */
export const retentionSettings = {
  PILOTHOUSE_KEEP_RUNS_DAYS: days,
  PILOTHOUSE_KEEP_EVENTS_DAYS: days,
  PILOTHOUSE_KEEP_ARTIFACTS_DAYS: days,
};

/** The settings as a project has them; what is not set is kept for ever. */
export const toRetention = (env: Partial<Record<keyof typeof retentionSettings, number>>): RetentionPolicy => ({
  runsDays: env.PILOTHOUSE_KEEP_RUNS_DAYS ?? null,
  eventsDays: env.PILOTHOUSE_KEEP_EVENTS_DAYS ?? null,
  artifactsDays: env.PILOTHOUSE_KEEP_ARTIFACTS_DAYS ?? null,
});
