import { actionNames, PilothouseError } from '@pilothouse/contract';
import { type Capabilities, type Context, type OpenOptions, type SurfaceHost, systemTimers } from '@pilothouse/core';
import { BrowserProcess, orSurfaceUnavailable } from './process/browser-process.ts';
import type { LaunchOptions } from './process/launch-browser.ts';
import { BrowserSurface } from './browser.surface.ts';
import { Mutex } from './clipboard/clipboard-queue.ts';

/** How long Chromium may take to start, in milliseconds. */
const STARTING = 30_000;

/**
 * Milliseconds after an opening until the next room is made, unless the surface closes before. A room costs Chromium some 150 ms of
 * work, and the first steps of the run go first.
 */
const SPARE_AFTER = 2000;

/** Milliseconds between two looks at the memory of a browser: a look reads a file for each process of the machine. */
const LOOK_EVERY = 20_000;

/** What is wrong with what was asked for, and not with Chromium. */
const wishes: ReadonlySet<string> = new Set(['ACTION_UNSUPPORTED', 'PROFILE_INVALID']);

/** How Chromium is started, and when another takes its place. */
export interface HostOptions extends LaunchOptions {
  /** Surfaces that are open at a time at most; when they are, no room is kept for another (default: any number). */
  readonly slots?: number;
  /** Surfaces that one Chromium may show in its life (default: any number). */
  readonly maxRuns?: number;
  /** Memory in MB, of all its processes, with which a Chromium takes no more surfaces (default: any). */
  readonly maxMegabytes?: number;
  /** Milliseconds between two looks at the memory (default: 20 s). */
  readonly lookEvery?: number;
  /** Told when another Chromium has to take the place of one: that was retired, or went away by itself. For metrics. */
  readonly onReplaced?: (reason: 'retired' | 'gone') => void;
}

/**
 * One warm Chromium at a time. It keeps one empty room ready, so that opening a surface takes no time; when it dies, only the
 * surfaces in it are lost. One that has had its time takes no more surfaces: the next begin in another, and it is closed when its
 * last one is.
 */
export class BrowserHost implements SurfaceHost {
  readonly kind = 'browser';
  readonly capabilities: Capabilities = { actions: new Set(actionNames) };
  readonly #options: HostOptions;
  readonly #surfaces = new Set<BrowserSurface>();
  /** How many surfaces are open, or about to be. */
  #taken = 0;
  /** The one that takes surfaces. */
  #current: Promise<BrowserProcess> | null = null;
  /** All that have not ended. */
  readonly #all = new Set<BrowserProcess>();
  /** Who has the clipboard of the screen. */
  readonly #clipboard = new Mutex();
  readonly #closed = new AbortController();
  #looked = performance.now();

  constructor(options: HostOptions = {}) {
    this.#options = options;
  }

  /** Starts Chromium and makes a room ready. Not needed, but the first opening is quick then. @throws PilothouseError SURFACE_UNAVAILABLE */
  async warm(context: Context): Promise<void> {
    const chromium = await this.#running(context);
    await this.#makeSpare(chromium);
  }

  async open(options: OpenOptions, context: Context): Promise<BrowserSurface> {
    this.#taken += 1;
    return this.#open(options, context).catch((thrown: unknown) => {
      this.#taken -= 1;
      throw thrown;
    });
  }

  async #open(options: OpenOptions, context: Context): Promise<BrowserSurface> {
    const chromium = await this.#running(context);
    chromium.enter();
    if (chromium.entered === this.#options.maxRuns) chromium.retire(`it has shown ${chromium.entered} runs`);
    const room = await chromium
      .room(context, { options: options.browser, profile: options.profile })
      .catch((thrown: unknown) => {
        const isWish = thrown instanceof PilothouseError && wishes.has(thrown.code);
        if (!context.signal.aborted && !isWish) chromium.retire('it opens no page');
        chromium.leave();
        throw thrown;
      });
    if (options.egress) room.gate?.bind(options.egress);
    const surface = new BrowserSurface(room, options, context.log);
    this.#surfaces.add(surface);
    const later = systemTimers.setTimeout(() => void this.#makeSpare(chromium), SPARE_AFTER);
    later.unref();
    surface.onClose = (isClosed) => {
      systemTimers.clearTimeout(later);
      this.#surfaces.delete(surface);
      this.#taken -= 1;
      if (!isClosed) chromium.retire('a surface in it does not close');
      chromium.leave();
      void this.#makeSpare(chromium);
      void this.#look(chromium);
    };
    return surface;
  }

  async close(): Promise<void> {
    this.#closed.abort(new PilothouseError('SURFACE_UNAVAILABLE', 'The browser host is closed'));
    await Promise.all([...this.#surfaces].map((surface) => surface.close()));
    await this.#current?.catch(() => null);
    await Promise.all([...this.#all].map((chromium) => chromium.end()));
  }

  /** The browser that takes surfaces, started when there is none. Those who come meanwhile wait for the same start. */
  async #running(context: Context): Promise<BrowserProcess> {
    for (;;) {
      if (this.#closed.signal.aborted) throw new PilothouseError('SURFACE_UNAVAILABLE', 'The browser host is closed');
      this.#current ??= this.#start(context);
      const asked = this.#current;
      const chromium = await orSurfaceUnavailable(asked, context, 'Chromium did not start');
      if (chromium.isOpen) return chromium;
      /* It left while it was waited for. */
      if (this.#current === asked) this.#current = null;
    }
  }

  /** Starts a browser; it outlives who asked for it. */
  #start({ log }: Pick<Context, 'log'>): Promise<BrowserProcess> {
    const bounds = { signal: this.#closed.signal, deadline: performance.now() + STARTING, log };
    const starting = BrowserProcess.start(this.#options, this.#clipboard, bounds).then((chromium) => {
      this.#all.add(chromium);
      void chromium.ended.then(() => this.#all.delete(chromium));
      chromium.onLeave = (why) => this.#left(starting, chromium, why, log);
      return chromium;
    });
    starting.catch(() => void (this.#current === starting && (this.#current = null)));
    return starting;
  }

  /** A browser takes no more surfaces. The next is started ahead, except when nobody knows whether it would live longer. */
  #left(which: Promise<BrowserProcess>, chromium: BrowserProcess, why: string, log: Context['log']): void {
    if (this.#current !== which) return;
    this.#current = null;
    if (this.#closed.signal.aborted) return;
    this.#options.onReplaced?.(chromium.isConnected ? 'retired' : 'gone');
    const facts = { surfaces: chromium.inside, runs: chromium.entered };
    if (!chromium.isConnected) {
      log.warn(facts, 'Chromium went away; the next run starts another');
      return;
    }
    log.info(facts, `Another Chromium takes the place of this one: ${why}`);
    const next = this.#start({ log });
    this.#current = next;
    next.then(
      (started) => this.#makeSpare(started),
      (thrown: unknown) => log.warn({ error: String(thrown).slice(0, 500) }, 'The next Chromium did not start'),
    );
  }

  /** A room costs some 30 MB, so there is one for who may come next, and none when nobody may. */
  async #makeSpare(chromium: BrowserProcess): Promise<void> {
    if (this.#taken < (this.#options.slots ?? Infinity)) await chromium.makeSpare();
  }

  async #look(chromium: BrowserProcess): Promise<void> {
    const { maxMegabytes, lookEvery = LOOK_EVERY } = this.#options;
    if (maxMegabytes === undefined || !chromium.isOpen || performance.now() - this.#looked < lookEvery) return;
    this.#looked = performance.now();
    const megabytes = await chromium.memory();
    if (megabytes === null || megabytes <= maxMegabytes || !chromium.isOpen) return;
    chromium.retire(`it holds ${Math.round(megabytes)} MB of memory`);
  }
}
