import { surfaceSupport } from '@pilothouse/contract/actions/surface-support';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { EgressProxy, EgressProxyFactory } from '@pilothouse/core/ports/egress.port';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { Capabilities, OpenOptions, SurfaceHost } from '@pilothouse/core/ports/surface.port';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DesktopSurface, type SurfaceTime } from './desktop.surface.ts';
import { applyProfile } from './session/apply-profile.ts';
import { SessionClient, type SessionLauncher } from './session/session-client.ts';
import { probeIsolation, type SessionIsolation } from './process/session-isolation.ts';
import { defaultSessionOptions, type SessionEgress } from './process/session-options.ts';
import { createShortFolder, removeDeadShortFolders, type ShortFolder } from './process/short-folder.ts';
import { startSocketRelay, type SocketRelay } from './process/socket-relay.ts';
import { makeSocketFolder } from './process/x-display-files.ts';
import { sessionSettings, type SessionSettings } from './process/session-settings.ts';

/** Milliseconds for a warm session to start. */
const WARM_TIMEOUT_MS = 30_000;

export interface DesktopHostOptions extends SurfaceTime {
  /** Parent folder of the session folders. If its path is too long for sockets, the host creates a parent below /tmp. */
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
}

interface PreparedSession {
  readonly client: SessionClient;
  readonly folder: string;
  /** Blocks everything until a run is bound to it; null without egress control. */
  readonly egressProxy: EgressProxy | null;
  readonly relay: SocketRelay | null;
}

/**
 * Maximum characters of the parent folder of sessions. The path of a socket has at most 107, of which
 * `/desktop-abcdef/runtime/at-spi/bus_12345` takes 41.
 */
const MAX_PARENT_CHARACTERS = 66;

/** Opens desktop sessions, and keeps one warm session ready for the next run. */
export class DesktopHost implements SurfaceHost {
  readonly kind = 'desktop';
  readonly capabilities: Capabilities = { actions: surfaceSupport.desktop.actions };
  readonly #options: DesktopHostOptions;
  readonly #surfaces = new Set<DesktopSurface>();
  #warm: Promise<PreparedSession> | null = null;
  #isolation: Promise<SessionIsolation> | null = null;
  #shortFolder: Promise<ShortFolder | null> | null = null;
  #isClosed = false;

  constructor(options: DesktopHostOptions) {
    this.#options = options;
  }

  /** Starts a session for the next run. @throws PilothouseError SURFACE_UNAVAILABLE */
  async warm(): Promise<void> {
    await this.#prepared();
  }

  /** Separation of the sessions from other processes, as probed once. */
  isolation(): Promise<SessionIsolation> {
    const { isolation, launcher } = this.#options;
    this.#isolation ??= isolation
      ? Promise.resolve(isolation)
      : this.#parentFolder().then((parent) => probeIsolation(parent, launcher.entry));
    return this.#isolation;
  }

  async open(options: OpenOptions, context: Context): Promise<DesktopSurface> {
    if (this.#isClosed) throw new PilothouseError('SURFACE_UNAVAILABLE', 'The desktop host is closed');
    if (options.profile)
      throw new PilothouseError(
        'ACTION_UNSUPPORTED',
        'Browser profiles are not supported on a desktop; remove the profile',
      );
    const settings = await sessionSettings(options.desktop ?? {}, this.#options.environment);
    const prepared = await this.#takePrepared(settings);
    if (this.#isClosed || context.signal.aborted) {
      await end(prepared);
      context.signal.throwIfAborted();
      throw new PilothouseError('SURFACE_UNAVAILABLE', 'The desktop host is closed');
    }
    if (options.egress) prepared.egressProxy?.bind(options.egress);
    const profile = options.desktop?.profile;
    if (profile) {
      const target = { client: prepared.client, home: join(prepared.folder, 'home'), file: fileOf(options) };
      const limits = { ...context, timers: this.#options.timers };
      await applyProfile(profile, target, limits).catch(async (error: unknown) => {
        await end(prepared);
        throw error;
      });
    }
    const { width, height, dpi } = settings;
    const size = { width, height, scale: dpi / 96 };
    const onClose = async () => {
      this.#surfaces.delete(surface);
      await end(prepared);
    };
    const surface: DesktopSurface = new DesktopSurface(prepared.client, size, options, onClose, this.#options);
    this.#surfaces.add(surface);
    if (!this.#isClosed) void this.#prepared().catch(() => undefined);
    return surface;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#surfaces].map((surface) => surface.close()));
    const warm = await this.#warm?.catch(() => null);
    if (warm) await end(warm);
    await (await this.#shortFolder?.catch(() => null))?.close();
  }

  /** Parent folder of the sessions. The first call removes those that dead workers left below /tmp. */
  async #parentFolder(): Promise<string> {
    const { folder } = this.#options;
    this.#shortFolder ??= removeDeadShortFolders().then(() =>
      folder.length > MAX_PARENT_CHARACTERS ? createShortFolder() : null,
    );
    return (await this.#shortFolder)?.path ?? folder;
  }

  /** Takes the warm session if it has these settings, else starts one. Two callers never get the same session. */
  async #takePrepared(settings: SessionSettings): Promise<PreparedSession> {
    if (!hasDefaultSettings(settings)) return this.#start(settings);
    const pending = this.#prepared();
    this.#warm = null;
    const prepared = await pending;
    if (!prepared.client.lossSignal.aborted) return prepared;
    // It ended while it waited.
    await end(prepared);
    return this.#start();
  }

  #prepared(): Promise<PreparedSession> {
    if (!this.#warm) {
      const starting = this.#start();
      this.#warm = starting;
      starting.catch(() => {
        if (this.#warm === starting) this.#warm = null;
      });
    }
    return this.#warm;
  }

  async #start(settings?: SessionSettings): Promise<PreparedSession> {
    const folder = await mkdtemp(join(await this.#parentFolder(), 'desktop-'));
    const resources: { egressProxy: EgressProxy | null; relay: SocketRelay | null } = {
      egressProxy: null,
      relay: null,
    };
    try {
      const signal = AbortSignal.timeout(WARM_TIMEOUT_MS);
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
      const client = await SessionClient.start(launcher, session, isolation, { signal, timers: this.#options.timers });
      return { client, folder, ...resources };
    } catch (error) {
      await release({ folder, ...resources });
      throw new PilothouseError(
        'SURFACE_UNAVAILABLE',
        `The desktop session did not start: ${(error as Error).message}`,
        {
          cause: error,
        },
      );
    }
  }
}

function sessionEgress(egressProxy: EgressProxy, { hasOwnNetwork }: SessionIsolation, folder: string): SessionEgress {
  return { port: Number(new URL(egressProxy.url).port), socket: hasOwnNetwork ? join(folder, 'egress') : null };
}

const fileOf =
  ({ file }: OpenOptions) =>
  (upload: string): Promise<string> =>
    file
      ? file(upload)
      : Promise.reject(new PilothouseError('UPLOAD_FAILED', `No files are available: ${JSON.stringify(upload)}`));

const hasDefaultSettings = (settings: SessionSettings): boolean =>
  (Object.keys(settings) as (keyof SessionSettings)[]).every((name) => settings[name] === defaultSessionOptions[name]);

async function end(prepared: PreparedSession): Promise<void> {
  await prepared.client.stop();
  await release(prepared);
}

async function release({ egressProxy, relay, folder }: Omit<PreparedSession, 'client'>): Promise<void> {
  await relay?.close();
  await egressProxy?.close();
  // A program that was killed may still have a write under way.
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
}
