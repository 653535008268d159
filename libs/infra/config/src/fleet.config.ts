import { z } from 'zod';
import { databaseUrl, fleetSettings, gatewayUrl, json, logging, port } from './parts.ts';
import { processEnvironment, readEnvironment, type Environment } from './read.ts';

const schema = z
  .object({
    DATABASE_URL: databaseUrl,
    PILOTHOUSE_GATEWAY_URL: gatewayUrl,
    PILOTHOUSE_FLEET_DRIVER: z.enum(['local'], { error: 'set it to local' }).default('local'),
    PILOTHOUSE_WORKER_COMMAND: json(
      z.array(z.string().min(1)).min(1, { error: 'set it to a JSON list: program and arguments' }),
    ),
    PILOTHOUSE_DATA_DIR: z.string({ error: 'set it to the folder for data' }),
    PILOTHOUSE_FLEET_PORT: port.default(0),
    ...fleetSettings,
    ...logging,
  })
  .superRefine((env, context) => {
    const fleets = env.PILOTHOUSE_FLEETS ?? env.PILOTHOUSE_FLEETS_FILE;
    if (!fleets)
      context.addIssue({ code: 'custom', path: ['PILOTHOUSE_FLEETS'], message: 'set it to the JSON list of fleets' });
    for (const { name, token } of fleets ?? []) {
      if (!token)
        context.addIssue({ code: 'custom', path: ['PILOTHOUSE_FLEETS'], message: `give the fleet ${name} its token` });
    }
  });

/** Settings of the fleet controller. */
export interface FleetControllerConfig {
  databaseUrl: string;
  gatewayUrl: string;
  driver: 'local';
  workerCommand: readonly string[];
  dataFolder: string;
  port: number;
  /** Fleet tokens by fleet. */
  tokens: ReadonlyMap<string, string>;
  /** What workers may inherit is chosen from this. */
  environment: Environment;
  log: { level: 'debug' | 'info' | 'warn' | 'error' | 'silent'; format: 'json' | 'pretty' };
}

/** @throws ConfigError */
export function fleetControllerConfig(environment: Environment = processEnvironment()): FleetControllerConfig {
  const env = readEnvironment(schema, environment);
  const fleets = env.PILOTHOUSE_FLEETS ?? env.PILOTHOUSE_FLEETS_FILE ?? [];
  return {
    databaseUrl: env.DATABASE_URL,
    gatewayUrl: env.PILOTHOUSE_GATEWAY_URL,
    driver: env.PILOTHOUSE_FLEET_DRIVER,
    workerCommand: env.PILOTHOUSE_WORKER_COMMAND,
    dataFolder: env.PILOTHOUSE_DATA_DIR,
    port: env.PILOTHOUSE_FLEET_PORT,
    tokens: new Map(fleets.flatMap(({ name, token }) => (token ? [[name, token] as const] : []))),
    environment,
    log: { level: env.LOG_LEVEL, format: env.LOG_FORMAT },
  };
}
