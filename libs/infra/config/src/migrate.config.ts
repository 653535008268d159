import { z } from 'zod';
import { databaseUrl, logSettings, integer } from './variable-types.ts';
import { processEnvironment, readEnvironment, type Environment } from './read-environment.ts';

/** Environment variables of the migration. */
export const migrateVariables = z.object({
  DATABASE_URL: databaseUrl,
  PILOTHOUSE_DATABASE_WAIT_SECONDS: integer(0, 3_600).default(120),
  ...logSettings,
});

/** Settings of the migration. */
export interface MigrateConfig {
  databaseUrl: string;
  /** Milliseconds to wait until the database is reachable. */
  waitMs: number;
  log: { level: 'debug' | 'info' | 'warn' | 'error' | 'silent'; format: 'json' | 'pretty' };
}

/** @throws ConfigError */
export function migrateConfig(environment: Environment = processEnvironment()): MigrateConfig {
  const env = readEnvironment(migrateVariables, environment);
  return {
    databaseUrl: env.DATABASE_URL,
    waitMs: env.PILOTHOUSE_DATABASE_WAIT_SECONDS * 1000,
    log: { level: env.LOG_LEVEL, format: env.LOG_FORMAT },
  };
}
