import type { Keep } from '@pilothouse/contract';
import { whole } from './parts.ts';

const days = whole(1, 36_500).optional();

/** How long a project keeps what, until its admin says otherwise. */
export const keepSettings = {
  PILOTHOUSE_KEEP_RUNS_DAYS: days,
  PILOTHOUSE_KEEP_EVENTS_DAYS: days,
  PILOTHOUSE_KEEP_ARTIFACTS_DAYS: days,
};

/** The settings as a project has them; what is not set is kept for ever. */
export const keepOf = (env: Partial<Record<keyof typeof keepSettings, number>>): Keep => ({
  runsDays: env.PILOTHOUSE_KEEP_RUNS_DAYS ?? null,
  eventsDays: env.PILOTHOUSE_KEEP_EVENTS_DAYS ?? null,
  artifactsDays: env.PILOTHOUSE_KEEP_ARTIFACTS_DAYS ?? null,
});
