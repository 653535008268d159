import type { RetentionPolicy } from '@pilothouse/contract/api/project.routes';
import type { FleetConfig } from '@pilothouse/contract/fleet/fleet.schema';
import { z } from 'zod';
import {
  booleanVariable,
  bucketFolders,
  consoleToken,
  databaseUrl,
  failpoints,
  fleetSettings,
  integer,
  logSettings,
  origins,
  port,
  proxyCount,
  redisPrefix,
  redisUrl,
  retentionSettings,
  toRetention,
  url,
} from './variable-types.ts';
import { exportDestinationSettings, type ExportDestinations } from './export-destinations.config.ts';
import { validateModelSettings, modelSettings, toModelsConfig, type ModelsConfig } from './models.config.ts';
import {
  objectStoreSettings,
  toObjectStore,
  validateObjectStore,
  type ObjectStoreConfig,
} from './object-store.config.ts';
import { toOidcConfig, oidcSettings, type OidcConfig } from './oidc.config.ts';
import { processEnvironment, readEnvironment, type Environment } from './read-environment.ts';

/** Environment variables of the API. */
export const apiVariables = z
  .object({
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    PILOTHOUSE_REDIS_PREFIX: redisPrefix,
    PILOTHOUSE_HOST: z.string().default('127.0.0.1'),
    PILOTHOUSE_PORT: port.default(7100),
    PILOTHOUSE_METRICS_PORT: port.optional(),
    PILOTHOUSE_PUBLIC_URL: url('http', 'https').optional(),
    PILOTHOUSE_CONSOLE_URL: url('http', 'https').optional(),
    PILOTHOUSE_WORKER_API_URL: url('http', 'https').optional(),
    PILOTHOUSE_CORS_ORIGINS: origins.default([]),
    PILOTHOUSE_PROXY_COUNT: proxyCount,
    PILOTHOUSE_CONSOLE_TOKEN: consoleToken,
    PILOTHOUSE_API_ROLES: z
      .string()
      .default('rest,gateway')
      .transform((list) => list.split(',').map((part) => part.trim()))
      .pipe(z.array(z.enum(['rest', 'gateway'], { error: 'set it to rest, gateway or rest,gateway' }))),
    PILOTHOUSE_MIGRATE_ON_START: booleanVariable.default(false),
    ...objectStoreSettings,
    PILOTHOUSE_OBJECT_STORE_WORKER_ENDPOINT: url('http', 'https').optional(),
    PILOTHOUSE_OBJECT_STORE_PUBLIC_ENDPOINT: url('http', 'https').optional(),
    PILOTHOUSE_MASTER_KEY: z.string().optional(),
    PILOTHOUSE_MASTER_KEY_FILE: z.string().optional(),
    PILOTHOUSE_BOOTSTRAP_ADMIN_KEY: z
      .string()
      .regex(/^ph_\w{20,}$/, { error: 'set it to ph_ and at least 20 letters and digits' })
      .optional(),
    PILOTHOUSE_LEASE_MS: integer(500, 600_000).default(4_000),
    PILOTHOUSE_RENEW_MS: integer(100, 60_000).default(1_000),
    PILOTHOUSE_QUESTION_HOLD_SECONDS: integer(0, 86_400).default(600),
    PILOTHOUSE_DIRECT_DISPATCH: booleanVariable.default(true),
    PILOTHOUSE_SCREEN_PARSER_URL: url('http', 'https').optional(),
    PILOTHOUSE_SCREEN_PARSER_TIMEOUT_MS: integer(100, 60_000).default(10_000),
    PILOTHOUSE_SCREEN_PARSER_TTL_SECONDS: integer(1, 604_800).default(3_600),
    ...retentionSettings,
    PILOTHOUSE_RETENTION_AUDIT_DAYS: integer(1, 36_500).default(365),
    PILOTHOUSE_RETENTION_JOBS_DAYS: integer(1, 36_500).default(90),
    ...modelSettings,
    ...exportDestinationSettings,
    PILOTHOUSE_TUNING_SOURCES: bucketFolders.default([]),
    ...oidcSettings,
    ...fleetSettings,
    ...failpoints,
    ...logSettings,
  })
  .superRefine((env, context) => {
    const addIssue = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
    validateObjectStore(env, addIssue);
    if (!env.PILOTHOUSE_MASTER_KEY && !env.PILOTHOUSE_MASTER_KEY_FILE) {
      addIssue(
        'PILOTHOUSE_MASTER_KEY_FILE',
        'set it to a file (created if missing), or set PILOTHOUSE_MASTER_KEY to 32 bytes in base64',
      );
    }
    if (env.PILOTHOUSE_OIDC_ISSUER) {
      for (const name of ['PILOTHOUSE_OIDC_CLIENT_ID', 'PILOTHOUSE_OIDC_CLIENT_SECRET'] as const) {
        if (!env[name]) addIssue(name, 'set it, because PILOTHOUSE_OIDC_ISSUER is set');
      }
    }
    if (env.PILOTHOUSE_RENEW_MS * 2 > env.PILOTHOUSE_LEASE_MS) {
      addIssue('PILOTHOUSE_RENEW_MS', 'set it to at most half of PILOTHOUSE_LEASE_MS');
    }
    validateModelSettings(env, addIssue);
  });

/** Settings of the API. */
export interface ApiConfig {
  /** Buckets for exports, by name. Default: none. */
  destinations?: ExportDestinations;
  /** Folders of buckets from which all projects may train. Default: none. */
  tuningSources?: readonly string[];
  databaseUrl: string;
  redisUrl: string;
  redisPrefix: string;
  host: string;
  port: number;
  /** Separate address of `/metrics`. Undefined: served on the main port. */
  metricsPort: number | undefined;
  /** API address for clients. Default: the listen address. */
  publicUrl: string | undefined;
  /** Public address of the console. Undefined: derived from the request. */
  consoleUrl: string | undefined;
  /** API address for the file transfers of workers. Default: the address for clients. */
  workerApiUrl: string | undefined;
  /** Origins whose pages may call the API with an API key. Default: none. */
  corsOrigins?: readonly string[];
  /** Number of proxies before the API whose `X-Forwarded` headers are trusted. */
  proxyCount: number;
  /**
   * Secret by which the console identifies itself as one more proxy. Undefined: the console is part of `proxyCount`.
   */
  consoleToken: string | undefined;
  roles: ReadonlySet<'rest' | 'gateway'>;
  migrateOnStart: boolean;
  objectStore: ObjectStoreConfig;
  objectStoreWorkerEndpoint: string | undefined;
  objectStorePublicEndpoint: string | undefined;
  masterKey: { key?: string; file?: string };
  bootstrapAdminKey: string | undefined;
  fleets: readonly FleetConfig[];
  leaseMs: number;
  renewMs: number;
  /** Failpoint rules, for tests only. */
  failpoints: string | undefined;
  /** Milliseconds for which a run that waits for a person keeps its slot. */
  questionHoldMs: number;
  /** True: a run goes directly to a free worker of the replica that accepted it. False: it goes through Redis. */
  directDispatch: boolean;
  /** OmniParser server that finds elements in screenshots. Undefined: none. */
  screenParser: { url: string; timeoutMs: number; ttlSeconds: number } | undefined;
  /** Retention of the first project, applied when it is created. */
  retention: RetentionPolicy;
  /** Retention of the audit log, in days. */
  auditRetentionDays: number;
  /** Retention of finished background jobs, in days. */
  jobRetentionDays: number;
  models: ModelsConfig;
  /** OpenID Connect provider. Undefined: users sign in with a password only. */
  oidc: OidcConfig | undefined;
  log: { level: 'debug' | 'info' | 'warn' | 'error' | 'silent'; format: 'json' | 'pretty' };
}

/** @throws ConfigError */
export function apiConfig(environment: Environment = processEnvironment()): ApiConfig {
  const env = readEnvironment(apiVariables, environment);
  return {
    databaseUrl: env.DATABASE_URL,
    redisUrl: env.REDIS_URL,
    redisPrefix: env.PILOTHOUSE_REDIS_PREFIX,
    host: env.PILOTHOUSE_HOST,
    port: env.PILOTHOUSE_PORT,
    metricsPort: env.PILOTHOUSE_METRICS_PORT,
    publicUrl: env.PILOTHOUSE_PUBLIC_URL?.replace(/\/+$/, ''),
    consoleUrl: env.PILOTHOUSE_CONSOLE_URL?.replace(/\/+$/, ''),
    workerApiUrl: env.PILOTHOUSE_WORKER_API_URL?.replace(/\/+$/, ''),
    corsOrigins: env.PILOTHOUSE_CORS_ORIGINS,
    proxyCount: env.PILOTHOUSE_PROXY_COUNT,
    consoleToken: env.PILOTHOUSE_CONSOLE_TOKEN,
    roles: new Set(env.PILOTHOUSE_API_ROLES),
    migrateOnStart: env.PILOTHOUSE_MIGRATE_ON_START,
    objectStore: toObjectStore(env),
    objectStoreWorkerEndpoint: env.PILOTHOUSE_OBJECT_STORE_WORKER_ENDPOINT,
    objectStorePublicEndpoint: env.PILOTHOUSE_OBJECT_STORE_PUBLIC_ENDPOINT,
    masterKey: { key: env.PILOTHOUSE_MASTER_KEY, file: env.PILOTHOUSE_MASTER_KEY_FILE },
    bootstrapAdminKey: env.PILOTHOUSE_BOOTSTRAP_ADMIN_KEY,
    fleets: env.PILOTHOUSE_FLEETS ?? env.PILOTHOUSE_FLEETS_FILE ?? [],
    leaseMs: env.PILOTHOUSE_LEASE_MS,
    renewMs: env.PILOTHOUSE_RENEW_MS,
    questionHoldMs: env.PILOTHOUSE_QUESTION_HOLD_SECONDS * 1000,
    directDispatch: env.PILOTHOUSE_DIRECT_DISPATCH,
    screenParser: env.PILOTHOUSE_SCREEN_PARSER_URL
      ? {
          url: env.PILOTHOUSE_SCREEN_PARSER_URL,
          timeoutMs: env.PILOTHOUSE_SCREEN_PARSER_TIMEOUT_MS,
          ttlSeconds: env.PILOTHOUSE_SCREEN_PARSER_TTL_SECONDS,
        }
      : undefined,
    failpoints: env.PILOTHOUSE_FAILPOINTS,
    retention: toRetention(env),
    auditRetentionDays: env.PILOTHOUSE_RETENTION_AUDIT_DAYS,
    jobRetentionDays: env.PILOTHOUSE_RETENTION_JOBS_DAYS,
    models: toModelsConfig(env, environment),
    destinations: env.PILOTHOUSE_EXPORT_DESTINATIONS,
    tuningSources: env.PILOTHOUSE_TUNING_SOURCES,
    oidc: toOidcConfig(env),
    log: { level: env.LOG_LEVEL, format: env.LOG_FORMAT },
  };
}
