import { PilothouseError } from '@pilothouse/contract';
import type { Context } from '@pilothouse/core';
import type { Browser } from 'playwright-core';
import { launchChromium, type LaunchOptions } from './process/launch.ts';
import { Pasteboard } from './clipboard/pasteboard.ts';
import { familyMemory, killFamily, mainProcess, type Process } from './process/process.ts';
import { makeRoom, type Room, type Wishes } from './context/room.ts';
import type { Turn } from './turn.ts';
import { bounded } from './wait.ts';

/** How long a browser may take to close before it is killed, in milliseconds. */
const CLOSING = 5000;

/** What has its reason in it: that there is no surface, or that it cannot be as it is wanted. */
const saidAlready: ReadonlySet<string> = new Set(['SURFACE_UNAVAILABLE', 'ACTION_UNSUPPORTED', 'PROFILE_INVALID']);

/** What is waited for; without it there is no surface. @throws PilothouseError SURFACE_UNAVAILABLE, or what was said already; the reason of the signal */
export async function inTime<Value>(promise: Promise<Value>, context: Context, otherwise: string): Promise<Value> {
  try {
    return await bounded(promise, context, otherwise);
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
export class Chromium {
  /** Called once, when it has gone away or was retired: the next one has to be another. */
  onLeave = (_why: string) => {};
  /** Resolves when nothing of it is left. */
  readonly ended: Promise<void>;
  #over = () => {};
  readonly #browser: Browser;
  readonly #main: Process | null;
  readonly #egress: LaunchOptions['egress'];
  readonly #pasteboard: Pasteboard;
  #spare: Promise<Room> | null = null;
  #inside = 0;
  #entered = 0;
  #isOut = false;
  #ending: Promise<void> | null = null;

  /**
   * @param clipboard whose turn it is: browsers on one screen share its clipboard
   * @throws PilothouseError SURFACE_UNAVAILABLE
   */
  static async start(options: LaunchOptions, clipboard: Turn, context: Context): Promise<Chromium> {
    const browser = await launchChromium(options, context);
    const main = await bounded(mainProcess(browser), context, 'The process of Chromium').catch(() => null);
    if (!browser.isConnected()) throw new PilothouseError('SURFACE_UNAVAILABLE', 'Chromium went away at its start');
    return new Chromium(browser, main, new Pasteboard(browser, clipboard), options.egress);
  }

  private constructor(browser: Browser, main: Process | null, pasteboard: Pasteboard, egress: LaunchOptions['egress']) {
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
   * @throws PilothouseError SURFACE_UNAVAILABLE; as `makeRoom`
   */
  async room(context: Context, wishes: Wishes = {}): Promise<Room> {
    if (wishes.options || wishes.profile) return inTime(this.#makeRoom(wishes), context, 'Chromium opened no page');
    const spare = this.#spare;
    this.#spare = null;
    if (spare) {
      const room = await inTime(spare, context, 'Chromium opened no page').catch(() => null);
      if (room && !room.tab.page.isClosed()) return room;
      context.signal.throwIfAborted();
    }
    return inTime(this.#makeRoom(), context, 'Chromium opened no page');
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
  #drop(room: Promise<Room>): boolean {
    const isSpare = this.#spare === room;
    if (isSpare) this.#spare = null;
    return isSpare;
  }

  #makeRoom(wishes?: Wishes): Promise<Room> {
    return makeRoom(this.#browser, wishes, this.#egress, this.#pasteboard);
  }

  /** Memory of all its processes, in MB; null where the machine does not tell. */
  async memory(): Promise<number | null> {
    return this.#main === null ? null : familyMemory(this.#main).catch(() => null);
  }

  /** Closes it, whoever is inside; what does not close in time is killed. Never throws. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    this.#out('Chromium was closed');
    const timer = new Promise<void>((resolve) => setTimeout(resolve, CLOSING).unref());
    await Promise.race([this.#browser.close().catch(() => undefined), timer]);
    if (this.#main !== null) await killFamily(this.#main).catch(() => undefined);
    this.#over();
  }

  #out(why: string): void {
    if (this.#isOut) return;
    this.#isOut = true;
    this.onLeave(why);
  }
}
