import { PilothouseError, surfaceActions } from '@pilothouse/contract';
import type { Capabilities, Context, OpenOptions, SurfaceHost } from '@pilothouse/core';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DesktopSurface } from './desktop.surface.ts';
import { SessionClient, type SessionLauncher } from './session/session-client.ts';
import { defaultSessionOptions } from './session/session-options.ts';
import { sessionSettings, type SessionSettings } from './session/session-settings.ts';

/** Milliseconds for a warm session to start. */
const WARM_TIMEOUT_MS = 30_000;

export interface DesktopHostOptions {
  /** Folder below which each session has a folder of its own. */
  readonly folder: string;
  readonly launcher: SessionLauncher;
  /** Variables that every process of a session has. */
  readonly environment: Readonly<Record<string, string>>;
  /** Commands that `openApp` may start besides installed applications: program and arguments, by name. */
  readonly commands?: Readonly<Record<string, readonly string[]>>;
  /** Megabytes of memory of all processes of a session. Default: 2,048. */
  readonly maxMemoryMb?: number;
}

interface PreparedSession {
  readonly client: SessionClient;
  readonly folder: string;
}

/** Opens desktop sessions, and keeps one warm session ready for the next run. */
export class DesktopHost implements SurfaceHost {
  readonly kind = 'desktop';
  readonly capabilities: Capabilities = { actions: surfaceActions.desktop };
  readonly #options: DesktopHostOptions;
  readonly #surfaces = new Set<DesktopSurface>();
  #warm: Promise<PreparedSession> | null = null;
  #isClosed = false;

  constructor(options: DesktopHostOptions) {
    this.#options = options;
  }

  /** Starts a session for the next run. @throws PilothouseError SURFACE_UNAVAILABLE */
  async warm(): Promise<void> {
    await this.#prepared();
  }

  async open(options: OpenOptions, context: Context): Promise<DesktopSurface> {
    if (this.#isClosed) throw new PilothouseError('SURFACE_UNAVAILABLE', 'The desktop host is closed');
    if (options.profile) throw new PilothouseError('ACTION_UNSUPPORTED', 'A desktop takes no profile of a browser');
    const settings = await sessionSettings(options.desktop ?? {}, this.#options.environment);
    const prepared = await this.#takePrepared(settings);
    if (this.#isClosed || context.signal.aborted) {
      await end(prepared);
      context.signal.throwIfAborted();
      throw new PilothouseError('SURFACE_UNAVAILABLE', 'The desktop host is closed');
    }
    const { width, height, dpi } = settings;
    const size = { width, height, scale: dpi / 96 };
    const surface = new DesktopSurface(prepared.client, size, options, async () => {
      this.#surfaces.delete(surface);
      await end(prepared);
    });
    this.#surfaces.add(surface);
    if (!this.#isClosed) void this.#prepared().catch(() => undefined);
    return surface;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#surfaces].map((surface) => surface.close()));
    const warm = await this.#warm?.catch(() => null);
    if (warm) await end(warm);
  }

  /** Takes the warm session if it has these settings, else starts one. Two callers never get the same session. */
  async #takePrepared(settings: SessionSettings): Promise<PreparedSession> {
    if (!hasDefaultSettings(settings)) return this.#start(settings);
    const taken = this.#prepared();
    this.#warm = null;
    const prepared = await taken;
    if (!prepared.client.lost.aborted) return prepared;
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
    const folder = await mkdtemp(join(this.#options.folder, 'desktop-'));
    try {
      const signal = AbortSignal.timeout(WARM_TIMEOUT_MS);
      const { launcher, environment, commands = {}, maxMemoryMb = defaultSessionOptions.maxMemoryMb } = this.#options;
      const session = { ...defaultSessionOptions, ...settings, folder, environment, commands, maxMemoryMb };
      const client = await SessionClient.start(launcher, session, signal);
      return { client, folder };
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
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

const hasDefaultSettings = (settings: SessionSettings): boolean =>
  (Object.keys(settings) as (keyof SessionSettings)[]).every((name) => settings[name] === defaultSessionOptions[name]);

async function end({ client, folder }: PreparedSession): Promise<void> {
  await client.stop();
  await rm(folder, { recursive: true, force: true });
}
