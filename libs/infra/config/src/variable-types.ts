import { X509Certificate } from 'node:crypto';
import { accessSync, constants, readFileSync } from 'node:fs';
import type { RetentionPolicy } from '@pilothouse/contract/api/project.routes';
import { fleetConfigSchema } from '@pilothouse/contract/fleet/fleet.schema';
import { hostPatternSchema } from '@pilothouse/contract/project/egress.schema';
import { z } from 'zod';

/*
 * Schemas of single variables. Each message says which value to set; no message contains a value.
 */

/** `true` or `false`. */
export const booleanVariable = z
  .enum(['true', 'false'], { error: 'set it to true or false' })
  .transform((value) => value === 'true');

/** A TCP port; 0 selects any free port. */
export const port = z.coerce
  .number({ error: 'set it to a port, 0 to 65535' })
  .int({ error: 'set it to a port, 0 to 65535' })
  .min(0, { error: 'set it to a port, 0 to 65535' })
  .max(65_535, { error: 'set it to a port, 0 to 65535' });

/** A whole number between two bounds. */
export const integer = (min: number, max: number) => {
  const error = `set it to a whole number from ${min} to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(min, { error }).max(max, { error });
};

/** A URL with one of these protocols. */
export const url = (...protocols: string[]) => {
  const error = `set it to a URL that starts with ${protocols.map((protocol) => `${protocol}://`).join(' or ')}`;
  return z
    .string()
    .refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol.slice(0, -1)), { error });
};

export const databaseUrl = url('postgresql', 'postgres');
export const redisUrl = url('redis', 'rediss');
/** Prefix of the keys of an installation in Redis. */
export const redisPrefix = z
  .string()
  .regex(/^[\w.-]{1,50}$/, { error: 'use letters, digits, dots and hyphens' })
  .default('pilothouse');
export const gatewayUrl = url('ws', 'wss', 'http', 'https');

/** Hosts and networks, separated by commas. */
export const hostPatterns = z.string().transform((text, context) => {
  const patterns = text.split(',').flatMap((part) => part.trim() || []);
  if (patterns.every((pattern) => hostPatternSchema.safeParse(pattern).success)) return patterns;
  context.addIssue({
    code: 'custom',
    message:
      'set it to private, or to hosts and networks separated by commas, e.g. 10.1.0.0/16,intranet.example.com:8080',
  });
  return z.NEVER;
});

/** Origins of web pages, separated by commas. A wildcard is refused: each origin is a decision. */
export const origins = z.string().transform((text, context) => {
  const list = text.split(',').flatMap((part) => part.trim() || []);
  const isOrigin = (origin: string) =>
    /^https?:\/\//.test(origin) && !origin.includes('*') && URL.canParse(origin) && new URL(origin).origin === origin;
  if (list.every(isOrigin)) return list;
  context.addIssue({
    code: 'custom',
    message:
      'set it to origins separated by commas, in lower case and without a path, a default port (:80, :443) or *, e.g. https://app.example.com,http://localhost:5173',
  });
  return z.NEVER;
});

/** Folders of buckets, separated by commas. The slash at the end keeps `gs://bucket/a/` from matching `gs://bucket/ab`. */
export const bucketFolders = z.string().transform((text, context) => {
  const folders = text.split(',').flatMap((part) => part.trim() || []);
  if (folders.every((folder) => /^(?:gs|s3):\/\/[a-z0-9][a-z0-9._-]{1,220}\/(?:\S*\/)?$/.test(folder))) return folders;
  context.addIssue({
    code: 'custom',
    message:
      'set it to folders separated by commas, each with a slash at its end, e.g. gs://harbour-training/examples/',
  });
  return z.NEVER;
});

/** Log settings of a process. */
export const logSettings = {
  LOG_LEVEL: z
    .enum(['debug', 'info', 'warn', 'error', 'silent'], { error: 'set it to debug, info, warn, error or silent' })
    .default('info'),
  LOG_FORMAT: z.enum(['json', 'pretty'], { error: 'set it to json or pretty' }).default('json'),
};

/** Failpoint rules of this process. infra/fault defines the names. */
export const failpoints = {
  PILOTHOUSE_FAILPOINTS: z
    .string()
    .regex(/^(@.+|[^=]+=(kill|stop|pause\/\d+)(,[^=]+=(kill|stop|pause\/\d+))*)$/, {
      error:
        'unset it, or for tests set it to rules such as gateway.claimed:2=kill, or to @ and the path of a file with rules',
    })
    .optional(),
};

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

/**
 * Certificate authorities: PEM, or the path of a PEM file, which is read immediately. Becomes a list of single PEM
 * certificates.
 */
export const caCertificates = z.string().transform((text, context) => {
  const fail = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  if (text.trim() === '') return [];
  const content = text.includes('-----BEGIN') ? { success: true, data: text } : fileContent.safeParse(text.trim());
  const list = content.data?.match(CERTIFICATE);
  if (!list) return fail('set it to PEM certificates, or to the path of a PEM file that this process can read');
  const invalidIndex = list.findIndex((pem) => !isAuthority(pem));
  if (invalidIndex < 0) return list;
  return fail(
    `certificate ${invalidIndex + 1} is not a certificate authority (CA:TRUE): set the authority that signed the certificate of the site`,
  );
});

const fleets = z.array(fleetConfigSchema).refine((list) => new Set(list.map(({ name }) => name)).size === list.length, {
  error: 'give each fleet a different name',
});

/** JSON in a variable, validated by a schema. */
export const jsonVariable = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue({ code: 'custom', message: 'set it to valid JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);

/** A variable with the path of a file, which is read immediately. */
export const fileContent = z.string().transform((path, context) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    context.addIssue({ code: 'custom', message: 'set it to a file that this process can read' });
    return z.NEVER;
  }
});

/** Path of a file that this process can read. The user of the setting reads it. */
export const readablePath = z.string().refine(
  (path) => {
    try {
      accessSync(path, constants.R_OK);
      return true;
    } catch {
      return false;
    }
  },
  { error: 'set it to a file that this process can read' },
);

/** Fleets, from a variable or a file. */
export const fleetSettings = {
  PILOTHOUSE_FLEETS: jsonVariable(fleets).optional(),
  PILOTHOUSE_FLEETS_FILE: fileContent.pipe(jsonVariable(fleets)).optional(),
};

/** Number of proxies before a server, each of which appends the address that it sees to `X-Forwarded-For`. */
export const proxyCount = integer(0, 10).default(0);

/** Secret that the console sends to the API with each request. */
export const consoleToken = z
  .string()
  .regex(/^[\w-]{32,200}$/, { error: 'use 32 to 200 letters, digits and hyphens' })
  .optional();

const days = integer(1, 36_500).optional();

/** Retention of a project, until its admin changes it. */
export const retentionSettings = {
  PILOTHOUSE_RETENTION_RUNS_DAYS: days,
  PILOTHOUSE_RETENTION_EVENTS_DAYS: days,
  PILOTHOUSE_RETENTION_ARTIFACTS_DAYS: days,
};

/** Converts retention variables to the settings of a project. Unset values are retained without limit. */
export const toRetention = (env: Partial<Record<keyof typeof retentionSettings, number>>): RetentionPolicy => ({
  runsDays: env.PILOTHOUSE_RETENTION_RUNS_DAYS ?? null,
  eventsDays: env.PILOTHOUSE_RETENTION_EVENTS_DAYS ?? null,
  artifactsDays: env.PILOTHOUSE_RETENTION_ARTIFACTS_DAYS ?? null,
});
