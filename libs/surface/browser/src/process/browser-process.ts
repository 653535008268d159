import { PilothouseError } from '@pilothouse/contract';
import { type Context, raceDeadline, systemTimers } from '@pilothouse/core';
import type { Browser } from 'playwright-core';
import { launchChromium, type LaunchOptions } from './launch-browser.ts';
import { SharedClipboard } from '../clipboard/shared-clipboard.ts';
import { processTreeMemoryMb, killProcessTree, mainProcess, type ProcessRef } from './browser-process-tree.ts';
import { prepareContext, type PreparedContext, type ContextOptions } from '../context/browser-context.ts';
import type { Mutex } from '../clipboard/clipboard-queue.ts';

/** How long a browser may take to close before it is killed, in milliseconds. */
const CLOSING = 5000;

/** What has its reason in it: that there is no surface, or that it cannot be as it is wanted. */
const saidAlready: ReadonlySet<string> = new Set(['SURFACE_UNAVAILABLE', 'ACTION_UNSUPPORTED', 'PROFILE_INVALID']);

/** What is waited for; without it there is no surface. @throws PilothouseError SURFACE_UNAVAILABLE, or what was said already; the reason of the signal */
export async function orSurfaceUnavailable<Value>(
  promise: Promise<Value>,
  context: Context,
  otherwise: string,
): Promise<Value> {
  try {
    return await raceDeadline(promise, context, otherwise);
  } catch (thrown) {
    context.signal.throwIfAborted();
    if (thrown instanceof PilothouseError && saidAlready.has(thrown.code)) throw thrown;
    const said = thrown instanceof Error ? thrown.message : String(thrown);
    throw new PilothouseError('SURFACE_UNAVAILABLE', `${otherwise}: ${said.slice(0, 1500)}`, { cause: thrown });
  }
}

/**
 * One Chromium from its start to its end. It counts who is in it; once retired it takes nobody more and ends when the last one
 * has left.
 */
export class BrowserProcess {
  /** Called once, when it has gone away or was retired: the next one has to be another. */
  onLeave = (_why: string) => {};
  /** Resolves when nothing of it is left. */
  readonly ended: Promise<void>;
  #over = () => {};
  readonly #browser: Browser;
  readonly #main: ProcessRef | null;
  readonly #egress: LaunchOptions['egress'];
  readonly #pasteboard: SharedClipboard;
  #spare: Promise<PreparedContext> | null = null;
  #inside = 0;
  #entered = 0;
  #isOut = false;
  #ending: Promise<void> | null = null;

  /**
   * @param clipboard whose turn it is: browsers on one screen share its clipboard
   * @throws PilothouseError SURFACE_UNAVAILABLE
   */
  static async start(options: LaunchOptions, clipboard: Mutex, context: Context): Promise<BrowserProcess> {
    const browser = await launchChromium(options, context);
    const main = await raceDeadline(mainProcess(browser), context, 'The process of Chromium').catch(() => null);
    if (!browser.isConnected()) throw new PilothouseError('SURFACE_UNAVAILABLE', 'Chromium went away at its start');
    return new BrowserProcess(browser, main, new SharedClipboard(browser, clipboard), options.egress);
  }

  private constructor(
    browser: Browser,
    main: ProcessRef | null,
    pasteboard: SharedClipboard,
    egress: LaunchOptions['egress'],
  ) {
    this.#browser = browser;
    this.#main = main;
    this.#egress = egress;
    this.#pasteboard = pasteboard;
    this.ended = new Promise((resolve) => (this.#over = resolve));
    browser.on('disconnected', () => {
      this.#out('Chromium went away');
      /* Renderers end with the main process, except when one hangs. */
      void this.end();
    });
  }

  /** How many surfaces were made in it. */
  get entered(): number {
    return this.#entered;
  }

  /** How many surfaces are in it. */
  get inside(): number {
    return this.#inside;
  }

  /** Whether it may take another surface. */
  get isOpen(): boolean {
    return !this.#isOut && this.isConnected;
  }

  get isConnected(): boolean {
    return this.#browser.isConnected();
  }

  /** Counts a surface that is about to be made; to be followed by `leave`. */
  enter(): void {
    this.#inside += 1;
    this.#entered += 1;
  }

  leave(): void {
    this.#inside -= 1;
    if (this.#isOut && this.#inside === 0) void this.end();
  }

  /** Takes nobody more, and ends as soon as it is empty. */
  retire(why: string): void {
    this.#out(why);
    if (this.#inside === 0) void this.end();
  }

  /**
   * An empty room: the spare one, if there is one and nothing else is wished for.
   * @throws PilothouseError SURFACE_UNAVAILABLE; as `prepareContext`
   */
  async room(context: Context, wishes: ContextOptions = {}): Promise<PreparedContext> {
    if (wishes.options || wishes.profile)
      return orSurfaceUnavailable(this.#makeRoom(wishes), context, 'Chromium opened no page');
    const spare = this.#spare;
    this.#spare = null;
    if (spare) {
      const room = await orSurfaceUnavailable(spare, context, 'Chromium opened no page').catch(() => null);
      if (room && !room.tab.page.isClosed()) return room;
      context.signal.throwIfAborted();
    }
    return orSurfaceUnavailable(this.#makeRoom(), context, 'Chromium opened no page');
  }

  /** Makes a room for the next surface. @returns when it is there, or cannot be */
  async makeSpare(): Promise<void> {
    if (!this.isOpen) return;
    if (!this.#spare) {
      const room = this.#makeRoom();
      this.#spare = room;
      room.then(
        // Nobody is in it to notice: whoever came next would find a page that opens nothing.
        ({ tab, context }) =>
          tab.page.once('crash', () => {
            if (this.#drop(room)) void context.close().catch(() => undefined);
          }),
        () => this.#drop(room),
      );
    }
    await this.#spare.catch(() => undefined);
  }

  /** @returns whether it was the spare one, and is it no more */
  #drop(room: Promise<PreparedContext>): boolean {
    const isSpare = this.#spare === room;
    if (isSpare) this.#spare = null;
    return isSpare;
  }

  #makeRoom(wishes?: ContextOptions): Promise<PreparedContext> {
    return prepareContext(this.#browser, wishes, this.#egress, this.#pasteboard);
  }

  /** Memory of all its processes, in MB; null where the machine does not tell. */
  async memory(): Promise<number | null> {
    return this.#main === null ? null : processTreeMemoryMb(this.#main).catch(() => null);
  }

  /** Closes it, whoever is inside; what does not close in time is killed. Never throws. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    this.#out('Chromium was closed');
    const timer = new Promise<void>((resolve) => systemTimers.setTimeout(resolve, CLOSING).unref());
    await Promise.race([this.#browser.close().catch(() => undefined), timer]);
    if (this.#main !== null) await killProcessTree(this.#main).catch(() => undefined);
    this.#over();
  }

  #out(why: string): void {
    if (this.#isOut) return;
    this.#isOut = true;
    this.onLeave(why);
  }
}
