import { APP_ID } from '@pilothouse/contract/actions/desktop-actions.schema';
import { MAX_SLOTS_PER_WORKER } from '@pilothouse/contract/fleet/fleet.schema';
import { z } from 'zod';
import {
  booleanVariable,
  caCertificates,
  failpoints,
  gatewayUrl,
  hostPatterns,
  jsonVariable,
  logSettings,
  integer,
} from './variable-types.ts';
import { ConfigError, processEnvironment, readEnvironment, type Environment } from './read-environment.ts';
import { TOKEN_DESCRIPTOR, tokenProblems, tokenSource, type WorkerTokenSource } from './worker-token.ts';

/** Commands that `openApp` of a desktop may start, by the name that workflows use. */
const desktopCommands = z.record(
  z.string().regex(APP_ID, { error: 'use letters, digits, dots and hyphens in command names' }),
  z.array(z.string().max(4_096)).min(1).max(100),
);

/** Environment variables of a worker. */
export const workerVariables = z.object({
  PILOTHOUSE_GATEWAY_URL: gatewayUrl,
  PILOTHOUSE_FLEET_TOKEN_FILE: z.string().optional(),
  PILOTHOUSE_FLEET_TOKEN_FD: integer(TOKEN_DESCRIPTOR, 1_000).optional(),
  PILOTHOUSE_WORKER_NAME: z
    .string()
    .regex(/^[\w.-]{1,100}$/, { error: 'use letters, digits, dots and hyphens' })
    .optional(),
  PILOTHOUSE_SLOTS: integer(1, MAX_SLOTS_PER_WORKER).default(2),
  PILOTHOUSE_SURFACE: z
    .enum(['browser', 'desktop', 'null', 'http'], { error: 'set it to browser or desktop' })
    .default('browser'),
  PILOTHOUSE_WORKER_DATA_DIR: z.string().optional(),
  PILOTHOUSE_EXIT_WITH_PARENT: booleanVariable.default(false),
  PILOTHOUSE_DRAIN_GRACE_SECONDS: integer(0, 86_400).default(25),
  PILOTHOUSE_HEADLESS: z.enum(['auto', 'true', 'false'], { error: 'set it to auto, true or false' }).default('auto'),
  PILOTHOUSE_BROWSER_RECYCLE_RUNS: integer(1, 1_000_000).default(500),
  PILOTHOUSE_BROWSER_RECYCLE_MB: integer(100, 1_000_000).default(3000),
  PILOTHOUSE_CHROMIUM_SANDBOX: z.enum(['auto', 'on', 'off'], { error: 'set it to auto, on or off' }).default('auto'),
  PILOTHOUSE_DESKTOP_COMMANDS: jsonVariable(desktopCommands).default({}),
  PILOTHOUSE_DESKTOP_SLOTS: z.string().startsWith('/', { error: 'set it to an absolute path' }).optional(),
  PILOTHOUSE_SLOT_KEY: z.string().min(20, { error: 'set it to the key of the slot containers' }).optional(),
  PILOTHOUSE_SLOT_UID: integer(1, 2_147_483_647).optional(),
  PILOTHOUSE_EGRESS_ALLOW_PRIVATE: hostPatterns.default([]),
  PILOTHOUSE_EXTRA_CA_CERTS: caCertificates.default([]),
  CHROMIUM_PATH: z.string().optional(),
  DISPLAY: z.string().optional(),
  ...failpoints,
  ...logSettings,
});

/** Containers beside the worker, one for each slot. */
export interface DesktopSlots {
  /** Folder with a folder `slot-<n>` for the socket of each slot. */
  readonly folder: string;
  /** Secret that only the worker and the first processes of the containers have. */
  readonly key: string;
  /** User of the first container; the others follow. null: all have one user. */
  readonly firstUid: number | null;
}

/** Settings of a worker. Only the gateway and the token are required. */
export interface WorkerConfig {
  gatewayUrl: string;
  /** Place of the token, for `readWorkerToken`. */
  tokenSource: WorkerTokenSource;
  name: string | undefined;
  slots: number;
  surface: 'browser' | 'desktop' | 'null' | 'http';
  dataDir: string | undefined;
  /** Drain and exit when stdin closes. The parent process keeps it open. */
  exitWithParent: boolean;
  drainGraceSeconds: number;
  headless: 'auto' | 'true' | 'false';
  /** Replace an idle browser after this many runs, or above this much memory. */
  browser: { maxRuns: number; maxMegabytes: number };
  chromiumPath: string | undefined;
  /** Commands that `openApp` of a desktop may start besides installed applications: program and arguments, by name. */
  desktopCommands: Readonly<Record<string, readonly string[]>>;
  /** Containers of desktop sessions; null: sessions are processes of the worker's machine. */
  desktopSlots: DesktopSlots | null;
  /**
   * Chromium sandbox. `auto`: used when the machine supports it. `on`: required. `off`: the container is the security
   * boundary.
   */
  sandbox: 'auto' | 'on' | 'off';
  /**
   * Non-public addresses that pages may reach: hosts and networks; `private` for all private networks and this
   * machine.
   */
  egressAllowPrivate: readonly string[];
  /** Certificates (PEM) of authorities that pages and requests trust in addition to the public ones. */
  extraCaCerts: readonly string[];
  display: string | undefined;
  /** Environment of the browser and the display. */
  childEnvironment: Readonly<Record<string, string>>;
  /** Failpoint rules, for tests only. */
  failpoints: string | undefined;
  log: { level: 'debug' | 'info' | 'warn' | 'error' | 'silent'; format: 'json' | 'pretty' };
}

type ObserveConfig = Pick<WorkerConfig, 'chromiumPath' | 'egressAllowPrivate' | 'extraCaCerts' | 'childEnvironment'>;

/**
 * Reads the settings of a page inspection without a gateway.
 * @throws ConfigError
 */
export function observeConfig(environment: Environment): ObserveConfig {
  const fields = {
    PILOTHOUSE_EGRESS_ALLOW_PRIVATE: true,
    PILOTHOUSE_EXTRA_CA_CERTS: true,
    CHROMIUM_PATH: true,
  } as const;
  const env = readEnvironment(workerVariables.pick(fields), environment);
  return {
    chromiumPath: env.CHROMIUM_PATH,
    egressAllowPrivate: env.PILOTHOUSE_EGRESS_ALLOW_PRIVATE,
    extraCaCerts: env.PILOTHOUSE_EXTRA_CA_CERTS,
    childEnvironment: childEnvironment(environment),
  };
}

/** @throws ConfigError */
export function workerConfig(environment: Environment = processEnvironment()): WorkerConfig {
  const env = readWorkerEnvironment(environment);
  return {
    gatewayUrl: env.PILOTHOUSE_GATEWAY_URL,
    tokenSource: tokenSource(env),
    name: env.PILOTHOUSE_WORKER_NAME,
    slots: env.PILOTHOUSE_SLOTS,
    surface: env.PILOTHOUSE_SURFACE,
    dataDir: env.PILOTHOUSE_WORKER_DATA_DIR,
    exitWithParent: env.PILOTHOUSE_EXIT_WITH_PARENT,
    drainGraceSeconds: env.PILOTHOUSE_DRAIN_GRACE_SECONDS,
    headless: env.PILOTHOUSE_HEADLESS,
    browser: { maxRuns: env.PILOTHOUSE_BROWSER_RECYCLE_RUNS, maxMegabytes: env.PILOTHOUSE_BROWSER_RECYCLE_MB },
    chromiumPath: env.CHROMIUM_PATH,
    desktopCommands: env.PILOTHOUSE_DESKTOP_COMMANDS,
    desktopSlots: slotsOf(env.PILOTHOUSE_DESKTOP_SLOTS, env.PILOTHOUSE_SLOT_KEY, env.PILOTHOUSE_SLOT_UID),
    sandbox: env.PILOTHOUSE_CHROMIUM_SANDBOX,
    egressAllowPrivate: env.PILOTHOUSE_EGRESS_ALLOW_PRIVATE,
    extraCaCerts: env.PILOTHOUSE_EXTRA_CA_CERTS,
    display: env.DISPLAY,
    childEnvironment: childEnvironment(environment),
    failpoints: env.PILOTHOUSE_FAILPOINTS,
    log: { level: env.LOG_LEVEL, format: env.LOG_FORMAT },
  };
}

function readWorkerEnvironment(environment: Environment) {
  const problems = tokenProblems(environment);
  try {
    const env = readEnvironment(workerVariables, environment);
    if (problems.length === 0) return env;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError([...error.problems, ...problems]);
  }
  throw new ConfigError(problems);
}

/** @throws ConfigError without a key */
function slotsOf(
  folder: string | undefined,
  key: string | undefined,
  firstUid: number | undefined,
): DesktopSlots | null {
  if (folder === undefined) return null;
  if (key === undefined)
    throw new ConfigError(['PILOTHOUSE_SLOT_KEY is not set. PILOTHOUSE_DESKTOP_SLOTS requires it.']);
  return { folder, key, firstUid: firstUid ?? null };
}

/** The controller finds the remains of a dead worker by PILOTHOUSE_WORKER_NAME. */
const INHERITED_VARIABLES = [
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
  const entries = INHERITED_VARIABLES.flatMap((name) =>
    environment[name] ? [[name, environment[name]] as const] : [],
  );
  // Without a UTF-8 locale Chromium silently drops files with non-ASCII letters in their names.
  return {
    ...Object.fromEntries(entries),
    LC_ALL: /utf-?8$/i.test(environment['LC_ALL'] ?? '') ? (environment['LC_ALL'] ?? '') : 'C.UTF-8',
  };
}

/** Number of slots from which a worker is treated as running many short runs instead of a few with pages. */
export const HIGH_SLOT_COUNT = 100;

/**
 * Returns NODE_OPTIONS for a worker with this number of slots. A short run allocates about 100 kB and lives as long as
 * a commit. With many of them, the default young generation (16 MB) promotes each to the old one. With a thousand, 64
 * MB still cost 13 % of the time of a run (bench/ANALYSIS.md). Up to 384 MB are used only when needed.
 */
export const workerNodeOptions = (slots: number): { NODE_OPTIONS?: string } =>
  slots >= HIGH_SLOT_COUNT ? { NODE_OPTIONS: '--max-semi-space-size=128' } : {};
