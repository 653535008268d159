import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Clock, Context } from '@pilothouse/core/ports/runtime.port';
import { raceDeadline } from '@pilothouse/core/time/deadlines';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { Browser } from 'playwright-core';
import { launchChromium, type LaunchOptions } from './launch-browser.ts';
import { SharedClipboard } from '../clipboard/shared-clipboard.ts';
import { processTreeMemoryMb, killProcessTree, mainProcess, type ProcessRef } from './browser-process-tree.ts';
import {
  prepareContext,
  type PreparedContext,
  type ContextOptions,
  type ContextTime,
} from '../context/browser-context.ts';
import type { Mutex } from '../clipboard/clipboard-queue.ts';

/** Maximum time for closing before the browser is killed. */
const CLOSE_TIMEOUT_MS = 5000;

/** Errors that already name their cause. */
const explainedErrors: ReadonlySet<string> = new Set(['SURFACE_UNAVAILABLE', 'ACTION_UNSUPPORTED', 'PROFILE_INVALID']);

/**
 * Converts failures to SURFACE_UNAVAILABLE.
 * @throws PilothouseError SURFACE_UNAVAILABLE, or an error that already names its cause; the reason of the signal
 */
export async function orSurfaceUnavailable<Value>(
  promise: Promise<Value>,
  context: Context,
  failureText: string,
): Promise<Value> {
  try {
    return await raceDeadline(promise, context, failureText);
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof PilothouseError && explainedErrors.has(error.code)) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new PilothouseError('SURFACE_UNAVAILABLE', `${failureText}: ${message.slice(0, 1500)}`, { cause: error });
  }
}

/**
 * One Chromium from start to end. It counts its surfaces. Once retired, it accepts no more surfaces and ends with the
 * last one.
 */
export class BrowserProcess {
  /** Called once when it has exited or was retired. */
  onRetire = (_reason: string) => {};
  /** Resolves when all its processes have exited. */
  readonly exited: Promise<void>;
  #onExit = () => {};
  readonly #browser: Browser;
  readonly #main: ProcessRef | null;
  readonly #egress: LaunchOptions['egress'];
  readonly #clock: Clock | undefined;
  readonly #timers: Timers;
  readonly #sharedClipboard: SharedClipboard;
  #spare: Promise<PreparedContext> | null = null;
  #openSurfaces = 0;
  #surfaceCount = 0;
  #isRetired = false;
  #ending: Promise<void> | null = null;

  /**
   * @param clipboard lock of the display, whose clipboard all browsers share
   * @throws PilothouseError SURFACE_UNAVAILABLE
   */
  static async start(
    options: LaunchOptions & ContextTime,
    clipboard: Mutex,
    context: Context,
  ): Promise<BrowserProcess> {
    const browser = await launchChromium(options, context);
    const main = await raceDeadline(mainProcess(browser), context, 'The process of Chromium').catch(() => null);
    if (!browser.isConnected()) throw new PilothouseError('SURFACE_UNAVAILABLE', 'Chromium exited during its start');
    return new BrowserProcess(browser, main, new SharedClipboard(browser, clipboard), options);
  }

  private constructor(
    browser: Browser,
    main: ProcessRef | null,
    sharedClipboard: SharedClipboard,
    { egress, clock, timers = systemTimers }: Pick<LaunchOptions, 'egress'> & ContextTime,
  ) {
    this.#browser = browser;
    this.#main = main;
    this.#egress = egress;
    this.#clock = clock;
    this.#timers = timers;
    this.#sharedClipboard = sharedClipboard;
    this.exited = new Promise((resolve) => (this.#onExit = resolve));
    browser.on('disconnected', () => {
      this.#markRetired('Chromium exited');
      // Renderers exit with the main process, unless one hangs.
      void this.end();
    });
  }

  /** Number of surfaces opened so far. */
  get surfaceCount(): number {
    return this.#surfaceCount;
  }

  /** Number of open surfaces. */
  get openSurfaces(): number {
    return this.#openSurfaces;
  }

  /** True if it accepts another surface. */
  get isOpen(): boolean {
    return !this.#isRetired && this.isConnected;
  }

  get isConnected(): boolean {
    return this.#browser.isConnected();
  }

  /** Counts a surface that is about to open. `removeSurface` must follow. */
  addSurface(): void {
    this.#openSurfaces += 1;
    this.#surfaceCount += 1;
  }

  removeSurface(): void {
    this.#openSurfaces -= 1;
    if (this.#isRetired && this.#openSurfaces === 0) void this.end();
  }

  /** Accepts no more surfaces and ends as soon as the last one has closed. */
  retire(reason: string): void {
    this.#markRetired(reason);
    if (this.#openSurfaces === 0) void this.end();
  }

  /**
   * Returns a prepared context: the spare one if there are no special options.
   * @throws PilothouseError SURFACE_UNAVAILABLE; as `prepareContext`
   */
  async acquireContext(context: Context, contextOptions: ContextOptions = {}): Promise<PreparedContext> {
    if (contextOptions.options || contextOptions.profile)
      return orSurfaceUnavailable(this.#prepareContext(contextOptions), context, 'Chromium could not open a page');
    const spare = this.#spare;
    this.#spare = null;
    if (spare) {
      const preparedContext = await orSurfaceUnavailable(spare, context, 'Chromium could not open a page').catch(
        () => null,
      );
      if (preparedContext && !preparedContext.tab.page.isClosed()) return preparedContext;
      context.signal.throwIfAborted();
    }
    return orSurfaceUnavailable(this.#prepareContext(), context, 'Chromium could not open a page');
  }

  /** Prepares a spare context. Resolves when it is ready or has failed. */
  async prepareSpare(): Promise<void> {
    if (!this.isOpen) return;
    if (!this.#spare) {
      const contextPromise = this.#prepareContext();
      this.#spare = contextPromise;
      contextPromise.then(
        // No surface uses it yet. The next one would get a crashed page.
        ({ tab, context }) =>
          tab.page.once('crash', () => {
            if (this.#dropSpare(contextPromise)) void context.close().catch(() => undefined);
          }),
        () => this.#dropSpare(contextPromise),
      );
    }
    await this.#spare.catch(() => undefined);
  }

  /** @returns true if it was the spare context */
  #dropSpare(contextPromise: Promise<PreparedContext>): boolean {
    const isSpare = this.#spare === contextPromise;
    if (isSpare) this.#spare = null;
    return isSpare;
  }

  #prepareContext(contextOptions?: ContextOptions): Promise<PreparedContext> {
    const time = { clock: this.#clock, timers: this.#timers };
    return prepareContext(this.#browser, contextOptions, this.#egress, this.#sharedClipboard, time);
  }

  /** Memory of all its processes in MB; null if it is not available. */
  async memoryMb(): Promise<number | null> {
    return this.#main === null ? null : processTreeMemoryMb(this.#main).catch(() => null);
  }

  /** Closes the browser with all its surfaces, and kills it if it does not close in time. Never throws. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    this.#markRetired('Chromium was closed');
    const timer = new Promise<void>((resolve) => this.#timers.setTimeout(resolve, CLOSE_TIMEOUT_MS).unref());
    await Promise.race([this.#browser.close().catch(() => undefined), timer]);
    if (this.#main !== null) await killProcessTree(this.#main).catch(() => undefined);
    this.#onExit();
  }

  #markRetired(reason: string): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.onRetire(reason);
  }
}
