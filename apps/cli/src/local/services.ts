import type { FleetConfig } from '@pilothouse/contract';
import { isModelVariable, oidcVariables, type UpConfig } from '@pilothouse/infra-config';
import {
  ensureDatabase,
  findFreePort,
  serverUser,
  spawnSupervised,
  startPostgres,
  startRedis,
  OutputTail,
  transferFolder,
  waitUntilReady,
  type StopStep,
  type SystemUser,
} from '@pilothouse/infra-embedded';
import { loadMasterKey } from '@pilothouse/infra-vault';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { systemTimers } from '@pilothouse/core';
import type { Installation } from './installation-paths.ts';
import { writeJson } from './json-file.ts';
import { LogFile } from './log-file.ts';
import type { StartPart } from './service-process.ts';
import type { RunRecord } from './state-file.ts';
import type { Secrets } from './local-secrets.ts';

/** What the parts are made from. `record` learns ports and URLs; a part that starts again takes the same ones. */
export interface PartsContext {
  installation: Installation;
  config: UpConfig;
  secrets: Secrets;
  record: Pick<RunRecord, 'ports' | 'urls'>;
}

/** Name of the database in the PostgreSQL that is started here. */
export const databaseName = 'pilothouse';

const readyMs = 60_000;

/** Milliseconds until the API listens, which migrates the database first: an index of millions of runs takes minutes, and begins anew when it is cut off. */
const migratedMs = 30 * 60_000;

/** Milliseconds after which somebody who waits is told what for. */
const slowMs = 15_000;

/** PostgreSQL of this machine; a sentence about its place goes to `say`. */
export function postgresPart({ installation, secrets, record }: PartsContext, say: (line: string) => void): StartPart {
  const log = new LogFile(join(installation.logs, 'postgres.log'));
  return async (signal) => {
    const server = await startPostgres({
      dataDir: join(installation.state, 'postgres'),
      port: record.ports.postgres ?? 5432,
      password: secrets.postgresPassword,
      log: (line) => log.write(line),
      notice: say,
      signal,
    });
    return samePort(server, 'postgres', record);
  };
}

/** Redis of this machine; the reason why it runs as root goes to `say`. */
export function redisPart({ installation, secrets, record }: PartsContext, say: (line: string) => void): StartPart {
  const log = new LogFile(join(installation.logs, 'redis.log'));
  return async (signal) => {
    const server = await startRedis({
      dir: join(installation.state, 'redis'),
      port: record.ports.redis ?? 6379,
      password: secrets.redisPassword,
      appendonly: true,
      log: (line) => log.write(line),
      notice: (reason) => say(`  Redis: ${reason}`),
      signal,
    });
    return samePort(server, 'redis', record);
  };
}

/** The other parts know the port, so one that starts again elsewhere is of no use. */
async function samePort<Server extends { port: number; stop(): Promise<unknown> }>(
  server: Server,
  name: string,
  record: PartsContext['record'],
): Promise<Server> {
  const previousPort = record.ports[name];
  if (previousPort !== undefined && previousPort !== server.port) {
    await server.stop();
    throw new Error(`port ${previousPort} is in use`);
  }
  record.ports[name] = server.port;
  return server;
}

/** Where the database is: the given one, or ours, made when it is missing. */
export async function databaseUrl({ config, secrets, record }: PartsContext): Promise<string> {
  if (config.databaseUrl) return config.databaseUrl;
  return ensureDatabase(postgresUrl(secrets, record.ports.postgres ?? 0), databaseName);
}

/** URL of the server that is started here. */
export const postgresUrl = ({ postgresPassword }: Secrets, port: number, database = 'postgres') =>
  `postgresql://postgres:${postgresPassword}@127.0.0.1:${port}/${database}`;

/** Where Redis is: the given one, or ours. */
export const redisUrl = ({ config, secrets, record }: Omit<PartsContext, 'installation'>) =>
  config.redisUrl ?? `redis://:${secrets.redisPassword}@127.0.0.1:${record.ports.redis}`;

/** The demo site, a small supplier portal. */
export async function sitePart({ installation, config, record }: PartsContext): Promise<StartPart> {
  const port = (record.ports.site = await findFreePort(7180));
  const url = (record.urls.site = `http://127.0.0.1:${port}`);
  return nodePart(
    installation,
    'site',
    ['--port', String(port), '--host', '127.0.0.1'],
    inherited(config),
    answers(url),
  );
}

/** REST and gateway. */
export async function apiPart(
  context: PartsContext,
  database: string,
  say: (line: string) => void,
): Promise<StartPart> {
  const { installation, config, secrets, record } = context;
  const port = (record.ports.api = await findFreePort(config.port, config.host));
  const local = `${localHost(config)}:${port}`;
  record.urls.api = `http://${local}`;
  record.urls.gateway = `ws://${local}/v1/gateway`;
  const objects = join(installation.state, 'objects');
  const user = serverUser({
    name: 'pilothouse-api',
    needs: [
      ...programOf(installation, 'api'),
      installation.state,
      ...readFiles.flatMap((name) => config.environment[name] || []),
    ],
    port,
    log: (reason) => say(`  API: ${reason}`),
  });
  if (!config.s3Endpoint) {
    mkdirSync(objects, { recursive: true, mode: 0o700 });
    transferFolder(objects, user);
  }
  const environment = {
    ...config.environment,
    DATABASE_URL: database,
    REDIS_URL: redisUrl(context),
    ...(config.s3Endpoint ? {} : { OBJECT_STORE_DIR: objects }),
    PILOTHOUSE_HOST: config.host,
    PILOTHOUSE_PORT: String(port),
    PILOTHOUSE_PUBLIC_URL: config.publicUrl ?? record.urls.api,
    PILOTHOUSE_MIGRATE_ON_START: 'true',
    PILOTHOUSE_BOOTSTRAP_ADMIN_KEY: secrets.adminKey,
    PILOTHOUSE_CONSOLE_TOKEN: secrets.consoleToken,
    ...(await masterKeyOf(context)),
    // As a variable: the folder of secrets is open to the user who starts the installation only.
    PILOTHOUSE_FLEETS: JSON.stringify(fleetsOf(context)),
    PILOTHOUSE_FLEETS_FILE: '',
  };
  return nodePart(installation, 'api', [], environment, answers(`${record.urls.api}/readyz`), {
    user,
    first: {
      // Ready or not: from then on it is done with the data.
      probe: answers(`${record.urls.api}/healthz`),
      deadlineMs: migratedMs,
      slow: (log) => say(`  Waiting for the API: migrating the database. Progress: ${log}`),
    },
  });
}

/** Variables with paths of files that the API reads. */
const readFiles = ['GEMINI_VERTEX_KEY_FILE', 'NODE_EXTRA_CA_CERTS'];

/** What the user of an app has to read. */
const programOf = (installation: Installation, app: string) => [
  process.execPath,
  installation.root,
  installation.bundle(app),
];

/** The master key as a variable; a configured one wins over the file, which is created when it is missing. */
async function masterKeyOf({ config, secrets }: PartsContext): Promise<NodeJS.ProcessEnv> {
  const configured = config.environment.PILOTHOUSE_MASTER_KEY;
  const keys = await loadMasterKey({ ...(configured && { key: configured }), file: secrets.masterKeyFile });
  return {
    PILOTHOUSE_MASTER_KEY: keys.map((key) => key.toString('base64')).join(','),
    PILOTHOUSE_MASTER_KEY_FILE: '',
  };
}

/** The controller, which starts workers as there is work for them. */
export async function fleetPart(context: PartsContext, database: string): Promise<StartPart> {
  const { installation, config, record } = context;
  const port = (record.ports.fleet = await findFreePort(7190));
  record.urls.fleet = `http://127.0.0.1:${port}`;
  const environment = {
    ...inherited(config),
    DATABASE_URL: database,
    REDIS_URL: redisUrl(context),
    PILOTHOUSE_GATEWAY_URL: record.urls.gateway,
    PILOTHOUSE_FLEET_DRIVER: 'local',
    // Who starts a installation on a machine may reach what the machine reaches. An empty value allows nothing of it.
    PILOTHOUSE_EGRESS_ALLOW_PRIVATE: config.environment.PILOTHOUSE_EGRESS_ALLOW_PRIVATE ?? 'private',
    PILOTHOUSE_WORKER_COMMAND: JSON.stringify([process.execPath, installation.bundle('worker')]),
    PILOTHOUSE_FLEET_PORT: String(port),
    PILOTHOUSE_DATA_DIR: installation.state,
    ...fleetsFile(context),
  };
  // its workers hand back their runs first; a second SIGTERM has it hurry
  const end: StopStep[] = [
    { signal: 'SIGTERM', graceMs: 25_000 },
    { signal: 'SIGTERM', graceMs: 5000 },
  ];
  return nodePart(installation, 'fleet', [], environment, answers(`${record.urls.fleet}/healthz`), { end });
}

/** Pages for people; it asks the API as whoever looks. Its one secret says that it may tell where a request came from. */
export async function consolePart(
  { installation, config, secrets, record }: PartsContext,
  say: (line: string) => void,
): Promise<StartPart> {
  const port = (record.ports.console = await findFreePort(config.consolePort, config.host));
  record.urls.console = `http://${localHost(config)}:${port}`;
  const environment = {
    ...Object.fromEntries(ofConsole.map((name) => [name, config.environment[name]])),
    PILOTHOUSE_API_URL: record.urls.api,
    PILOTHOUSE_CONSOLE_TOKEN: secrets.consoleToken,
    PILOTHOUSE_CONSOLE_HOST: config.host,
    PILOTHOUSE_CONSOLE_PORT: String(port),
  };
  const { NODE_EXTRA_CA_CERTS: certificates } = config.environment;
  const user = serverUser({
    name: 'pilothouse-console',
    needs: [...programOf(installation, 'console'), ...(certificates ? [certificates] : [])],
    port,
    log: (reason) => say(`  console: ${reason}`),
  });
  return nodePart(installation, 'console', [], environment, answers(`${record.urls.console}/healthz`), { user });
}

/** What the console takes from the environment. */
const ofConsole = [
  'PATH',
  'LOG_LEVEL',
  'LOG_FORMAT',
  'NODE_EXTRA_CA_CERTS',
  'PILOTHOUSE_OBJECT_STORE_PUBLIC_ENDPOINT',
  'PILOTHOUSE_PROXY_COUNT',
];

/** Where this machine reaches what listens on the host of the settings. */
const localHost = ({ host }: UpConfig) => (['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host);

/** The fleets with their tokens, as both API and controller read them. */
function fleetsOf({ config, secrets }: PartsContext): FleetConfig[] {
  const { slots, workers: maxWorkers } = config;
  const fleets: readonly FleetConfig[] = config.fleets ?? [
    {
      name: 'browser',
      surface: 'browser',
      slots,
      minWorkers: 0,
      maxWorkers,
      idleSlots: 0,
      cooldownSeconds: 300,
      projects: [],
    },
  ];
  // The usual one fleet has the token as it lies in fleet.token, for whoever joins a worker from elsewhere.
  const tokenOf = (fleet: string) => (fleets.length === 1 ? secrets.fleetToken : secrets.tokenOf(fleet));
  return fleets.map((fleet) => ({ ...fleet, token: fleet.token ?? tokenOf(fleet.name) }));
}

/** The fleets as a file for the controller, because they hold tokens. */
function fleetsFile(context: PartsContext) {
  const file = join(context.installation.secrets, 'fleets.json');
  writeJson(file, fleetsOf(context));
  return { PILOTHOUSE_FLEETS_FILE: file, PILOTHOUSE_FLEETS: '' };
}

/** What parts inherit: all but the keys of models, which are for the API alone. */
const inherited = ({ environment }: UpConfig): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !isOfApi(name)));

/** Variables that hold secrets of the API, or say where they are sent. */
const isOfApi = (name: string): boolean => isModelVariable(name) || oidcVariables.includes(name);

/** A probe that is content when the address answers with a status below 400. */
const answers = (url: string) => async () => {
  const response = await fetch(url, { signal: AbortSignal.timeout(3000) });
  await response.body?.cancel();
  if (!response.ok) throw new Error(`${url} answers ${response.status}`);
};

/** What a program does before it can become ready. */
interface FirstWork {
  /** Content when that is done. */
  probe: () => Promise<void>;
  deadlineMs: number;
  /** Called when it takes longer than `slowMs`. */
  slow(log: string): void;
}

interface NodePartOptions {
  end?: StopStep[];
  first?: FirstWork;
  /** Default: the user who starts the installation. */
  user?: SystemUser | undefined;
}

function nodePart(
  installation: Installation,
  app: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  probe: () => Promise<void>,
  { end = [{ signal: 'SIGTERM', graceMs: 10_000 }], first, user }: NodePartOptions = {},
): StartPart {
  const path = join(installation.logs, `${app}.log`);
  const log = new LogFile(path);
  return async (signal) => {
    const tail = new OutputTail();
    const child = await spawnSupervised({
      command: process.execPath,
      args: ['--enable-source-maps', installation.bundle(app), ...args],
      env,
      cwd: installation.root,
      ...user,
      end,
      onLine: (line) => {
        tail.push(line);
        log.write(line);
      },
    });
    const isSlow = first && systemTimers.setTimeout(() => first.slow(path), slowMs);
    try {
      if (first) await waitUntilReady(app, child, tail, first.probe, { deadlineMs: first.deadlineMs, signal });
      systemTimers.clearTimeout(isSlow);
      await waitUntilReady(app, child, tail, probe, { deadlineMs: readyMs, signal });
    } catch (error) {
      await child.stop();
      throw error;
    } finally {
      systemTimers.clearTimeout(isSlow);
    }
    return child;
  };
}
