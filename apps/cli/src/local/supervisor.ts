import type { UpConfig } from '@pilothouse/infra-config';
import { signalProcess } from '@pilothouse/infra-embedded';
import { existsSync, mkdirSync } from 'node:fs';
import type { SavedConnection } from './saved-connection.ts';
import { writeJson } from './json-file.ts';
import type { Installation } from './installation-paths.ts';
import { Part, type StartPart } from './service-process.ts';
import {
  apiPart,
  consolePart,
  databaseUrl,
  fleetPart,
  postgresPart,
  redisPart,
  sitePart,
  type PartsContext,
} from './services.ts';
import { endLeftovers, Lock, type RunRecord } from './state-file.ts';
import { readSecrets } from './local-secrets.ts';

export interface SupervisorOptions {
  installation: Installation;
  config: UpConfig;
  /** Without the demo site. */
  noDemo?: boolean;
  /** One line for people. */
  say: (line: string) => void;
}

/** Starts the installation and keeps it running until it is stopped. */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #lock: Lock;
  readonly #parts = new Map<string, Part>();
  #stopped: Promise<void> | undefined;

  private constructor(options: SupervisorOptions, lock: Lock) {
    this.#options = options;
    this.#lock = lock;
  }

  /** Takes the lock. Answers the record of the installation that runs already when somebody else has it. */
  static async open(options: SupervisorOptions): Promise<Supervisor | RunRecord> {
    const { installation, say } = options;
    for (const app of ['api', 'fleet', 'worker', 'console'])
      if (!existsSync(installation.bundle(app)))
        throw new Error(
          `${installation.bundle(app)} is missing: run ./scripts/up, or "node scripts/build.ts" after a change.`,
        );
    // Open to the users of its parts, unlike what is in it.
    mkdirSync(installation.state, { recursive: true });
    mkdirSync(installation.logs, { recursive: true, mode: 0o700 });
    const lock = await Lock.take(installation.record, async (record) => {
      const leftovers = await endLeftovers(record);
      if (leftovers.length > 0) say(`  Stopped leftover processes of the last start: ${leftovers.join(', ')}.`);
    });
    return lock instanceof Lock ? new Supervisor(options, lock) : lock;
  }

  get record(): RunRecord {
    return this.#lock.record;
  }

  /** Starts every part and waits for each to be ready. When one does not come up, the others are stopped and its sentence is thrown. */
  async start(): Promise<void> {
    try {
      await this.#startParts();
    } catch (error) {
      const isStopping = this.#stopped !== undefined;
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

  async #startParts(): Promise<void> {
    const { installation, config, noDemo, say } = this.#options;
    const context: PartsContext = {
      installation,
      config,
      secrets: readSecrets(installation.secrets),
      record: this.record,
    };
    const servers = [
      config.databaseUrl || this.#start('PostgreSQL', postgresPart(context, say), () => local(context, 'postgres')),
      config.redisUrl || this.#start('Redis', redisPart(context, say), () => local(context, 'redis')),
      noDemo || this.#start('demo site', await sitePart(context), () => context.record.urls.site),
    ];
    // all settle before anything is stopped, so that none is forgotten
    for (const result of await Promise.allSettled(servers)) if (result.status === 'rejected') throw result.reason;
    const database = await databaseUrl(context);
    await this.#start('API', await apiPart(context, database, say), () => context.record.urls.api);
    await this.#start('fleet', await fleetPart(context, database), () => fleetLine(config));
    await this.#start('console', await consolePart(context, say), () => context.record.urls.console);
  }

  async #start(name: string, start: StartPart, where: () => string | undefined): Promise<void> {
    const { say } = this.#options;
    if (this.#stopped) throw new Error('Stopping.');
    const since = performance.now();
    const part = new Part({
      name,
      start,
      started: (_, mark) => {
        this.record.parts[name] = mark;
        this.#lock.save();
      },
      say: (line) => say(`${new Date().toLocaleTimeString('en-GB')}  ${line}`),
    });
    this.#parts.set(name, part);
    await part.start();
    const seconds = ((performance.now() - since) / 1000).toFixed(1);
    say(`  ${name.padEnd(12)}${(where() ?? '').padEnd(34)}${seconds} s`);
  }

  /** Ends every part in order, then releases the lock. Calling it again changes nothing. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stopParts();
    return this.#stopped;
  }

  /** Has the workers not finish what they are at. */
  forceStop(): void {
    const mark = this.#parts.get('fleet')?.mark;
    if (mark) signalProcess(mark, 'SIGTERM');
  }

  async #stopParts(): Promise<void> {
    // who uses another part ends before it; workers hand back their runs to an API that still listens
    for (const name of ['console', 'fleet', 'API', 'demo site', 'Redis', 'PostgreSQL'])
      await this.#parts.get(name)?.stop();
    this.#lock.release();
  }
}

const local = ({ record }: PartsContext, name: string) => `127.0.0.1:${record.ports[name]}`;

function fleetLine({ fleets, workers, slots }: UpConfig): string {
  if (fleets) return fleets.map(({ name }) => name).join(', ');
  return `up to ${workers} workers × ${slots} slots`;
}
