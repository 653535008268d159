import { surfaceSupport } from '@pilothouse/contract/actions/surface-support';
import { PilothouseError } from '@pilothouse/contract/errors/pilothouse-error';
import type { Context } from '@pilothouse/core/ports/runtime.port';
import type { Capabilities, OpenOptions, SurfaceHost } from '@pilothouse/core/ports/surface.port';
import { newDeadline } from '@pilothouse/core/time/deadlines';
import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import { BrowserProcess, orSurfaceUnavailable } from './process/browser-process.ts';
import type { ContextTime } from './context/browser-context.ts';
import type { LaunchOptions } from './process/launch-browser.ts';
import { BrowserSurface } from './browser.surface.ts';
import { Mutex } from './clipboard/clipboard-queue.ts';

const START_TIMEOUT_MS = 30_000;

/**
 * Delay before the next spare context is prepared, unless the surface closes earlier. Preparing one takes Chromium
 * about 150 ms, so the first steps of the run go first.
 */
const SPARE_DELAY_MS = 2000;

/** Interval of memory checks. A check reads one file per process of the machine. */
const MEMORY_CHECK_INTERVAL_MS = 20_000;

/** Errors caused by the request and not by Chromium. */
const requestErrors: ReadonlySet<string> = new Set(['ACTION_UNSUPPORTED', 'PROFILE_INVALID']);

/** Launch options of Chromium and limits after which it is replaced. */
export interface HostOptions extends LaunchOptions, ContextTime {
  /** Maximum number of open surfaces. No spare context is prepared beyond it. Default: unlimited. */
  readonly slots?: number;
  /** Surfaces that one Chromium process serves in its lifetime. Default: unlimited. */
  readonly maxRuns?: number;
  /** Memory in MB of all Chromium processes above which it is retired. Default: unlimited. */
  readonly maxMemoryMb?: number;
  /** Default: 20 s. */
  readonly memoryCheckIntervalMs?: number;
  /** Called when a Chromium is replaced, because it was retired or exited on its own. Used by metrics. */
  readonly onReplaced?: (reason: 'retired' | 'gone') => void;
}

/**
 * Runs one warm Chromium at a time and keeps one spare context ready, so that opening a surface takes no time. If
 * Chromium exits, only its surfaces are lost. A retired Chromium accepts no new surfaces: new ones open in its
 * replacement, and it closes with its last surface.
 */
export class BrowserHost implements SurfaceHost {
  readonly kind = 'browser';
  readonly capabilities: Capabilities = { actions: surfaceSupport.browser.actions };
  readonly #options: HostOptions;
  readonly #surfaces = new Set<BrowserSurface>();
  /** Surfaces that are open or opening. */
  #slotsInUse = 0;
  /** The process that accepts surfaces. */
  #current: Promise<BrowserProcess> | null = null;
  /** All processes that have not exited. */
  readonly #processes = new Set<BrowserProcess>();
  /** Serializes access to the clipboard of the display. */
  readonly #clipboard = new Mutex();
  readonly #closing = new AbortController();
  readonly #timers: Timers;
  #memoryCheckedAt: number;

  constructor(options: HostOptions = {}) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#memoryCheckedAt = this.#timers.monotonic();
  }

  /**
   * Starts Chromium and prepares a spare context, so that the first opening is fast. Optional.
   * @throws PilothouseError SURFACE_UNAVAILABLE
   */
  async warm(context: Context): Promise<void> {
    const chromium = await this.#runningProcess(context);
    await this.#prepareSpare(chromium);
  }

  async open(options: OpenOptions, context: Context): Promise<BrowserSurface> {
    this.#slotsInUse += 1;
    return this.#open(options, context).catch((error: unknown) => {
      this.#slotsInUse -= 1;
      throw error;
    });
  }

  async #open(options: OpenOptions, context: Context): Promise<BrowserSurface> {
    const chromium = await this.#runningProcess(context);
    chromium.addSurface();
    if (chromium.surfaceCount === this.#options.maxRuns) chromium.retire(`it has shown ${chromium.surfaceCount} runs`);
    const prepared = await chromium
      .acquireContext(context, { options: options.browser, profile: options.profile })
      .catch((error: unknown) => {
        const isRequestError = error instanceof PilothouseError && requestErrors.has(error.code);
        if (!context.signal.aborted && !isRequestError) chromium.retire('it could not open a page');
        chromium.removeSurface();
        throw error;
      });
    if (options.egress) prepared.egressProxy?.bind(options.egress);
    const surface = new BrowserSurface(prepared, options, context.log);
    this.#surfaces.add(surface);
    const spareTimer = this.#timers.setTimeout(() => void this.#prepareSpare(chromium), SPARE_DELAY_MS);
    spareTimer.unref();
    surface.onClose = (isClosed) => {
      this.#timers.clearTimeout(spareTimer);
      this.#surfaces.delete(surface);
      this.#slotsInUse -= 1;
      if (!isClosed) chromium.retire('a surface did not close');
      chromium.removeSurface();
      void this.#prepareSpare(chromium);
      void this.#checkMemory(chromium);
    };
    return surface;
  }

  async close(): Promise<void> {
    this.#closing.abort(new PilothouseError('SURFACE_UNAVAILABLE', 'The browser host is closed'));
    await Promise.all([...this.#surfaces].map((surface) => surface.close()));
    await this.#current?.catch(() => null);
    await Promise.all([...this.#processes].map((chromium) => chromium.end()));
  }

  /** Returns the process that accepts surfaces and starts it if needed. Concurrent callers share one start. */
  async #runningProcess(context: Context): Promise<BrowserProcess> {
    for (;;) {
      if (this.#closing.signal.aborted) throw new PilothouseError('SURFACE_UNAVAILABLE', 'The browser host is closed');
      this.#current ??= this.#start(context);
      const pending = this.#current;
      const chromium = await orSurfaceUnavailable(pending, context, 'Chromium did not start');
      if (chromium.isOpen) return chromium;
      // It was retired during the wait.
      if (this.#current === pending) this.#current = null;
    }
  }

  /** Starts a browser. It outlives the request that caused the start. */
  #start({ log }: Pick<Context, 'log'>): Promise<BrowserProcess> {
    const { signal } = this.#closing;
    const startContext = { ...newDeadline({ signal, timers: this.#timers }, START_TIMEOUT_MS), log };
    const starting = BrowserProcess.start(this.#options, this.#clipboard, startContext).then((chromium) => {
      this.#processes.add(chromium);
      void chromium.exited.then(() => this.#processes.delete(chromium));
      chromium.onRetire = (reason) => this.#onRetired(starting, chromium, reason, log);
      return chromium;
    });
    starting.catch(() => void (this.#current === starting && (this.#current = null)));
    return starting;
  }

  /**
   * Handles a browser that accepts no more surfaces. The replacement starts at once, unless Chromium exited on its
   * own and might exit again.
   */
  #onRetired(pending: Promise<BrowserProcess>, chromium: BrowserProcess, reason: string, log: Context['log']): void {
    if (this.#current !== pending) return;
    this.#current = null;
    if (this.#closing.signal.aborted) return;
    this.#options.onReplaced?.(chromium.isConnected ? 'retired' : 'gone');
    const fields = { surfaces: chromium.openSurfaces, runs: chromium.surfaceCount };
    if (!chromium.isConnected) {
      log.warn(fields, 'Chromium exited, next run starts another');
      return;
    }
    log.info(fields, `Chromium replaced: ${reason}`);
    const replacement = this.#start({ log });
    this.#current = replacement;
    replacement.then(
      (process) => this.#prepareSpare(process),
      (error: unknown) => log.warn({ error: String(error).slice(0, 500) }, 'next Chromium not started'),
    );
  }

  /** A context takes about 30 MB, so one is prepared only while another surface may open. */
  async #prepareSpare(chromium: BrowserProcess): Promise<void> {
    if (this.#slotsInUse < (this.#options.slots ?? Infinity)) await chromium.prepareSpare();
  }

  async #checkMemory(chromium: BrowserProcess): Promise<void> {
    const { maxMemoryMb, memoryCheckIntervalMs: checkIntervalMs = MEMORY_CHECK_INTERVAL_MS } = this.#options;
    if (
      maxMemoryMb === undefined ||
      !chromium.isOpen ||
      this.#timers.monotonic() - this.#memoryCheckedAt < checkIntervalMs
    )
      return;
    this.#memoryCheckedAt = this.#timers.monotonic();
    const memoryMb = await chromium.memoryMb();
    if (memoryMb === null || memoryMb <= maxMemoryMb || !chromium.isOpen) return;
    chromium.retire(`it holds ${Math.round(memoryMb)} MB of memory`);
  }
}
