import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { EgressProxy, EgressProxyFactory } from '@pilothouse/core/ports/egress.port';
import type { Log } from '@pilothouse/core/ports/runtime.port';
import type { Timers } from '@pilothouse/core/time/timers';
import { chmod, mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { probeIsolation, type SessionIsolation } from '../process/session-isolation.ts';
import { defaultSessionOptions, type SessionEgress } from '../process/session-options.ts';
import type { SessionSettings } from '../process/session-settings.ts';
import { createShortFolder, removeDeadShortFolders, type ShortFolder } from '../process/short-folder.ts';
import { startSocketRelay, type SocketRelay } from '../process/socket-relay.ts';
import { makeSocketFolder } from '../process/x-display-files.ts';
import { startMachineSession, type SessionLauncher } from './machine-session.ts';
import { removeFolder } from './remove-folder.ts';
import type { PreparedSession, SessionSource } from './session-source.ts';

/** Milliseconds for a session to start. */
const START_TIMEOUT_MS = 30_000;

/**
 * Maximum characters of the parent folder of sessions. The path of a socket has at most 107, of which
 * `/desktop-abcdef/runtime/at-spi/bus_12345` takes 41.
 */
const MAX_PARENT_CHARACTERS = 66;

export interface MachineSessionsOptions {
  /** Parent folder of the session folders. If its path is too long for sockets, a parent is created below /tmp. */
  readonly folder: string;
  readonly launcher: SessionLauncher;
  /** Variables that every process of a session has. */
  readonly environment: Readonly<Record<string, string>>;
  /** Commands that `openApp` may start besides installed applications: program and arguments, by name. */
  readonly commands?: Readonly<Record<string, readonly string[]>>;
  /** Opens the egress proxy of each session. Default: programs connect directly. */
  readonly egress?: Pick<EgressProxyFactory, 'open'>;
  /** Separation of sessions. Default: as much as this machine allows. */
  readonly isolation?: SessionIsolation;
  /** Megabytes of memory of all processes of a session. Default: 2,048. */
  readonly maxMemoryMb?: number;
  /** Receives what of a session could not be removed. */
  readonly log?: Pick<Log, 'warn'>;
  readonly timers?: Timers | undefined;
}

interface Resources {
  readonly folder: string;
  egressProxy: EgressProxy | null;
  relay: SocketRelay | null;
}

/** Sessions in processes of this machine. */
export class MachineSessions implements SessionSource {
  readonly hasFreeSlot = true;
  readonly #options: MachineSessionsOptions;
  #isolation: Promise<SessionIsolation> | null = null;
  #shortFolder: Promise<ShortFolder | null> | null = null;

  constructor(options: MachineSessionsOptions) {
    this.#options = options;
  }

  /** Separation of the sessions from other processes, as probed once. */
  isolation(): Promise<SessionIsolation> {
    const { isolation, launcher } = this.#options;
    this.#isolation ??= isolation
      ? Promise.resolve(isolation)
      : this.#parentFolder().then((parent) => probeIsolation(parent, launcher.entry));
    return this.#isolation;
  }

  async start(settings?: SessionSettings, runSignal?: AbortSignal): Promise<PreparedSession> {
    runSignal?.throwIfAborted();
    const folder = await mkdtemp(join(await this.#parentFolder(), 'desktop-'));
    const resources: Resources = { folder, egressProxy: null, relay: null };
    try {
      const deadline = AbortSignal.timeout(START_TIMEOUT_MS);
      const signal = runSignal ? AbortSignal.any([deadline, runSignal]) : deadline;
      const { launcher, environment, commands = {}, maxMemoryMb = defaultSessionOptions.maxMemoryMb } = this.#options;
      const isolation = await this.isolation();
      await makeSocketFolder();
      resources.egressProxy = (await this.#options.egress?.open()) ?? null;
      const egress = resources.egressProxy && sessionEgress(resources.egressProxy, isolation, folder);
      if (egress?.socket) {
        resources.relay = await startSocketRelay({ path: egress.socket }, { port: egress.port });
        // The folder is for the user of the session only.
        await chmod(egress.socket, 0o666);
      }
      const session = { ...defaultSessionOptions, ...settings, folder, environment, commands, egress, maxMemoryMb };
      const client = await startMachineSession(launcher, session, isolation, { signal, timers: this.#options.timers });
      const end = async () => {
        const pids = await client.stop();
        if (pids.length > 0) this.#options.log?.warn({ pids }, 'processes of a desktop session not ended');
        await this.#release(resources);
      };
      return { client, egressProxy: resources.egressProxy, end };
    } catch (error) {
      await this.#release(resources);
      runSignal?.throwIfAborted();
      throw new PilothouseError(
        'SURFACE_UNAVAILABLE',
        `The desktop session did not start: ${(error as Error).message}`,
        { cause: error },
      );
    }
  }

  async close(): Promise<void> {
    await (await this.#shortFolder?.catch(() => null))?.close();
  }

  /** Releases everything of a session. Never throws. */
  async #release({ egressProxy, relay, folder }: Resources): Promise<void> {
    // In this order, and each also if another one fails.
    for (const part of [() => relay?.close(), () => egressProxy?.close(), () => removeFolder(folder)])
      await part()?.catch((error: unknown) =>
        this.#options.log?.warn({ folder, error: String(error) }, 'part of a desktop session not removed'),
      );
  }

  /** Parent folder of the sessions. The first call removes those that dead workers left below /tmp. */
  async #parentFolder(): Promise<string> {
    const { folder } = this.#options;
    this.#shortFolder ??= removeDeadShortFolders().then(() =>
      folder.length > MAX_PARENT_CHARACTERS ? createShortFolder() : null,
    );
    return (await this.#shortFolder)?.path ?? folder;
  }
}

function sessionEgress(egressProxy: EgressProxy, { hasOwnNetwork }: SessionIsolation, folder: string): SessionEgress {
  return { port: Number(new URL(egressProxy.url).port), socket: hasOwnNetwork ? join(folder, 'egress') : null };
}
