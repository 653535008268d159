import { MAX_SLOTS_PER_WORKER, type FleetConfig } from '@pilothouse/contract/fleet/fleet.schema';
import { z } from 'zod';
import {
  booleanVariable,
  databaseUrl,
  fleetSettings,
  logSettings,
  port,
  redisUrl,
  url,
  integer,
} from './variable-types.ts';
import { processEnvironment, readEnvironment, type Environment } from './read-environment.ts';

/** Environment variables of `pilothouse up`. */
export const upVariables = z
  .object({
    DATABASE_URL: databaseUrl.optional(),
    REDIS_URL: redisUrl.optional(),
    S3_ENDPOINT: url('http', 'https').optional(),
    S3_ACCESS_KEY: z.string().optional(),
    S3_SECRET_KEY: z.string().optional(),
    PILOTHOUSE_INSTALL_DIR: z.string().optional(),
    PILOTHOUSE_HOST: z.string().default('127.0.0.1'),
    PILOTHOUSE_PORT: port.default(7100),
    PILOTHOUSE_CONSOLE_PORT: port.default(7110),
    PILOTHOUSE_PUBLIC_URL: url('http', 'https').optional(),
    PILOTHOUSE_SLOTS: integer(1, MAX_SLOTS_PER_WORKER).default(2),
    PILOTHOUSE_WORKERS: integer(1, 1000).default(2),
    PILOTHOUSE_EXTERNAL_WORKERS: booleanVariable.default(false),
    ...fleetSettings,
    ...logSettings,
  })
  .superRefine((env, context) => {
    const addIssue = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
    if (env.S3_ENDPOINT && !env.S3_ACCESS_KEY) addIssue('S3_ACCESS_KEY', 'set it, because S3_ENDPOINT is set');
    if (env.S3_ENDPOINT && !env.S3_SECRET_KEY) addIssue('S3_SECRET_KEY', 'set it, because S3_ENDPOINT is set');
  });

/** Settings of `pilothouse up`. Servers with an address are used; the others are started locally. */
export interface UpConfig {
  databaseUrl: string | undefined;
  redisUrl: string | undefined;
  s3Endpoint: string | undefined;
  /** Data folder, when it is not `.pilothouse` in the checkout. */
  installDir: string | undefined;
  host: string;
  /** Preferred port of the API. */
  port: number;
  /** Preferred port of the console. */
  consolePort: number;
  publicUrl: string | undefined;
  /** Configured fleets. undefined: the default fleets, with up to `workers` workers, and `slots` slots per browser worker. */
  fleets: readonly FleetConfig[] | undefined;
  slots: number;
  workers: number;
  /** Workers of other machines may join the default fleets. */
  externalWorkers: boolean;
  log: { level: 'debug' | 'info' | 'warn' | 'error' | 'silent'; format: 'json' | 'pretty' };
  /** Environment that the child processes inherit. */
  environment: Environment;
}

/** @throws ConfigError */
export function upConfig(environment: Environment = processEnvironment()): UpConfig {
  const env = readEnvironment(upVariables, environment);
  return {
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    s3Endpoint: env.S3_ENDPOINT,
    installDir: env.PILOTHOUSE_INSTALL_DIR,
    host: env.PILOTHOUSE_HOST,
    port: env.PILOTHOUSE_PORT,
    consolePort: env.PILOTHOUSE_CONSOLE_PORT,
    publicUrl: env.PILOTHOUSE_PUBLIC_URL?.replace(/\/+$/, ''),
    fleets: env.PILOTHOUSE_FLEETS ?? env.PILOTHOUSE_FLEETS_FILE,
    slots: env.PILOTHOUSE_SLOTS,
    workers: env.PILOTHOUSE_WORKERS,
    externalWorkers: env.PILOTHOUSE_EXTERNAL_WORKERS,
    log: { level: env.LOG_LEVEL, format: env.LOG_FORMAT },
    environment,
  };
}
