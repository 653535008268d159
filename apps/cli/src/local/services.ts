import type { FleetConfig } from '@pilothouse/contract/fleet/fleet.schema';
import { isModelVariable, oidcVariables, type UpConfig } from '@pilothouse/infra-config';
import {
  ensureDatabase,
  findFreePort,
  serverUser,
  startPostgres,
  startRedis,
  transferFolder,
  type StopStep,
} from '@pilothouse/infra-embedded';
import { loadMasterKey } from '@pilothouse/infra-vault';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '../installation/installation-paths.ts';
import { LogFile } from './log-file.ts';
import { httpProbe, nodeService } from './node-service.ts';
import type { StartService } from './service-process.ts';
import type { RunRecord } from './state-file.ts';
import type { Secrets } from './local-secrets.ts';

/** Context of the services. `record` receives ports and URLs; a restarted service uses the same ones. */
export interface ServicesContext {
  installation: Installation;
  config: UpConfig;
  secrets: Secrets;
  /** Fleets with their tokens. */
  fleets: readonly FleetConfig[];
  record: Pick<RunRecord, 'ports' | 'urls'>;
}

/** Database name in the local PostgreSQL. */
export const databaseName = 'pilothouse';

/** Start timeout of the API, including migrations: building an index can take minutes and restarts from zero if interrupted. */
const MIGRATION_TIMEOUT_MS = 30 * 60_000;

/** Local PostgreSQL. `printLine` receives a notice about its location. */
export function postgresService(
  { installation, secrets, record }: ServicesContext,
  printLine: (line: string) => void,
): StartService {
  const log = new LogFile(join(installation.logs, 'postgres.log'));
  return async (signal) => {
    const server = await startPostgres({
      dataDir: join(installation.state, 'postgres'),
      port: record.ports.postgres ?? 5432,
      password: secrets.postgresPassword,
      log: (line) => log.write(line),
      notice: printLine,
      signal,
    });
    return samePort(server, 'postgres', record);
  };
}

/** Local Redis. `printLine` receives the reason if it runs as root. */
export function redisService(
  { installation, secrets, record }: ServicesContext,
  printLine: (line: string) => void,
): StartService {
  const log = new LogFile(join(installation.logs, 'redis.log'));
  return async (signal) => {
    const server = await startRedis({
      dir: join(installation.state, 'redis'),
      port: record.ports.redis ?? 6379,
      password: secrets.redisPassword,
      appendonly: true,
      log: (line) => log.write(line),
      notice: (reason) => printLine(`  Redis: ${reason}`),
      signal,
    });
    return samePort(server, 'redis', record);
  };
}

/** Requires the previous port after a restart, because other services use it. */
async function samePort<Server extends { port: number; stop(): Promise<unknown> }>(
  server: Server,
  name: string,
  record: ServicesContext['record'],
): Promise<Server> {
  const previousPort = record.ports[name];
  if (previousPort !== undefined && previousPort !== server.port) {
    await server.stop();
    throw new Error(`port ${previousPort} is in use`);
  }
  record.ports[name] = server.port;
  return server;
}

/** URL of the configured database, or of the local one, which is created if it is missing. */
export async function databaseUrl({ config, secrets, record }: ServicesContext): Promise<string> {
  if (config.databaseUrl) return config.databaseUrl;
  return ensureDatabase(postgresUrl(secrets, record.ports.postgres ?? 0), databaseName);
}

/** URL of the local PostgreSQL. */
export const postgresUrl = ({ postgresPassword }: Secrets, port: number, database = 'postgres') =>
  `postgresql://postgres:${postgresPassword}@127.0.0.1:${port}/${database}`;

/** URL of the configured or local Redis. */
export const redisUrl = ({ config, secrets, record }: Pick<ServicesContext, 'config' | 'secrets' | 'record'>) =>
  config.redisUrl ?? `redis://:${secrets.redisPassword}@127.0.0.1:${record.ports.redis}`;

/** The demo site, a small supplier portal. */
export async function siteService({ installation, config, record }: ServicesContext): Promise<StartService> {
  // Starts before the API and the console, so it skips their configured ports.
  const configuredPorts = { api: config.port, console: config.consolePort };
  const port = (record.ports.site = await choosePort({ ...configuredPorts, ...record.ports }, 7180));
  const url = (record.urls.site = `http://127.0.0.1:${port}`);
  return nodeService(
    installation,
    'site',
    ['--port', String(port), '--host', '127.0.0.1'],
    inheritedEnvironment(config),
    httpProbe(url),
  );
}

/** Finds a free port from `preferred` that is not in `ports`. @param ports used or reserved ports */
async function choosePort(ports: RunRecord['ports'], preferred: number, host?: string): Promise<number> {
  const port = await findFreePort(preferred, host);
  return Object.values(ports).includes(port) ? choosePort(ports, port + 1, host) : port;
}

/** API with REST and worker gateway. */
export async function apiService(
  context: ServicesContext,
  database: string,
  printLine: (line: string) => void,
): Promise<StartService> {
  const { installation, config, secrets, record, fleets } = context;
  const port = (record.ports.api = await choosePort(record.ports, config.port, config.host));
  const local = `${localHost(config)}:${port}`;
  record.urls.api = `http://${local}`;
  record.urls.gateway = `ws://${local}/v1/gateway`;
  // The console starts later, but links of the API name it.
  record.ports.console = await choosePort(record.ports, config.consolePort, config.host);
  record.urls.console = `http://${localHost(config)}:${record.ports.console}`;
  const objects = join(installation.state, 'objects');
  const user = serverUser({
    name: 'pilothouse-api',
    needs: [...readablePathsOf(installation, 'api'), installation.state, ...configuredFiles(config)],
    port,
    log: (reason) => printLine(`  API: ${reason}`),
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
    // With a wildcard address, the API takes it from the request.
    ...(isWildcard(config.host) || config.environment.PILOTHOUSE_CONSOLE_URL
      ? {}
      : { PILOTHOUSE_CONSOLE_URL: record.urls.console }),
    PILOTHOUSE_MIGRATE_ON_START: 'true',
    PILOTHOUSE_BOOTSTRAP_ADMIN_KEY: secrets.adminKey,
    PILOTHOUSE_CONSOLE_TOKEN: secrets.consoleToken,
    ...(await masterKeyOf(context)),
    // A variable and not a file: the user of the API cannot read the secrets folder.
    PILOTHOUSE_FLEETS: JSON.stringify(fleets),
    PILOTHOUSE_FLEETS_FILE: '',
  };
  return nodeService(installation, 'api', [], environment, httpProbe(`${record.urls.api}/readyz`), {
    user,
    startup: {
      // The API listens when the migrations are done, and becomes ready later.
      probe: httpProbe(`${record.urls.api}/healthz`),
      deadlineMs: MIGRATION_TIMEOUT_MS,
      onSlow: (log) => printLine(`  Waiting for the API: migrating the database. Progress: ${log}`),
    },
  });
}

/** Variables with paths of files that the API reads. */
const fileVariables = ['GEMINI_VERTEX_KEY_FILE', 'NODE_EXTRA_CA_CERTS'];

/** Paths that the user of a service must be able to read. */
const readablePathsOf = (installation: Installation, app: string) => [
  process.execPath,
  installation.root,
  installation.bundle(app),
];

/** Master key variables. A configured key takes precedence over the file, which is created if it is missing. */
async function masterKeyOf({ config, secrets }: ServicesContext): Promise<NodeJS.ProcessEnv> {
  const configured = config.environment.PILOTHOUSE_MASTER_KEY;
  const keys = await loadMasterKey({ ...(configured && { key: configured }), file: secrets.masterKeyFile });
  return {
    PILOTHOUSE_MASTER_KEY: keys.map((key) => key.toString('base64')).join(','),
    PILOTHOUSE_MASTER_KEY_FILE: '',
  };
}

/** Fleet controller, which scales the workers. */
export async function fleetService(context: ServicesContext, database: string): Promise<StartService> {
  const { installation, config, record } = context;
  const port = (record.ports.fleet = await choosePort(record.ports, 7190));
  record.urls.fleet = `http://127.0.0.1:${port}`;
  const environment = {
    ...inheritedEnvironment(config),
    DATABASE_URL: database,
    REDIS_URL: redisUrl(context),
    PILOTHOUSE_GATEWAY_URL: record.urls.gateway,
    PILOTHOUSE_FLEET_DRIVER: 'local',
    // A local installation may access private networks by default. An empty value forbids it.
    PILOTHOUSE_EGRESS_ALLOW_PRIVATE: config.environment.PILOTHOUSE_EGRESS_ALLOW_PRIVATE ?? 'private',
    PILOTHOUSE_WORKER_COMMAND: JSON.stringify([process.execPath, installation.bundle('worker')]),
    PILOTHOUSE_FLEET_PORT: String(port),
    PILOTHOUSE_DATA_DIR: installation.state,
  };
  // Workers hand back their runs first; a second SIGTERM forces the stop.
  const end: StopStep[] = [
    { signal: 'SIGTERM', graceMs: 25_000 },
    { signal: 'SIGTERM', graceMs: 5000 },
  ];
  return nodeService(installation, 'fleet', [], environment, httpProbe(`${record.urls.fleet}/healthz`), { end });
}

/** Job runner, which executes background jobs. It runs as the user of the API, because it reads and writes the same objects. */
export async function jobsService(
  context: ServicesContext,
  database: string,
  printLine: (line: string) => void,
): Promise<StartService> {
  const { installation, config, record } = context;
  const port = (record.ports.jobs = await choosePort(record.ports, 7195));
  record.urls.jobs = `http://127.0.0.1:${port}`;
  const user = serverUser({
    name: 'pilothouse-api',
    needs: [...readablePathsOf(installation, 'jobs'), installation.state, ...configuredFiles(config)],
    port,
    log: (reason) => printLine(`  jobs: ${reason}`),
  });
  const environment = {
    ...Object.fromEntries(Object.entries(config.environment).filter(([name]) => !isApiSecret(name))),
    DATABASE_URL: database,
    REDIS_URL: redisUrl(context),
    ...(config.s3Endpoint ? {} : { OBJECT_STORE_DIR: join(installation.state, 'objects') }),
    PILOTHOUSE_JOBS_PORT: String(port),
    // The limit that Node.js chooses in the chart's container: a quarter of its memory.
    NODE_OPTIONS: '--max-old-space-size=256',
  };
  // It finishes the current checkpoint of its jobs; a second SIGTERM hands them back at once.
  const end: StopStep[] = [
    { signal: 'SIGTERM', graceMs: 8_000 },
    { signal: 'SIGTERM', graceMs: 7_000 },
  ];
  return nodeService(installation, 'jobs', [], environment, httpProbe(`${record.urls.jobs}/healthz`), {
    end,
    user,
  });
}

/** Web console. Its only secret lets it forward client addresses to the API. */
export async function consoleService(
  { installation, config, secrets, record }: ServicesContext,
  printLine: (line: string) => void,
): Promise<StartService> {
  const { console: port = 0 } = record.ports;
  const environment = {
    ...Object.fromEntries(consoleVariables.map((name) => [name, config.environment[name]])),
    PILOTHOUSE_API_URL: record.urls.api,
    PILOTHOUSE_CONSOLE_TOKEN: secrets.consoleToken,
    PILOTHOUSE_CONSOLE_HOST: config.host,
    PILOTHOUSE_CONSOLE_PORT: String(port),
  };
  const { NODE_EXTRA_CA_CERTS: certificates } = config.environment;
  const user = serverUser({
    name: 'pilothouse-console',
    needs: [...readablePathsOf(installation, 'console'), ...(certificates ? [certificates] : [])],
    port,
    log: (reason) => printLine(`  console: ${reason}`),
  });
  return nodeService(installation, 'console', [], environment, httpProbe(`${record.urls.console}/healthz`), { user });
}

/** Environment variables of the console. */
const consoleVariables = [
  'PATH',
  'LOG_LEVEL',
  'LOG_FORMAT',
  'NODE_EXTRA_CA_CERTS',
  'PILOTHOUSE_OBJECT_STORE_PUBLIC_ENDPOINT',
  'PILOTHOUSE_PROXY_COUNT',
];

/** Host for local connections to a server that listens on the configured host. */
const localHost = ({ host }: UpConfig) => (isWildcard(host) ? '127.0.0.1' : host);

const isWildcard = (host: string) => ['0.0.0.0', '::'].includes(host);

/** Environment of services, without the secrets of the API. */
const inheritedEnvironment = ({ environment }: UpConfig): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !isApiOnly(name)));

/** True for variables with secrets of the API, and for their endpoints. */
const isApiOnly = (name: string): boolean => isModelVariable(name) || oidcVariables.includes(name);

/** True for variables with secrets that the API does not share with the job runner. */
const isApiSecret = (name: string): boolean =>
  oidcVariables.includes(name) || name.startsWith('PILOTHOUSE_MASTER_KEY') || name === 'PILOTHOUSE_BOOTSTRAP_ADMIN_KEY';

/** Files that variables of API and job runner name. */
const configuredFiles = ({ environment }: UpConfig): string[] =>
  fileVariables.flatMap((name) => environment[name] || []);
