import { surfaceSupport } from '@pilothouse/contract/actions/surface-support';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { Capabilities, OpenOptions, SlotLoss, SurfaceHost } from '@pilothouse/core/ports/surface.port';
import { DesktopSurface, type SurfaceTime } from './desktop.surface.ts';
import { applyProfile } from './session/apply-profile.ts';
import { OpenedWindows } from './session/opened-windows.ts';
import type { PreparedSession, SessionSource } from './session/session-source.ts';
import { defaultSessionOptions } from './process/session-options.ts';
import { sessionSettings, type SessionSettings } from './process/session-settings.ts';

export interface DesktopHostOptions extends SurfaceTime {
  readonly sessions: SessionSource;
  /** Variables of every session, which decide about its locales. */
  readonly environment: Readonly<Record<string, string>>;
  /** True: no session starts beside another one. Default: the next session starts while a run uses the last one. */
  readonly isSingleUse?: boolean;
}

/** Opens desktop sessions, and keeps one warm session ready for the next run. */
export class DesktopHost implements SurfaceHost {
  readonly kind = 'desktop';
  readonly capabilities: Capabilities = { actions: surfaceSupport.desktop.actions };
  readonly #options: DesktopHostOptions;
  readonly #surfaces = new Set<DesktopSurface>();
  #warm: Promise<PreparedSession> | null = null;
  /** Lost warm sessions that are being removed. */
  readonly #endings = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: DesktopHostOptions) {
    this.#options = options;
  }

  /** Starts a session for the next run. @throws PilothouseError SURFACE_UNAVAILABLE */
  async warm(): Promise<void> {
    await this.#prepared();
  }

  get slotLoss(): SlotLoss | undefined {
    return this.#options.sessions.slotLoss;
  }

  async open(options: OpenOptions, context: Context): Promise<DesktopSurface> {
    if (this.#isClosed) throw new PilothouseError('SURFACE_UNAVAILABLE', 'The desktop host is closed');
    if (options.profile)
      throw new PilothouseError(
        'ACTION_UNSUPPORTED',
        'Browser profiles are not supported on a desktop; remove the profile',
      );
    const settings = await sessionSettings(options.desktop ?? {}, this.#options.environment);
    const prepared = await this.#takePrepared(settings, context.signal).catch((error: unknown) => {
      this.#prepareNext();
      throw error;
    });
    if (this.#isClosed || context.signal.aborted) {
      await prepared.end();
      this.#prepareNext();
      context.signal.throwIfAborted();
      throw new PilothouseError('SURFACE_UNAVAILABLE', 'The desktop host is closed');
    }
    if (options.egress) prepared.egressProxy?.bind(options.egress);
    const openedWindows = new OpenedWindows(prepared.client);
    const profile = options.desktop?.profile;
    if (profile) {
      const target = { client: prepared.client, windows: openedWindows, file: fileOf(options) };
      const limits = { ...context, timers: this.#options.timers };
      await applyProfile(profile, target, limits).catch(async (error: unknown) => {
        await prepared.end();
        this.#prepareNext();
        throw error;
      });
    }
    const { width, height, dpi } = settings;
    const size = { width, height, scale: dpi / 96 };
    const onClose = async () => {
      this.#surfaces.delete(surface);
      await prepared.end();
      this.#prepareNext();
    };
    const { clock, timers } = this.#options;
    const services = { clock, timers, openedWindows };
    const surface: DesktopSurface = new DesktopSurface(prepared.client, size, options, onClose, services);
    this.#surfaces.add(surface);
    this.#prepareNext();
    return surface;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#surfaces].map((surface) => surface.close()));
    await this.#endWarm();
    await Promise.all(this.#endings);
    await this.#options.sessions.close();
  }

  /** Takes the warm session if it has these settings, else starts one. Two callers never get the same session. */
  async #takePrepared(settings: SessionSettings, signal: AbortSignal): Promise<PreparedSession> {
    if (!hasDefaultSettings(settings)) {
      if (!this.#options.sessions.hasFreeSlot) await this.#endWarm();
      return this.#options.sessions.start(settings, signal);
    }
    const pending = this.#prepared();
    this.#warm = null;
    const prepared = await pending;
    if (!prepared.client.lossSignal.aborted) return prepared;
    // It ended while it waited.
    await prepared.end();
    return this.#options.sessions.start(undefined, signal);
  }

  /** Starts the session of the next run, where it does not take the slot of another one. */
  #prepareNext(): void {
    if (this.#isClosed || this.#options.isSingleUse || this.#warm || !this.#options.sessions.hasFreeSlot) return;
    void this.#prepared().catch(() => undefined);
  }

  async #endWarm(): Promise<void> {
    const warm = this.#warm;
    this.#warm = null;
    await (await warm?.catch(() => null))?.end();
  }

  #prepared(): Promise<PreparedSession> {
    if (!this.#warm) {
      const starting = this.#options.sessions.start();
      this.#warm = starting;
      const forget = () => {
        if (this.#warm === starting) this.#warm = null;
      };
      starting.then(
        (prepared) =>
          prepared.client.lossSignal.addEventListener('abort', () => {
            if (this.#warm !== starting) return;
            forget();
            const ending = prepared
              .end()
              .catch(() => undefined)
              .then(() => void this.#endings.delete(ending));
            this.#endings.add(ending);
          }),
        forget,
      );
    }
    return this.#warm;
  }
}

const fileOf =
  ({ file }: OpenOptions) =>
  (upload: string): Promise<string> =>
    file
      ? file(upload)
      : Promise.reject(new PilothouseError('UPLOAD_FAILED', `No files are available: ${JSON.stringify(upload)}`));

const hasDefaultSettings = (settings: SessionSettings): boolean =>
  (Object.keys(settings) as (keyof SessionSettings)[]).every((name) => settings[name] === defaultSessionOptions[name]);
