import { actionNames, PilothouseError } from '@pilothouse/contract';
import type { Capabilities, Context, OpenOptions, SurfaceHost } from '@pilothouse/core';
import type { Browser } from 'playwright-core';
import { launchChromium, type LaunchOptions } from './browser.launch.ts';
import { makeRoom, type Room } from './browser.room.ts';
import { BrowserSurface } from './browser.surface.ts';
import { bounded } from './wait.ts';

/** How long a browser may take to close before it is left to itself, in milliseconds. */
const CLOSING = 5000;

/** How long Chromium may take to start, in milliseconds. */
const STARTING = 30_000;

/**
 * Milliseconds after an opening until the next room is made, unless the surface closes before. A room costs Chromium some 150 ms of
 * work, and the first steps of the run go first.
 */
const SPARE_AFTER = 2000;

/** What is waited for; without it there is no surface. @throws PilothouseError SURFACE_UNAVAILABLE, or the reason of the signal */
async function inTime<Value>(promise: Promise<Value>, context: Context, otherwise: string): Promise<Value> {
  try {
    return await bounded(promise, context, otherwise);
  } catch (thrown) {
    context.signal.throwIfAborted();
    if (thrown instanceof PilothouseError && thrown.code === 'SURFACE_UNAVAILABLE') throw thrown;
    const said = thrown instanceof Error ? thrown.message : String(thrown);
    throw new PilothouseError('SURFACE_UNAVAILABLE', `${otherwise}: ${said.slice(0, 1500)}`, { cause: thrown });
  }
}

/**
 * One warm Chromium. It keeps one empty room ready, so that opening a surface takes no time; when it dies, only the surfaces in it
 * are lost and the next opening starts another.
 */
export class BrowserHost implements SurfaceHost {
  readonly kind = 'browser';
  readonly capabilities: Capabilities = { actions: new Set(actionNames) };
  readonly #options: LaunchOptions;
  readonly #surfaces = new Set<BrowserSurface>();
  #browser: Promise<Browser> | null = null;
  #spare: { browser: Browser; room: Promise<Room> } | null = null;
  readonly #closed = new AbortController();

  constructor(options: LaunchOptions = {}) {
    this.#options = options;
  }

  /** Starts Chromium and makes a room ready. Not needed, but the first opening is quick then. @throws PilothouseError SURFACE_UNAVAILABLE */
  async warm(context: Context): Promise<void> {
    const browser = await this.#running(context);
    this.#makeSpare(browser);
    await this.#spare?.room.catch(() => undefined);
  }

  async open({ folder }: OpenOptions, context: Context): Promise<BrowserSurface> {
    const browser = await this.#running(context);
    const room = await this.#room(browser, context);
    const surface = new BrowserSurface(room, folder, context.log);
    this.#surfaces.add(surface);
    const later = setTimeout(() => this.#makeSpare(browser), SPARE_AFTER);
    later.unref();
    surface.onClose = () => {
      clearTimeout(later);
      this.#surfaces.delete(surface);
      this.#makeSpare(browser);
    };
    return surface;
  }

  async close(): Promise<void> {
    this.#closed.abort(new PilothouseError('SURFACE_UNAVAILABLE', 'The browser host is closed'));
    await Promise.all([...this.#surfaces].map((surface) => surface.close()));
    const browser = await this.#browser?.catch(() => null);
    if (!browser) return;
    const timer = new Promise<void>((resolve) => setTimeout(resolve, CLOSING).unref());
    await Promise.race([browser.close().catch(() => undefined), timer]);
  }

  /** The browser, started when it is not there. Those who come meanwhile wait for the same start; it outlives who asked for it. */
  async #running(context: Context): Promise<Browser> {
    if (this.#closed.signal.aborted) throw new PilothouseError('SURFACE_UNAVAILABLE', 'The browser host is closed');
    if (!this.#browser) {
      const { log } = context;
      const bounds = { signal: this.#closed.signal, deadline: performance.now() + STARTING, log };
      const starting = launchChromium(this.#options, bounds);
      this.#browser = starting;
      starting.then(
        (browser) => browser.on('disconnected', () => this.#gone(starting, context)),
        () => void (this.#browser === starting && (this.#browser = null)),
      );
    }
    return inTime(this.#browser, context, 'Chromium did not start');
  }

  #gone(which: Promise<Browser>, { log }: Context): void {
    if (this.#browser !== which) return;
    this.#browser = null;
    this.#spare = null;
    if (!this.#closed.signal.aborted)
      log.warn({ surfaces: this.#surfaces.size }, 'Chromium went away; the next run starts another');
  }

  async #room(browser: Browser, context: Context): Promise<Room> {
    const spare = this.#spare;
    this.#spare = null;
    if (spare?.browser === browser) {
      const room = await inTime(spare.room, context, 'Chromium opened no page').catch(() => null);
      if (room && !room.tab.page.isClosed()) return room;
      context.signal.throwIfAborted();
    }
    return inTime(makeRoom(browser), context, 'Chromium opened no page');
  }

  #makeSpare(browser: Browser): void {
    if (this.#closed.signal.aborted || this.#spare || !browser.isConnected()) return;
    const room = makeRoom(browser);
    const spare = { browser, room };
    this.#spare = spare;
    room.catch(() => void (this.#spare === spare && (this.#spare = null)));
  }
}
