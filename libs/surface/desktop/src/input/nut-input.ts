import { systemTimers, type Timers } from '@pilothouse/core/time/timers';
import type { KeyChord } from './key-names.ts';

type Nut = typeof import('@nut-tree-fork/nut-js');

export type MouseButton = 'left' | 'middle' | 'right';

/** A point of the screen, in pixels. */
export interface ScreenPoint {
  readonly x: number;
  readonly y: number;
}

/** Milliseconds between the two presses of a double click, and between press and move of a drag. Toolkits expect a person. */
const DOUBLE_CLICK_PAUSE_MS = 40;

/**
 * Two presses of a button within this time and distance are a double click: 500 ms in Chromium and Wine, 400 ms in GTK and Qt, at most
 * 5 pixels.
 */
const DOUBLE_CLICK_TIME_MS = 550;
const DOUBLE_CLICK_DISTANCE_PX = 8;

/** Pixels between two points of a drag: toolkits start a drag only after some moves. */
const DRAG_STEP_PX = 12;

/** Pixels that one notch of the mouse wheel scrolls in most toolkits. */
export const NOTCH_PX = 40;

/**
 * Pointer, named keys and hotkeys through nut-js, without its delays. Never use its `keyboard.type` for text: it cuts each character to
 * one byte and reports no error.
 */
export class NutInput {
  readonly #nut: Nut;
  readonly #timers: Timers;
  #lastPress: { readonly point: ScreenPoint; readonly button: MouseButton; readonly monotonicMs: number } | null = null;

  private constructor(nut: Nut, timers: Timers) {
    this.#nut = nut;
    this.#timers = timers;
    nut.mouse.config.autoDelayMs = 0;
    nut.mouse.config.mouseSpeed = 1_000_000;
    nut.keyboard.config.autoDelayMs = 0;
  }

  /** Loads nut-js, which reads DISPLAY once. Without a display the process ends, so call this after the X server has started. */
  static async create(timers: Timers = systemTimers): Promise<NutInput> {
    const loaded: Nut & { default?: Nut } = await import('@nut-tree-fork/nut-js');
    return new NutInput(loaded.default ?? loaded, timers);
  }

  async move({ x, y }: ScreenPoint): Promise<void> {
    await this.#nut.mouse.setPosition(new this.#nut.Point(x, y));
  }

  /** Presses `count` times at a point, with keys held meanwhile. */
  async click(point: ScreenPoint, button: MouseButton, count: number, modifiers: readonly string[]): Promise<void> {
    await this.move(point);
    await this.#hold(modifiers, async () => {
      for (let press = 0; press < count; press += 1) {
        if (press > 0) await this.#timers.delay(DOUBLE_CLICK_PAUSE_MS);
        await this.#nut.mouse.click(this.#button(button));
      }
    });
    this.#lastPress = { point, button, monotonicMs: this.#timers.monotonic() };
  }

  /** Waits until a press of the button at a point no longer makes a double click with the last click. */
  async waitForDoubleClickEnd(point: ScreenPoint, button: MouseButton): Promise<void> {
    const last = this.#lastPress;
    if (last?.button !== button) return;
    if (Math.hypot(point.x - last.point.x, point.y - last.point.y) > DOUBLE_CLICK_DISTANCE_PX) return;
    const remainingMs = last.monotonicMs + DOUBLE_CLICK_TIME_MS - this.#timers.monotonic();
    if (remainingMs > 0) await this.#timers.delay(remainingMs);
  }

  async pressButton(button: MouseButton): Promise<void> {
    await this.#nut.mouse.pressButton(this.#button(button));
  }

  async releaseButton(button: MouseButton): Promise<void> {
    await this.#nut.mouse.releaseButton(this.#button(button));
  }

  /** Presses at the first point, moves to the second in small steps, and releases there. */
  async drag(start: ScreenPoint, end: ScreenPoint): Promise<void> {
    await this.waitForDoubleClickEnd(start, 'left');
    await this.move(start);
    await this.pressButton('left');
    try {
      const distance = Math.hypot(end.x - start.x, end.y - start.y);
      const steps = Math.max(4, Math.ceil(distance / DRAG_STEP_PX));
      for (let step = 1; step <= steps; step += 1) {
        await this.move({
          x: Math.round(start.x + ((end.x - start.x) * step) / steps),
          y: Math.round(start.y + ((end.y - start.y) * step) / steps),
        });
        await this.#timers.delay(5);
      }
    } finally {
      await this.releaseButton('left');
    }
  }

  /** Turns the wheel over a point, in pixels; at least one notch for each direction that is not 0. */
  async scroll(point: ScreenPoint, byX: number, byY: number): Promise<void> {
    await this.move(point);
    const notches = (pixels: number) => Math.max(1, Math.round(Math.abs(pixels) / NOTCH_PX));
    const { mouse } = this.#nut;
    if (byY > 0) await mouse.scrollDown(notches(byY));
    if (byY < 0) await mouse.scrollUp(notches(byY));
    if (byX > 0) await mouse.scrollRight(notches(byX));
    if (byX < 0) await mouse.scrollLeft(notches(byX));
  }

  /**
   * @param holdMs milliseconds of each press
   * @param signal ends the presses; all keys are released
   */
  async press({ modifiers, key }: KeyChord, times: number, holdMs = 0, signal?: AbortSignal): Promise<void> {
    await this.#hold(modifiers, async () => {
      for (let press = 0; press < times; press += 1) {
        signal?.throwIfAborted();
        await this.#nut.keyboard.pressKey(this.#key(key));
        try {
          if (holdMs > 0) await this.#timers.delay(holdMs, signal);
        } finally {
          await this.#nut.keyboard.releaseKey(this.#key(key));
        }
      }
    });
  }

  async #hold(modifiers: readonly string[], work: () => Promise<void>): Promise<void> {
    const keys = modifiers.map((name) => this.#key(name));
    for (const key of keys) await this.#nut.keyboard.pressKey(key);
    try {
      await work();
    } finally {
      for (const key of keys.toReversed()) await this.#nut.keyboard.releaseKey(key);
    }
  }

  #key(name: string): number {
    const key = (this.#nut.Key as unknown as Record<string, number | undefined>)[name];
    if (key === undefined) throw new Error(`The keyboard has no key ${name}`);
    return key;
  }

  #button(button: MouseButton): number {
    const { Button } = this.#nut;
    return { left: Button.LEFT, middle: Button.MIDDLE, right: Button.RIGHT }[button];
  }
}
