import { missingDesktopPackages, type UpConfig } from '@pilothouse/infra-config';
import { signalProcess } from '@pilothouse/infra-embedded';
import { existsSync, mkdirSync } from 'node:fs';
import type { SavedConnection } from '../installation/saved-connection.ts';
import { writeJson } from '../installation/json-file.ts';
import type { Installation } from '../installation/installation-paths.ts';
import { ServiceProcess, type StartService } from './service-process.ts';
import {
  apiService,
  consoleService,
  databaseUrl,
  fleetService,
  jobsService,
  postgresService,
  redisService,
  siteService,
  type ServicesContext,
} from './services.ts';
import { stopOrphans, Lock, type RunRecord } from './state-file.ts';
import { desktopNotice, fleetsLine, localFleets, withTokens } from './local-fleets.ts';
import { readSecrets } from './local-secrets.ts';

export interface SupervisorOptions {
  installation: Installation;
  config: UpConfig;
  /** Omits the demo site. */
  noDemo?: boolean;
  /** Debian packages of a desktop that are not installed. Default: those of this machine. */
  missingDesktopPackages?: readonly string[];
  printLine: (line: string) => void;
}

/** Starts the installation and keeps it running until it is stopped. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #lock: Lock;
  readonly #services = new Map<string, ServiceProcess>();
  #stopPromise: Promise<void> | undefined;

  private constructor(options: SupervisorOptions, lock: Lock) {
    this.#options = options;
    this.#lock = lock;
  }

  /** Acquires the lock. Returns the record of the running installation if there is one. */
  static async open(options: SupervisorOptions): Promise<Supervisor | RunRecord> {
    const { installation, printLine } = options;
    for (const app of ['api', 'fleet', 'jobs', 'worker', 'console'])
      if (!existsSync(installation.bundle(app)))
        throw new Error(
          `${installation.bundle(app)} is missing: run ./scripts/up, or "node scripts/build.ts" after a change.`,
        );
    // Accessible for the users of its services; the contents are not.
    mkdirSync(installation.state, { recursive: true });
    mkdirSync(installation.logs, { recursive: true, mode: 0o700 });
    const lock = await Lock.acquire(installation.record, async (record) => {
      const orphans = await stopOrphans(record);
      if (orphans.length > 0) printLine(`  Stopped leftover processes of the last start: ${orphans.join(', ')}.`);
    });
    return lock instanceof Lock ? new Supervisor(options, lock) : lock;
  }

  get record(): RunRecord {
    return this.#lock.record;
  }

  /** Starts all services and waits until they are ready. If one fails, the others are stopped and its error is thrown. */
  async start(): Promise<void> {
    try {
      await this.#startServices();
    } catch (error) {
      const isStopping = this.#stopPromise !== undefined;
      await this.stop();
      throw isStopping ? new Error('Stopped during start.') : error;
    }
    this.record.ready = true;
    this.#lock.save();
    const config: SavedConnection = {
      url: this.record.urls.api ?? '',
      apiKeyFile: readSecrets(this.#options.installation.secrets).adminKeyFile,
      siteUrl: this.record.urls.site,
    };
    writeJson(this.#options.installation.config, config, 0o644);
  }

  async #startServices(): Promise<void> {
    const { installation, config, noDemo, printLine } = this.#options;
    const { missingDesktopPackages: missing = missingDesktopPackages() } = this.#options;
    const secrets = readSecrets(installation.secrets);
    const fleets = withTokens(localFleets(config, missing), config, secrets);
    const context: ServicesContext = { installation, config, secrets, fleets, record: this.record };
    const servers = [
      config.databaseUrl ||
        this.#start('PostgreSQL', postgresService(context, printLine), () => local(context, 'postgres')),
      config.redisUrl || this.#start('Redis', redisService(context, printLine), () => local(context, 'redis')),
      noDemo || this.#start('demo site', await siteService(context), () => context.record.urls.site),
    ];
    // All must settle before anything is stopped.
    for (const result of await Promise.allSettled(servers)) if (result.status === 'rejected') throw result.reason;
    const database = await databaseUrl(context);
    await this.#start('API', await apiService(context, database, printLine), () => context.record.urls.api);
    await this.#start('fleet', await fleetService(context, database), () => fleetsLine(fleets));
    await this.#start('jobs', await jobsService(context, database, printLine), () => context.record.urls.jobs);
    const notice = desktopNotice(fleets, missing);
    if (notice) printLine(`  ${notice}`);
    await this.#start('console', await consoleService(context, printLine), () => context.record.urls.console);
  }

  async #start(name: string, start: StartService, describe: () => string | undefined): Promise<void> {
    const { printLine } = this.#options;
    if (this.#stopPromise) throw new Error('Stopping.');
    const since = performance.now();
    const service = new ServiceProcess({
      name,
      start,
      onStart: (_, identity) => {
        this.record.services[name] = identity;
        this.#lock.save();
      },
      printLine: (line) => printLine(`${new Date().toLocaleTimeString('en-GB')}  ${line}`),
    });
    this.#services.set(name, service);
    await service.start();
    const seconds = ((performance.now() - since) / 1000).toFixed(1);
    printLine(`  ${name.padEnd(12)}${(describe() ?? '').padEnd(34)}  ${seconds} s`);
  }

  /** Stops all services in order, then releases the lock. Idempotent. */
  stop(): Promise<void> {
    this.#stopPromise ??= this.#stopServices();
    return this.#stopPromise;
  }

  /** Makes the workers exit without finishing their runs. */
  forceStop(): void {
    const identity = this.#services.get('fleet')?.identity;
    if (identity) signalProcess(identity, 'SIGTERM');
  }

  async #stopServices(): Promise<void> {
    // Dependents stop first: workers hand back their runs to an API that still listens.
    for (const name of ['console', 'jobs', 'fleet', 'API', 'demo site', 'Redis', 'PostgreSQL'])
      await this.#services.get(name)?.stop();
    this.#lock.release();
  }
}

const local = ({ record }: ServicesContext, name: string) => `127.0.0.1:${record.ports[name]}`;
