import { trainersSchema, type Trainer } from '@pilothouse/contract/learning/trainer.schema';
import { z } from 'zod';
import {
  databaseUrl,
  fileContent,
  integer,
  jsonVariable,
  logSettings,
  port,
  redisPrefix,
  redisUrl,
} from './variable-types.ts';
import { modelSettings, toModelsConfig, validateModelSettings, type ModelsConfig } from './models.config.ts';
import {
  objectStoreSettings,
  toObjectStore,
  validateObjectStore,
  type ObjectStoreConfig,
} from './object-store.config.ts';
import { exportDestinationSettings, toDestinations, type DestinationConfig } from './export-destinations.config.ts';
import { processEnvironment, readEnvironment, type Environment } from './read-environment.ts';

/** Environment variables of the job runner. */
export const jobsVariables = z
  .object({
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    PILOTHOUSE_REDIS_PREFIX: redisPrefix,
    PILOTHOUSE_JOBS_PORT: port.default(0),
    PILOTHOUSE_JOBS_HOST: z.string().default('127.0.0.1'),
    PILOTHOUSE_JOBS_CONCURRENCY: integer(1, 64).default(2),
    PILOTHOUSE_TRAINERS_FILE: fileContent.pipe(jsonVariable(trainersSchema)).default([]),
    PILOTHOUSE_NAMESPACE: z.string().optional(),
    KUBECONFIG: z.string().optional(),
    ...exportDestinationSettings,
    ...objectStoreSettings,
    ...modelSettings,
    ...logSettings,
  })
  .superRefine((env, context) => {
    const addIssue = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
    validateObjectStore(env, addIssue);
    validateModelSettings(env, addIssue);
    if (env.PILOTHOUSE_TRAINERS_FILE.length === 0) return;
    const reason = 'because PILOTHOUSE_TRAINERS_FILE has trainers';
    if (env.PILOTHOUSE_NAMESPACE === undefined)
      addIssue('PILOTHOUSE_NAMESPACE', `set it to the namespace of the trainers, ${reason}`);
    if (!env.S3_ENDPOINT) addIssue('S3_ENDPOINT', `set it to a store that the trainers reach, ${reason}`);
  });

/** Trainers of the installation. */
export interface TrainersConfig {
  readonly trainers: readonly Trainer[];
  /** Namespace of their Jobs. */
  readonly namespace: string;
  /** Undefined: the service account of the pod. */
  readonly kubeconfig: string | undefined;
}

/** Settings of the job runner. */
export interface JobsConfig {
  databaseUrl: string;
  redisUrl: string;
  redisPrefix: string;
  /** Port of /healthz and /metrics; 0: none. */
  port: number;
  host: string;
  /** Maximum number of concurrent jobs. */
  concurrency: number;
  objectStore: ObjectStoreConfig;
  models: ModelsConfig;
  trainers?: TrainersConfig;
  /** Buckets for exports, by name. Default: none. */
  destinations?: Readonly<Record<string, DestinationConfig>>;
  log: { level: 'debug' | 'info' | 'warn' | 'error' | 'silent'; format: 'json' | 'pretty' };
}

/** @throws ConfigError */
export function jobsConfig(environment: Environment = processEnvironment()): JobsConfig {
  const env = readEnvironment(jobsVariables, environment);
  return {
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    redisPrefix: env.PILOTHOUSE_REDIS_PREFIX,
    port: env.PILOTHOUSE_JOBS_PORT,
    host: env.PILOTHOUSE_JOBS_HOST,
    concurrency: env.PILOTHOUSE_JOBS_CONCURRENCY,
    objectStore: toObjectStore(env),
    models: toModelsConfig(env, environment),
    destinations: toDestinations(env.PILOTHOUSE_EXPORT_DESTINATIONS, env.GEMINI_VERTEX_KEY_FILE, environment),
    ...(env.PILOTHOUSE_TRAINERS_FILE.length > 0 && {
      trainers: {
        trainers: env.PILOTHOUSE_TRAINERS_FILE,
        namespace: env.PILOTHOUSE_NAMESPACE ?? '',
        kubeconfig: env.KUBECONFIG,
      },
    }),
    log: { level: env.LOG_LEVEL, format: env.LOG_FORMAT },
  };
}
