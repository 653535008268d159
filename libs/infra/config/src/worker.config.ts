import { MAX_SLOTS_PER_WORKER } from '@pilothouse/contract';
import { z } from 'zod';
import {
  booleanVariable,
  caCertificates,
  failpoints,
  gatewayUrl,
  hostPatterns,
  logSettings,
  integer,
} from './variable-types.ts';
import { processEnvironment, readEnvironment, type Environment } from './read-environment.ts';

const schema = z.object({
  PILOTHOUSE_GATEWAY_URL: gatewayUrl,
  PILOTHOUSE_FLEET_TOKEN: z.string().min(20, { error: 'set it to the fleet token, as the API knows it' }),
  PILOTHOUSE_WORKER_NAME: z
    .string()
    .regex(/^[\w.-]{1,100}$/, { error: 'use letters, digits, dots and hyphens' })
    .optional(),
  PILOTHOUSE_SLOTS: integer(1, MAX_SLOTS_PER_WORKER).default(2),
  PILOTHOUSE_SURFACE: z.enum(['browser', 'null', 'http'], { error: 'set it to browser' }).default('browser'),
  PILOTHOUSE_WORKER_DATA_DIR: z.string().optional(),
  PILOTHOUSE_EXIT_WITH_PARENT: booleanVariable.default(false),
  PILOTHOUSE_DRAIN_GRACE_SECONDS: integer(0, 86_400).default(25),
  PILOTHOUSE_HEADLESS: z.enum(['auto', 'true', 'false'], { error: 'set it to auto, true or false' }).default('auto'),
  PILOTHOUSE_BROWSER_RECYCLE_RUNS: integer(1, 1_000_000).default(500),
  PILOTHOUSE_BROWSER_RECYCLE_MB: integer(100, 1_000_000).default(3000),
  PILOTHOUSE_CHROMIUM_SANDBOX: z.enum(['auto', 'on', 'off'], { error: 'set it to auto, on or off' }).default('auto'),
  PILOTHOUSE_EGRESS_ALLOW_PRIVATE: hostPatterns.default([]),
  PILOTHOUSE_EXTRA_CA_CERTS: caCertificates.default([]),
  CHROMIUM_PATH: z.string().optional(),
  DISPLAY: z.string().optional(),
  ...failpoints,
  ...logSettings,
});

/** Settings of a worker: a gateway and a token are all it needs. */
export interface WorkerConfig {
  gatewayUrl: string;
  token: string;
  name: string | undefined;
  slots: number;
  surface: 'browser' | 'null' | 'http';
  dataDir: string | undefined;
  /** Drain and exit when stdin closes: the parent process keeps it open. */
  exitWithParent: boolean;
  drainGraceSeconds: number;
  headless: 'auto' | 'true' | 'false';
  /** Replace an idle browser after this many runs, or above this much memory. */
  browser: { maxRuns: number; maxMegabytes: number };
  chromiumPath: string | undefined;
  /** Whether Chromium gets a sandbox of its own: `auto` where the machine allows it, `on` or no browser, `off` where a container is the wall. */
  sandbox: 'auto' | 'on' | 'off';
  /** What pages may reach although its address is not public: hosts and networks; `private` for all private ones and this machine. */
  egressAllowPrivate: readonly string[];
  /** Certificates, PEM, of extraCaCerts that pages and requests are trusted by besides the public ones. */
  extraCaCerts: readonly string[];
  display: string | undefined;
  /** All that the browser and the display get to see of this process's environment: the fleet token is not for them. */
  childEnvironment: Readonly<Record<string, string>>;
  /** Orders for failpoints: tests only. */
  failpoints: string | undefined;
  log: { level: 'debug' | 'info' | 'warn' | 'error' | 'silent'; format: 'json' | 'pretty' };
}

type ObserveConfig = Pick<WorkerConfig, 'chromiumPath' | 'egressAllowPrivate' | 'extraCaCerts' | 'childEnvironment'>;

/** What a look at one page, without a gateway, has of these settings. @throws ConfigError */
export function observeConfig(environment: Environment): ObserveConfig {
  const asked = {
    PILOTHOUSE_EGRESS_ALLOW_PRIVATE: true,
    PILOTHOUSE_EXTRA_CA_CERTS: true,
    CHROMIUM_PATH: true,
  } as const;
  const env = readEnvironment(schema.pick(asked), environment);
  return {
    chromiumPath: env.CHROMIUM_PATH,
    egressAllowPrivate: env.PILOTHOUSE_EGRESS_ALLOW_PRIVATE,
    extraCaCerts: env.PILOTHOUSE_EXTRA_CA_CERTS,
    childEnvironment: childEnvironment(environment),
  };
}

/** @throws ConfigError */
export function workerConfig(environment: Environment = processEnvironment()): WorkerConfig {
  const env = readEnvironment(schema, environment);
  return {
    gatewayUrl: env.PILOTHOUSE_GATEWAY_URL,
    token: env.PILOTHOUSE_FLEET_TOKEN,
    name: env.PILOTHOUSE_WORKER_NAME,
    slots: env.PILOTHOUSE_SLOTS,
    surface: env.PILOTHOUSE_SURFACE,
    dataDir: env.PILOTHOUSE_WORKER_DATA_DIR,
    exitWithParent: env.PILOTHOUSE_EXIT_WITH_PARENT,
    drainGraceSeconds: env.PILOTHOUSE_DRAIN_GRACE_SECONDS,
    headless: env.PILOTHOUSE_HEADLESS,
    browser: { maxRuns: env.PILOTHOUSE_BROWSER_RECYCLE_RUNS, maxMegabytes: env.PILOTHOUSE_BROWSER_RECYCLE_MB },
    chromiumPath: env.CHROMIUM_PATH,
    sandbox: env.PILOTHOUSE_CHROMIUM_SANDBOX,
    egressAllowPrivate: env.PILOTHOUSE_EGRESS_ALLOW_PRIVATE,
    extraCaCerts: env.PILOTHOUSE_EXTRA_CA_CERTS,
    display: env.DISPLAY,
    childEnvironment: childEnvironment(environment),
    failpoints: env.PILOTHOUSE_FAILPOINTS,
    log: { level: env.LOG_LEVEL, format: env.LOG_FORMAT },
  };
}

/** PILOTHOUSE_WORKER_NAME is how the controller finds what a dead worker left. */
const inherited = [
  'PATH',
  'HOME',
  'TMPDIR',
  'TZ',
  'LANG',
  'DISPLAY',
  'XAUTHORITY',
  'XDG_RUNTIME_DIR',
  'PILOTHOUSE_WORKER_NAME',
];

function childEnvironment(environment: Environment): Record<string, string> {
  const kept = inherited.flatMap((name) => (environment[name] ? [[name, environment[name]] as const] : []));
  // Without a UTF-8 locale Chromium drops files with other letters in their names, and says nothing.
  return {
    ...Object.fromEntries(kept),
    LC_ALL: /utf-?8$/i.test(environment['LC_ALL'] ?? '') ? (environment['LC_ALL'] ?? '') : 'C.UTF-8',
  };
}

/** Slots from which on a worker has many short runs rather than a few with pages. */
export const MANY_SLOTS_MIN = 100;

/**
 * What Node is told of a worker with so many slots, for its environment. A short run allocates some 100 kB and lives as long as a commit: with many of
 * them in the usual space for new objects (16 MB) each is copied twice and dies among the old ones, and so it is with a thousand of them in 64 MB,
 * which took some 13 % of all that a run costs (docs/performance.md). The room, up to 384 MB, is taken only where it is needed.
 */
export const workerNodeOptions = (slots: number): { NODE_OPTIONS?: string } =>
  slots >= MANY_SLOTS_MIN ? { NODE_OPTIONS: '--max-semi-space-size=128' } : {};
